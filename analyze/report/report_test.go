package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hbtune/analyze"
	"hbtune/hbaseconf"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is enough to have every kind of row and chart.
var small = shape{blocks: 1, confirm: 2, values: 2, gain: 0.22, fail: true, seconds: 4}

func inputOf(s shape, verdict analyze.Verdict) Input {
	sweep, records, events := simulated(s)
	return Input{
		Sweep: sweep, Records: records, Events: events, Result: resultOf(sweep, records, verdict),
		Dir: "demo", Version: "0.1.0", TakesEffect: func(string) string { return "restart of the RegionServers" },
	}
}

// analysed is the input with what analyze really makes of it.
func analysed(t testing.TB, s shape) Input {
	t.Helper()
	in := inputOf(s, analyze.Improves)
	result, err := analyze.Analyze(in.Sweep, in.Records, analyze.Options{Resamples: 60})
	if err != nil {
		t.Fatal(err)
	}
	in.Result = result
	return in
}

func render(t testing.TB, write func(io.Writer, Input) error, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file  string
		write func(io.Writer, Input) error
		in    Input
	}{
		{"small.html", HTML, inputOf(small, analyze.Improves)},
		{"small.md", Markdown, inputOf(small, analyze.Improves)},
		{"none.md", Markdown, inputOf(small, analyze.NoDetectableGain)},
		{"small.csv", CSV, inputOf(small, analyze.Improves)},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := render(t, c.write, c.in)
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (run with -update to accept):\n%s", path, diff)
			}
		})
	}
}

func TestSameInputSameBytes(t *testing.T) {
	first := render(t, HTML, inputOf(small, analyze.Improves))
	for range 5 { // maps are walked in another order each time
		if again := render(t, HTML, inputOf(small, analyze.Improves)); again != first {
			t.Fatal("two reports of the same input differ")
		}
	}
}

// TestPageStandsAlone: nothing is fetched, no script runs, the markup is
// balanced, ids are unique and links inside the page lead somewhere.
func TestPageStandsAlone(t *testing.T) {
	for name, in := range map[string]Input{
		"improves": inputOf(usual, analyze.Improves), "none": inputOf(usual, analyze.NoDetectableGain),
		"really analysed": analysed(t, usual),
	} {
		t.Run(name, func(t *testing.T) {
			page := render(t, HTML, in)
			for _, foreign := range []string{"http:", "https:", "url(", "@import", "<script", "<link", "src=", "ZgotmplZ", "NaN", "Inf", "%!"} {
				if i := strings.Index(page, foreign); i >= 0 {
					t.Errorf("the page holds %q: …%s…", foreign, page[max(0, i-80):min(len(page), i+80)])
				}
			}
			balanced(t, page)
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if ids[m[1]] {
					t.Errorf("id %q twice", m[1])
				}
				ids[m[1]] = true
			}
			for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if !ids[m[1]] {
					t.Errorf("link to #%s leads nowhere", m[1])
				}
			}
			if len(page) > 5<<20 {
				t.Errorf("%d bytes", len(page))
			}
			for _, r := range in.Records {
				if !strings.Contains(page, `<td class="id">`+r.ID+`</td>`) {
					t.Errorf("trial %s is not in the table", r.ID)
				}
			}
		})
	}
}

// balanced reads the page with a parser that knows which elements HTML leaves
// open.
func balanced(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!DOCTYPE html>")))
	d.Strict = false
	d.AutoClose, d.Entity = append(xml.HTMLAutoClose, "wbr"), xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("markup: %v", err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements stay open", depth)
	}
}

func TestNothingUsableStillGivesAPage(t *testing.T) {
	in := inputOf(small, analyze.InsufficientData)
	failed := in
	failed.Records = nil
	for _, r := range in.Records {
		r.Measurement, r.Fault = nil, &trial.Fault{Code: trial.FaultLoad, Message: "connection refused"}
		failed.Records = append(failed.Records, r)
	}
	empty := in
	empty.Records, empty.Events = nil, nil
	for name, in := range map[string]Input{"all failed": failed, "no records": empty} {
		t.Run(name, func(t *testing.T) {
			result, err := analyze.Analyze(in.Sweep, in.Records, analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			in.Result = result
			page := render(t, HTML, in)
			balanced(t, page)
			for _, bad := range []string{"profile apply", "NaN"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page holds %q", bad)
				}
			}
			render(t, Markdown, in)
			render(t, CSV, in)
		})
	}
}

