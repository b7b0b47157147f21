package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// CSV writes one row a measurement with the columns that `hbtune analyze
// --import csv` reads: properties as observed, then the load, the labels and
// the responses. Trials without a measurement have no row. The hit column is
// the level asked for, where one was: it tells conditions apart, and the level
// measured moves with the variant.
func CSV(w io.Writer, in Input) error {
	observed := map[string]map[string]string{}
	var names []string
	for _, r := range in.Records {
		observed[r.ID] = r.Observed.Map()
		if r.Measurement == nil {
			continue
		}
		for _, name := range r.Observed.Names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	responses := csvResponses()
	head := append(slices.Clone(names), "threads", "hit", "workload", "block", "trial")
	for _, m := range responses {
		head = append(head, m.String())
	}
	out := csv.NewWriter(w)
	out.Write(head) // the writer keeps the first error for the end
	for _, s := range analyze.FromSweep(in.Sweep, in.Records).Samples {
		row := make([]string, 0, len(head))
		for _, name := range names {
			row = append(row, observed[s.ID][name])
		}
		hit := s.Target
		if hit == 0 {
			hit = s.Hit
		}
		label := s.ID
		if s.Arm == trial.BaselineID {
			label = trial.BaselineID + " " + label
		}
		row = append(row, csvNumber(s.Threads), csvNumber(hit), s.Workload, strconv.Itoa(s.Block), label)
		for _, m := range responses {
			row = append(row, csvNumber(s.Metrics[m]))
		}
		out.Write(row)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the CSV report: %w", err)
	}
	return nil
}

// csvResponses are the responses that the import knows.
func csvResponses() []analyze.Metric {
	return []analyze.Metric{
		analyze.Throughput, analyze.Mean, analyze.P50, analyze.P95, analyze.P99, analyze.P999,
		analyze.Errors, analyze.ClientCPU,
	}
}

// csvNumber writes a number that reads back as the same; unknown is empty.
func csvNumber(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
