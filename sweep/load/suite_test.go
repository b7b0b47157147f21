package load

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hbtune/sweep/trial"
)

func TestSuitesPlanThePublishedScenarios(t *testing.T) {
	for name, want := range map[string]int{SuiteWhitepaper: 12, SuiteQueue: 48, SuiteRandom: 40} {
		steps, err := PlanSuite(name, SuiteOptions{})
		if err != nil || len(steps) != want {
			t.Errorf("%s: %d steps, want %d: %v", name, len(steps), want, err)
		}
	}
	steps, err := PlanSuite(SuiteRandom, SuiteOptions{Threads: []int{250}, Hits: []float64{0.95, 0.2}, Regions: []int{2, 8}})
	if err != nil || len(steps) != 6 || steps[2].Workload.HitTarget != 0.2 || steps[0].Regions != 2 || steps[1].Regions != 8 {
		t.Errorf("%+v: %v", steps, err)
	}
	for want, o := range map[string]SuiteOptions{
		"threads: 0":    {Threads: []int{0}},
		"hit target":    {Hits: []float64{1.2}},
		"regions: -1":   {Regions: []int{-1}},
		"rows: -5":      {Records: -5},
		"threads: 1234": {Threads: []int{12345}},
	} {
		if _, err := PlanSuite(SuiteRandom, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := PlanSuite("talos", SuiteOptions{}); err == nil || !strings.Contains(err.Error(), "whitepaper, queue or random") {
		t.Errorf("an unknown suite: %v", err)
	}
}

// runModelSuite runs a suite on the model and returns its tables as one text.
func runModelSuite(t *testing.T, name string, o SuiteOptions) (result *SuiteResult, text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		m.latency = 20 * time.Millisecond
		if name == SuiteRandom {
			m.latency = 2 * time.Millisecond // calibration wants many reads
		}
		o.Duration, o.WarmupCap = 2*time.Second, 8*time.Second
		var err error
		if result, err = RunSuite(t.Context(), m, m, name, o, func(string) {}); err != nil {
			t.Fatal(err)
		}
	})
	tables, err := result.Tables()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, table := range tables {
		b.WriteString(table.Title + "\n")
		for _, row := range append([][]string{table.Header}, table.Rows...) {
			if len(row) != len(table.Header) {
				t.Errorf("%q: %d cells under %d heads", table.Title, len(row), len(table.Header))
			}
			b.WriteString(strings.Join(row, "|") + "\n")
		}
		b.WriteString(strings.Join(table.Notes, "\n") + "\n")
	}
	return result, b.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
}

func TestWhitepaperSuite(t *testing.T) {
	_, text := runModelSuite(t, SuiteWhitepaper, SuiteOptions{Records: 300, Threads: []int{2, 4}, Regions: []int{2}})
	wantLines(t, text, "GET|2|100|20000|", "PUT|4|200|", "\nE|4|", "GET|2|1.00|1.00|128|1.00|1.00", "PUT|4|2.00|1.00|1024|2.93|",
		"as published", "ours divided by our GET at 2 threads (100 a second, p99 of ", "the published by the published GET at 128 threads (34306 a second, p99 of 12815 µs)")
}

func TestQueueSuite(t *testing.T) {
	_, text := runModelSuite(t, SuiteQueue, SuiteOptions{Threads: []int{1, 8}, Batches: []int{1, 10}})
	wantLines(t, text, "write|1|1|write|50|20.00|0.01", "read+write|10|8|read|400|", "write|1|1|write|1.00|1.00|1.00|1.00", "write|1|8|write|8.00|7.61|1.00|1.05",
		"our write (write), batch 1, 1 partitions (50 a second, mean of 20.00 ms), the published by the published write (write), batch 1, 1 partitions (531 a second, mean of 1.88 ms)")
}

