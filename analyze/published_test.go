package analyze

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

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

func TestDumpPublished(t *testing.T) {
	for _, f := range []string{"talos.csv", "tdsql_boundless.csv"} {
		got := published(t, f, Options{})
		t.Log(f, got.Verdict, got.Summary, got.Warnings)
		for _, a := range got.Audit {
			b, _ := json.Marshal(a)
			t.Log(string(b))
		}
		for _, c := range got.Curves {
			t.Log(c.Factor, c.Workload, c.Model, c.Params, c.Note, len(c.Points), len(c.Band))
			if c.Optimum != nil && c.Optimum.Low != nil && c.Optimum.High != nil {
				t.Log("   opt", c.Optimum.X, *c.Optimum.Low, *c.Optimum.High, c.Optimum.InsideRange, *c.LOOError)
			}
		}
		for _, c := range got.Comparisons {
			t.Log(c.Variant, c.Workload, c.Ratio, c.Verdict, c.Ratios)
		}
	}
}
