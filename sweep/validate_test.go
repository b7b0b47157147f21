package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

// sound is a specification without a fault; each case changes one line of it.
const sound = `v: 1
data:
  rows: 5000
  value_size: 100B
  regions: 2
workloads:
  - name: m
    read_share: 0.5
    threads: 4
parameters:
  - property: hbase.regionserver.handler.count
    values: ["10", "20"]
design: {blocks: 1, levels: all, sentinels: 1, confirm: 0}
measure: {warmup_cap: 3s, settle_cap: 2s, window: 3s}
budget: 30m
seed: 7
`

// testRules stand in for those of the analysis, which this package does not
// know: one objective and one bound are right.
var testRules = Rules{
	Catalogue:  hbaseconf.Builtin(),
	Objective:  only("objective", "throughput"),
	Constraint: only("constraint", "p99_us<=20000"),
}

func only(what, right string) func(string) error {
	return func(text string) error {
		if text != right {
			return fmt.Errorf("no %s %q", what, text)
		}
		return nil
	}
}

func TestFaultsOfASpecAreNamed(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"", "", ""},
		{"v: 1", "v: 2", "v: version 2 is not known"},
		{"rows: 5000", "rows: -5", "data.rows: -5 is outside 1000 to 10000000000"},
		{"rows: 5000", "rows: 9223372036854775807", "data.rows: 9223372036854775807 is outside"},
		{"rows: 5000", "rows: 99999999999999999999", "line 3: 99999"},
		{"rows: 5000", "rowz: 5000", `line 3: unknown key "rowz"`},
		{"value_size: 100B", "value_size: 100XB", `line 4: size "100XB" has the unit "XB"`},
		{"value_size: 100B", "value_size: 100TB", "data.value_size: 100TB is outside"},
		{"regions: 2", "regions: 0", "data.regions: 0 is outside"},
		{"name: m", `name: ""`, `workloads[0].name: "" is empty`},
		{"name: m", `name: "../../x"`, `workloads[0].name: "../../x" may have`},
		{"read_share: 0.5", "read_share: .nan", "workloads[0].read_share: NaN is outside"},
		{"threads: 4", "threads: 10000000", "workloads[0].threads: 10000000 is outside"},
		{"handler.count", "handler.cuont", "did you mean hbase.regionserver.handler.count?"},
		{`["10", "20"]`, "[]", "has no values"},
		{`["10", "20"]`, `["ten"]`, `"ten" is not a number`},
		{"blocks: 1", "blocks: 1000000", "design.blocks: 1000000 is outside"},
		{"levels: all", "levels: some", "design.levels"},
		{"sentinels: 1", "sentinels: 0", "design.sentinels: 0 is outside"},
		{"confirm: 0", "confirm: -1", "design.confirm: -1 is outside"},
		{"window: 3s", "window: -3s", "measure.window: -3s is under 1s"},
		{"window: 3s", "window: 3", "line 14: 3 is not a duration"},
		{"budget: 30m", "budget: -1s", "budget: give a time"},
		{"seed: 7", "objective: tps", `no objective "tps"`},
		{"seed: 7", "constraints: [p99_us<=20000, foo]", `no constraint "foo"`},
		{"seed: 7", "equivalence: 3", "equivalence: 3 is outside"},
	} {
		path := filepath.Join(t.TempDir(), "spec.yaml")
		text := strings.Replace(sound, c.old, c.with, 1)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		spec, err := ReadSpec(path, false)
		if err == nil {
			err = spec.Validate(testRules)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("a sound spec: %v", err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", c.with, err, c.want)
		}
	}
}
