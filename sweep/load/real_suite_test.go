//go:build campaign

package load

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"hbtune/sweep/local/localtest"
)

// TestRealSuites measures two of the suites, small: the third wants more rows
// than the cache holds.
func TestRealSuites(t *testing.T) {
	cluster := localtest.Cluster(t)
	_, c, m := realCluster(t, cluster)
	for name, o := range map[string]SuiteOptions{
		SuiteWhitepaper: {Records: 2000, Threads: []int{4}, Regions: []int{2}},
		SuiteQueue:      {Threads: []int{1}, Batches: []int{1, 10}},
	} {
		o.Table, o.Duration, o.WarmupCap = "load_suite", 2*time.Second, 2*time.Second
		result, err := RunSuite(t.Context(), c, m, name, o, func(string) {})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, s := range result.Steps {
			if s.Measurement == nil || s.Measurement.Operations == 0 || len(s.Measurement.Errors) > 0 || s.Measurement.NotFound > 0 {
				t.Errorf("%s, %s: %+v", name, s.Scenario, s.Measurement)
			}
		}
		tables, err := result.Tables()
		if err != nil || len(tables) != 2 || len(tables[1].Rows) == 0 {
			t.Fatalf("%s: %v, %v", name, tables, err)
		}
		var b bytes.Buffer
		for _, table := range tables {
			b.WriteString("\n" + table.Title + "\n" + strings.Join(table.Header, " | ") + "\n")
			for _, row := range table.Rows {
				b.WriteString(strings.Join(row, " | ") + "\n")
			}
			b.WriteString(strings.Join(table.Notes, "\n"))
		}
		t.Log(b.String())
	}
	for _, table := range []string{"load_suite_wide", "load_suite_queue"} {
		if err := c.Drop(context.Background(), table); err != nil {
			t.Error(err)
		}
	}
}
