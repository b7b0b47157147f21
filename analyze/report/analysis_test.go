package report

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"hbtune/analyze"
	"hbtune/hbaseconf"
)

func imported(t *testing.T, file string) *analyze.Result {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	im := analyze.NewImport(hbaseconf.Builtin())
	if err := im.CSV(file, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	set, err := im.Set(analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.Analyze(analyze.Options{Resamples: 60})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The page of a table that another tool made stands alone as a sweep's does.
func TestAnalysisPage(t *testing.T) {
	for _, file := range []string{"talos.csv", "tdsql_boundless.csv", "handlers.csv"} {
		var b bytes.Buffer
		if err := Analysis(&b, imported(t, file), "HBase measurements: "+file); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, foreign := range []string{"http:", "https:", "url(", "<script", "NaN", "Inf", "%!", "ZgotmplZ", "All trials"} {
			if strings.Contains(page, foreign) {
				t.Errorf("%s: the page holds %q", file, foreign)
			}
		}
		balanced(t, page)
		for _, want := range []string{"HBase measurements: " + file, `id="method"`, "Audit"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q", file, want)
			}
		}
	}
}

func TestCurveText(t *testing.T) {
	r := imported(t, "talos.csv")
	for _, c := range r.Curves {
		if c.Factor != "threads" || c.Workload != "read+write read, batch 1" {
			continue
		}
		text := CurveText(c)
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(lines) != textHeight+2 || !strings.HasPrefix(text, "Throughput against threads, read+write read, batch 1 (Universal Scalability Law)") ||
			!strings.Contains(lines[len(lines)-1], "1 threads") || !strings.Contains(lines[len(lines)-1], "128 threads") {
			t.Errorf("%d lines:\n%s", len(lines), text)
		}
		if n := strings.Count(text, "●"); n < 5 || n > len(c.Points) {
			t.Errorf("%d points of %d:\n%s", n, len(c.Points), text)
		}
		return
	}
	t.Fatal("no such curve")
}
