package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"hbtune/analyze"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func inputOf(s shape, verdict analyze.Verdict) Input {
	sweep, records, events := simulated(s)
	return Input{
		Sweep: sweep, Records: records, Events: events, Result: resultOf(sweep, records, verdict),
		Dir: "demo", Version: "0.1.0", TakesEffect: func(string) string { return "restart of the RegionServers" },
	}
}

// analysed is the input with what analyze really makes of it.
func analysed(t *testing.T, s shape) Input {
	t.Helper()
	in := inputOf(s, analyze.Improves)
	result, err := analyze.Analyze(in.Sweep, in.Records, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Result = result
	return in
}

// TestWritePage writes pages to look at; set REPORT_DIR.
func TestWritePage(t *testing.T) {
	dir := os.Getenv("REPORT_DIR")
	if dir == "" {
		t.Skip("set REPORT_DIR to a folder to look at the pages there")
	}
	for name, in := range map[string]Input{
		"improves": inputOf(usual, analyze.Improves), "none": inputOf(usual, analyze.NoDetectableGain),
		"real": analysed(t, usual), "norepeat": analysed(t, shape{blocks: 1, values: 3, gain: 0.1, seconds: 20}),
		"flat": analysed(t, shape{blocks: 2, values: 4, confirm: 6, gain: 0.0, seconds: 30}),
	} {
		var b bytes.Buffer
		if err := HTML(&b, in); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