// TestHostileText: what servers and folders are called is not markup.
func TestHostileText(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	in := inputOf(small, analyze.Improves)
	in.Dir, in.Version = evil, evil
	in.Result.Summary, in.Result.Warnings = evil, []string{evil}
	in.Result.Curves[0].Note, in.Result.Curves[0].Factor = evil, evil
	in.Result.HitRate[0].Workload, in.Result.HitRate[0].Note = evil, evil
	in.Events[0].Message = evil
	for i := range in.Records {
		if in.Records[i].Fault != nil {
			in.Records[i].Fault.Message = evil
		} else {
			in.Records[i].Measurement.Flags = []string{evil}
		}
	}
	page := render(t, HTML, in)
	balanced(t, page)
	if strings.Contains(page, "<script") {
		t.Error("a script got through")
	}
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*analyze.Result)
		want   string
	}{
		{
			"confirmed", func(r *analyze.Result) { r.Settings = hbaseconf.FromMap(map[string]string{handlers: "64"}) },
			"Set hbase.regionserver.handler.count = 64: throughput +12.4 % (95 % interval +9.8 % to +15.1 %), confirmed on fresh restarts.",
		},
		{
			"size, not confirmed", func(r *analyze.Result) {
				r.Settings = hbaseconf.FromMap(map[string]string{flushSize: "268435456"})
				r.Effect.Confirmed = false
			},
			"Set hbase.hregion.memstore.flush.size = 256 MiB: throughput +12.4 % (95 % interval +9.8 % to +15.1 %), not confirmed.",
		},
		{
			"many settings, latency", func(r *analyze.Result) {
				r.Objective, r.Effect.Ratio, r.Effect.Low = "p99_us", 0.8, nil
				r.Settings = hbaseconf.FromMap(map[string]string{handlers: "64", flushSize: "1", fileSize: "2"})
			},
			"Set the 3 properties below: p99 latency −20.0 %, confirmed on fresh restarts.",
		},
		{
			"nothing", func(r *analyze.Result) {
				r.Verdict, r.Summary = analyze.NoDetectableGain, "no candidate stands out; "+r.Noise.Statement
			},
			"No candidate stands out.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := inputOf(small, analyze.Improves)
			c.change(in.Result)
			if got := strings.ReplaceAll(headline(newView(in)), "\u00a0", " "); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestUnfinishedSweepsSaySo(t *testing.T) {
	in := inputOf(small, analyze.Improves)
	if got := unfinished(newView(in)); got != nil {
		t.Errorf("finished: %q", got)
	}
	last := &in.Events[len(in.Events)-1]
	for code, want := range map[string]string{
		"interrupted": "hbtune sweep resume demo", "not-restored": "NOT put back as it was (disk full): run `hbtune sweep restore demo`",
	} {
		last.Code, last.Message = code, "disk full"
		if got := strings.Join(warnings(newView(in)), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s", code, got)
		}
	}
	in.Events = append([]journal.Event{{Code: "done"}}, in.Events...)
	last = &in.Events[len(in.Events)-1]
	last.Code = "not-restored"
	if got := strings.Join(warnings(newView(in)), " "); !strings.Contains(got, "NOT put back") {
		t.Errorf("done once, then not restored: %s", got)
	}
}

func TestCSVReadsBack(t *testing.T) {
	in := inputOf(usual, analyze.Improves)
	table := render(t, CSV, in)
	im := analyze.NewImport(hbaseconf.Builtin())
	if err := im.CSV("report.csv", strings.NewReader(table)); err != nil {
		t.Fatal(err)
	}
	back, err := im.Set(analyze.Options{Baseline: in.Sweep.Baseline})
	if err != nil {
		t.Fatal(err)
	}
	want := analyze.FromSweep(in.Sweep, in.Records).Samples
	if len(back.Samples) != len(want) {
		t.Fatalf("%d rows read back of %d", len(back.Samples), len(want))
	}
	for i, got := range back.Samples {
		for _, m := range csvResponses() {
			if got.Metrics[m] != want[i].Metrics[m] {
				t.Errorf("%s %s: %v, want %v", want[i].ID, m, got.Metrics[m], want[i].Metrics[m])
			}
		}
		if !strings.HasSuffix(got.ID, want[i].ID) || got.Condition != want[i].Condition || got.Arm == trial.BaselineID != (want[i].Arm == trial.BaselineID) {
			t.Errorf("%s in %q as %q came back as %s in %q as %q", want[i].ID, want[i].Condition, want[i].Arm, got.ID, got.Condition, got.Arm)
		}
	}
}

func TestJSONIsTheResult(t *testing.T) {
	in := inputOf(small, analyze.Improves)
	var got analyze.Result
	if err := json.Unmarshal([]byte(render(t, JSON, in)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict != in.Result.Verdict || len(got.Curves) != len(in.Result.Curves) {
		t.Errorf("verdict %s, %d curves", got.Verdict, len(got.Curves))
	}
}

// TestManyTrials: the time series of a big sweep are a sample, and it says so.
func TestManyTrials(t *testing.T) {
	in := inputOf(shape{blocks: 9, confirm: 4, values: 20, gain: 0.2, seconds: 2}, analyze.Improves)
	page := render(t, HTML, in)
	if got := strings.Count(page, "Throughput, p99 and hit rate by second"); got != mostPanels {
		t.Errorf("%d time series, want %d", got, mostPanels)
	}
	if !strings.Contains(page, "are shown: those that the effect rests on") {
		t.Error("it does not say that the time series are a sample")
	}
	t.Logf("%d trials, %d bytes", len(in.Records), len(page))
}

func BenchmarkHTMLOfTenThousandTrials(b *testing.B) {
	in := inputOf(shape{blocks: 168, confirm: 4, values: 20, gain: 0.2, seconds: 60}, analyze.Improves)
	b.Logf("%d records", len(in.Records))
	for b.Loop() {
		if err := HTML(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWritePage writes pages to look at in a browser.
func TestWritePage(t *testing.T) {
	dir := os.Getenv("REPORT_DIR")
	if dir == "" {
		t.Skip("set REPORT_DIR to a folder to have pages written there for the eye")
	}
	for name, in := range map[string]Input{
		"improves": inputOf(usual, analyze.Improves), "none": inputOf(usual, analyze.NoDetectableGain),
		"small": inputOf(small, analyze.Improves),
		"real":  analysed(t, usual), "norepeat": analysed(t, shape{blocks: 1, values: 3, gain: 0.1, seconds: 20}),
		"flat": analysed(t, shape{blocks: 2, values: 4, confirm: 6, gain: 0.0, seconds: 30}),
		"many": inputOf(shape{blocks: 168, confirm: 4, values: 20, gain: 0.2, seconds: 60}, analyze.Improves),
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(render(t, HTML, in)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	in := inputOf(usual, analyze.Improves)
	for b.Loop() {
		if err := HTML(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}
