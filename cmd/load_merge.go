package cmd

import (
	"encoding/json"
	"errors"
	"fmt"

	"hbtune/hbaseconf"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/load"
	"hbtune/sweep/trial"
)

// mergeLoads shows the documents of --json that several clients wrote as one.
func mergeLoads(e *env, o loadOptions) error {
	if len(o.merge) == 0 {
		return badInput(errors.New("--merge names no file: give what `hbtune load --json` printed"))
	}
	var parts []*trial.Measurement
	for _, path := range o.merge {
		data, err := hbaseconf.ReadFile(path)
		if err != nil {
			return badInput(fmt.Errorf("--merge: %w", err))
		}
		m := new(trial.Measurement)
		if err := json.Unmarshal(data, m); err != nil || len(m.Ops) == 0 {
			return badInput(fmt.Errorf("--merge: %s is not what `hbtune load --json` prints", path))
		}
		parts = append(parts, m)
	}
	merged, err := load.Merge(parts)
	if err != nil {
		return badInput(fmt.Errorf("--merge: %w", err))
	}
	// What the servers run with is not in the documents.
	return o.output.write(e, merged, diagnose.Diagnose(diagnose.OfLoad(merged, hbaseconf.Sizing{}, 1)))
}
