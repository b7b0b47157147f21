package analyze

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hbtune/hbaseconf"
)

// published analyses one of the tables in testdata as a user would.
func published(t testing.TB, file string, o Options, ignore ...string) *Result {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	im := NewImport(hbaseconf.Builtin(), ignore...)
	if err := im.CSV(file, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	set, err := im.Set(o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Analyze(o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func curveOf(t *testing.T, r *Result, factor, workload string) *Curve {
	t.Helper()
	for i := range r.Curves {
		if c := &r.Curves[i]; c.Factor == factor && c.Workload == workload {
			return c
		}
	}
	t.Fatalf("no curve of %s for %q", factor, workload)
	return nil
}

func TestPublishedScaling(t *testing.T) {
	got := published(t, "talos.csv", Options{})
	for _, test := range []struct {
		workload string
		low, top float64 // of the peak; 0: no peak inside the range
	}{
		{"read+write read, batch 1", 90, 102},
		{"read+write read, batch 1000", 65, 75},
		{"write, batch 1", 0, 0},
	} {
		c := curveOf(t, got, factorThreads, test.workload)
		if c.Model != "usl" || c.Optimum == nil {
			t.Fatalf("%s: model %s", test.workload, c.Model)
		}
		if inside := test.low > 0; c.Optimum.InsideRange != inside {
			t.Errorf("%s: peak at %v, inside %v", test.workload, c.Optimum.X, c.Optimum.InsideRange)
		} else if inside && (c.Optimum.X < test.low || c.Optimum.X > test.top) {
			t.Errorf("%s: peak at %v, want %v–%v", test.workload, c.Optimum.X, test.low, test.top)
		}
	}
	if c := curveOf(t, got, factorThreads, "write, batch 1"); !strings.HasPrefix(c.Note, "no peak inside 1–128") {
		t.Errorf("note %q", c.Note)
	}
	if got.Verdict != InsufficientData {
		t.Errorf("verdict %s on a table of loads", got.Verdict)
	}
}

func TestPublishedAudit(t *testing.T) {
	findings := func(file string) []string {
		var list []string
		for _, f := range published(t, file, Options{Resamples: 1}).Audit {
			list = append(list, fmt.Sprintf("%d %s %s", f.Row, f.Code, f.Severity))
		}
		slices.Sort(list)
		return list
	}
	// Row 31 prints 3.37 MB/s for 7.37. Row 9 prints the latency of the row
	// without readers: 495 requests/s take 2.02 ms each, not 1.88.
	if diff := cmp.Diff([]string{"31 throughput-arithmetic warning", "9 littles-law warning"}, findings("talos.csv")); diff != "" {
		t.Error(diff)
	}
	// Rows 8 and 9 give the rate of all operations but the latency of the reads,
	// 11 % and 24 % off; in 12 and 13 few operations are missing, 3 %.
	want := []string{"12 littles-law info", "13 littles-law info", "8 littles-law warning", "9 littles-law warning"}
	if diff := cmp.Diff(want, findings("tdsql_boundless.csv")); diff != "" {
		t.Error(diff)
	}
}

func TestPublishedThreads(t *testing.T) {
	got := published(t, "tdsql_boundless.csv", Options{})
	for _, want := range []string{
		"GET: 1024 threads instead of 128 give throughput +0.73 % at 7.94 times the mean latency",
		"PUT: 1024 threads instead of 128 give throughput +45 % at 5.51 times the mean latency",
	} {
		if !slices.Contains(got.Explanations, want) {
			t.Errorf("missing %q in %q", want, got.Explanations)
		}
	}
	if c := curveOf(t, got, factorThreads, "GET"); c.Model != "none" {
		t.Errorf("a curve through two points: %s", c.Model)
	}
}