// Where the first row has no published counterpart, both are divided by the
// first that has one.
func TestSuitesDivideBothByTheSameRow(t *testing.T) {
	_, text := runModelSuite(t, SuiteQueue, SuiteOptions{Threads: []int{2, 8}, Batches: []int{1}})
	wantLines(t, text, "write|1|8|write|1.00|1.00|1.00|1.00", "our write (write), batch 1, 8 partitions (400 a second")
	if _, text = runModelSuite(t, SuiteQueue, SuiteOptions{Threads: []int{2}, Batches: []int{7}}); strings.Contains(text, "Shape") {
		t.Errorf("a shape of nothing:\n%s", text)
	}
	wantLines(t, text, "no row was published with the same parameters")
	if got := ratio(1, figure(map[string]string{}, "p99_us")) + ratio(1, 0); got != "" {
		t.Errorf("a ratio to what is not known: %q", got)
	}
}

func TestRandomSuiteAndItsChart(t *testing.T) {
	result, text := runModelSuite(t, SuiteRandom, SuiteOptions{
		Records: 4000, ValueBytes: 100, Threads: []int{4, 8}, Hits: []float64{0.5, 0.9, 0.05}, Regions: []int{2},
	})
	wantLines(t, text, "write|2|4|||2000|2.00|", "read|2|8|0.9|", "threads of the most writes|8|near 250", "out of reach")
	points := result.HitPoints()
	if len(points) != 4 || points[0].Threads != 4 || points[3].Hit < 0.85 {
		t.Errorf("points %+v", points)
	}
	var b bytes.Buffer
	if err := WriteHitChart(&b, points); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the chart is no SVG: %v", err)
		}
	}
	wantLines(t, b.String(), "8 threads", "gets per second")
	if err := WriteHitChart(io.Discard, nil); err == nil {
		t.Error("a chart of nothing")
	}
}

func TestPublishedFiguresObeyLittlesLaw(t *testing.T) {
	rows, err := publishedFigures("queue")
	if err != nil || len(rows) != 72 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows {
		if !littlesLaw(int(figure(row, "threads")), figure(row, "requests_per_s"), figure(row, "mean_latency_ms")/1000, 0, 1) &&
			figure(row, "threads") > 1 { // one thread's figures are rounded too much
			t.Errorf("%v", row)
		}
	}
	if rows, err = publishedFigures("whitepaper"); err != nil || len(rows) != 12 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
}

func TestJobDoesWhatTheWorkloadNeeds(t *testing.T) {
	run := func(t *testing.T, j Job) (*trial.Measurement, []string, error) {
		m := newModel()
		m.latency = 10 * time.Millisecond
		j.Tell = func(string) {}
		j.Config.Duration, j.Config.WarmupCap = time.Second, 4*time.Second
		j.Shape = ShapeOf(j.Config.Workload, max(j.Shape.Regions, 2), 1)
		got, err := j.Run(t.Context(), m, m)
		return got, m.calls, err
	}
	base := trial.Workload{Table: "t", WriteTable: "t_w", Rows: 500, ValueBytes: 50, Threads: 2, ReadShare: 0.5}
	for want, j := range map[string]Job{
		"create t,settle t,create t_w":         {Config: Config{Workload: base}, OwnWrites: true},
		"create t,settle t,clear t,create t_w": {Config: Config{Workload: base}, OwnWrites: true, Cache: ClearCache},
		"create t,settle t":                    {Config: Config{Workload: trial.Workload{Table: "t", Rows: 500, ValueBytes: 50, Threads: 2}}},
		"create q":                             {Config: Config{Workload: trial.Workload{Table: "q", Rows: 1, ValueBytes: 50, Threads: 2, Queue: true}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			got, calls, err := run(t, j)
			if err != nil || got.Operations == 0 {
				t.Fatalf("%s: %v", want, err)
			}
			for call := range strings.SplitSeq(want, ",") {
				if !strings.Contains(strings.Join(calls, ","), call) {
					t.Errorf("calls %v, want %s", calls, want)
				}
			}
			if len(calls) != len(strings.Split(want, ",")) {
				t.Errorf("calls %v, want %s", calls, want)
			}
		})
	}
}
