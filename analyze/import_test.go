package analyze

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hbtune/hbaseconf"
)

var update = flag.Bool("update", false, "rewrite golden files")

func newTestImport(ignore ...string) *Import { return NewImport(hbaseconf.Builtin(), ignore...) }

func TestImportGolden(t *testing.T) {
	got := published(t, "handlers.csv", Options{Constraints: []string{"p99_us<=80000"}, Seed: 1, Resamples: 100})
	data, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "handlers.json")
	if *update {
		if err := os.WriteFile(golden, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.TrimSpace(want)), string(data)); diff != "" {
		t.Errorf("handlers.json (-update rewrites it):\n%s", diff)
	}
}

// What the golden file should show, said once by name.
func TestImportFindsTheGain(t *testing.T) {
	got := published(t, "handlers.csv", Options{})
	if got.Verdict != Improves || got.Settings.String() != handlers+"=100" || got.Effect.Confirmed {
		t.Errorf("verdict %s, settings %s, %s", got.Verdict, got.Settings, got.Summary)
	}
	codes := map[string]int{}
	for _, f := range got.Audit {
		codes[f.Code]++
		if f.Row == 0 || f.File != "handlers.csv" {
			t.Errorf("finding without its place: %+v", f)
		}
	}
	if want := map[string]int{AuditOutlier: 1, AuditClient: 1}; !cmp.Equal(codes, want) {
		t.Errorf("audit %v, want %v", codes, want)
	}
}

func TestImportBaselineByDefaults(t *testing.T) {
	table := "hbase.regionserver.handler.count,throughput\n30,100\n60,110\n"
	for _, test := range []struct {
		name, table, baseline, want string
	}{
		{"HBase's default", table, "", handlers + "=30"},
		{"named", table, handlers + "=60", handlers + "=60"},
		{"labelled", "trial,hbase.regionserver.handler.count,throughput\nbaseline,60,100\nx,30,110\n", "", handlers + "=60"},
		{"load", "threads,throughput\n16,100\n8,90\n", "", "threads=8"},
		{"none", strings.ReplaceAll(table, "30,", "31,"), "", handlers + "=30"},
	} {
		im := newTestImport()
		if err := im.CSV("t.csv", strings.NewReader(test.table)); err != nil {
			t.Fatal(test.name, err)
		}
		baseline, err := ParseBaseline(hbaseconf.Builtin(), test.baseline)
		if err != nil {
			t.Fatal(err)
		}
		set, err := im.Set(Options{Baseline: baseline})
		if err != nil {
			t.Fatal(test.name, err)
		}
		if set.Baseline.String() != test.want {
			t.Errorf("%s: baseline %s, want %s", test.name, set.Baseline, test.want)
		}
		if none := test.name == "none"; none != (len(set.Warnings) > 0 && strings.HasPrefix(set.Warnings[0], "no baseline")) {
			t.Errorf("%s: warnings %q", test.name, set.Warnings)
		}
	}
}

func TestImportRefusals(t *testing.T) {
	for _, test := range []struct{ name, table, want string }{
		{"empty", "", "t.csv: empty"},
		{"unknown column", "throughput,colour\n", `t.csv:1:12: unknown column "colour": rename it, or pass over it with --ignore-columns colour`},
		{"misspelt property", "throughput,hbase.regionserver.handler.cuont\n", "did you mean hbase.regionserver.handler.count?"},
		{"no result", "threads,workload\n8,a\n", "t.csv:1: no column holds a result"},
		{"twice", "throughput,qps\n1,2\n", `t.csv:1:12: columns "throughput" and "qps" both give throughput`},
		{"two units", "throughput,mean_us,mean_latency_ms\n1,2,3\n", "both give mean_us"},
		{"word", "threads,throughput\n8,fast\n", `t.csv:2:3: throughput: "fast" is not a number`},
		{"unit in cell", "threads,mean_us\n8,12ms\n", `t.csv:2:3: mean_us: "12ms" is not a number`},
		{"negative", "threads,mean_us\n8,-3\n", "t.csv:2:3: mean_us: -3 is below 0"},
		{"percent", "client_cpu,throughput\n93,3\n", "t.csv:2:1: client_cpu: 93 is above 1: a share of 1"},
		{"infinite", "throughput\nInf\n", "t.csv:2:1: throughput"},
		{"wrong unit of property", "hbase.hregion.memstore.flush.size,throughput\n128 apples,3\n", "t.csv:2:1: hbase.hregion.memstore.flush.size"},
		{"ragged", "threads,throughput\n8\n", "t.csv:2: 1 cells, but the header names 2 columns"},
		{"quote", "threads,throughput\n\"8,1\n", "t.csv:2:"},
		{"baselines differ", "trial,hbase.regionserver.handler.count,throughput\nbaseline,30,1\nbaseline,60,2\n", "t.csv:3: this row is labelled baseline with"},
	} {
		im := newTestImport()
		err := im.CSV("t.csv", strings.NewReader(test.table))
		if err == nil {
			_, err = im.Set(Options{})
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q on one line", test.name, err, test.want)
		}
	}
}

// A million rows are refused by name, not read for minutes.
func TestImportTooManyRows(t *testing.T) {
	table := "threads,throughput\n" + strings.Repeat("8,1000\n", maxRows+1)
	err := newTestImport().CSV("t.csv", strings.NewReader(table))
	if err == nil || !strings.Contains(err.Error(), "t.csv:500002: more than 500,000 rows") {
		t.Errorf("%v", err)
	}
}

// Nothing can be said along a factor that never moves, and of variants that
// differ in nothing.
func TestImportConstantFactor(t *testing.T) {
	got := analysed(t, "hbase.regionserver.handler.count,threads,throughput\n60,8,1000\n60,8,1010\n60,8,1005\n60,8,1001\n60,8,999\n")
	if got.Verdict != InsufficientData || len(got.Curves) != 0 || got.Effect != nil {
		t.Errorf("%s, %d curves, effect %+v", got.Verdict, len(got.Curves), got.Effect)
	}
}

func TestImportMixedUnits(t *testing.T) {
	for _, test := range []struct{ name, table, want string }{
		{"ms among us", "threads,throughput,mean_us\n8,1000,8000\n16,1800,8900\n32,3000,10.6\n", "t.csv:4: 3,000 operations/s on 32 threads take 10,667 µs each, and a mean of 10.6 µs is given"},
		{"ns for us", "threads,throughput,mean_us\n8,1000,8000000\n16,1800,8900000\n", "t.csv:2: 1,000 operations/s on 8 threads take 8,000 µs each"},
		{"threads that wait", "threads,throughput,mean_us\n8,1000,8\n16,1800,9\n", ""},
	} {
		im := newTestImport()
		if err := im.CSV("t.csv", strings.NewReader(test.table)); err != nil {
			t.Fatal(err)
		}
		_, err := im.Set(Options{})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestImportForms(t *testing.T) {
	for _, test := range []struct{ name, table string }{
		{"plain", "threads,throughput,mean_us\n8,1000,8000\n"},
		{"byte order mark", "\ufeffthreads,throughput,mean_us\n8,1000,8000\n"},
		{"CRLF", "threads,throughput,mean_us\r\n8,1000,8000\r\n"},
		{"semicolons", "threads;throughput;mean_us\n8;1000;8000\n"},
		{"tabs", "threads\tthroughput\tmean_us\n8\t1000\t8000\n"},
		{"alias and unit", "threads,qps,mean_latency_ms\n8,1000,8\n"},
		{"seconds", "Threads,TPS,avg_s\n8,1000,0.008\n"},
		{"ignored column", "threads,throughput,note,mean_us\n8,1000,hello,8000\n"},
	} {
		im := newTestImport("note")
		if err := im.CSV("t.csv", strings.NewReader(test.table)); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		set, err := im.Set(Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		s := set.Samples[0]
		if s.Threads != 8 || s.Metrics[Throughput] != 1000 || math.Abs(s.Metrics[Mean]-8000) > 1e-9 {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

func TestImportMissingNumbersAreNoNumbers(t *testing.T) {
	got := analysed(t, "threads,throughput\n8,NaN\n16,\n32,0\n")
	if got.Verdict != InsufficientData {
		t.Errorf("verdict %s", got.Verdict)
	}
}

func analysed(t testing.TB, table string) *Result {
	t.Helper()
	im := newTestImport()
	if err := im.CSV("t.csv", strings.NewReader(table)); err != nil {
		t.Fatal(err)
	}
	set, err := im.Set(Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Analyze(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestImportYCSB(t *testing.T) {
	im := newTestImport()
	for _, name := range []string{"ycsb_baseline-1.txt", "ycsb_tuned-1.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		label := strings.TrimPrefix(name, "ycsb_")
		if err := im.YCSB("folder/"+label, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	set, err := im.Set(Options{})
	if err != nil {
		t.Fatal(err)
	}
	base, tuned := set.Samples[0], set.Samples[1]
	if base.Arm != "baseline" || tuned.Arm != "tuned" || base.Workload != "workloada" || base.Threads != 16 {
		t.Errorf("baseline %+v\ntuned %+v", base, tuned)
	}
	if base.Metrics[Throughput] != 10050.5 || base.Metrics[P99] != 7200 || math.Abs(base.Metrics[Mean]-1590.3) > 0.01 {
		t.Errorf("baseline metrics %v", base.Metrics)
	}
	if tuned.Metrics[Throughput] != 11800.25 || tuned.Metrics[Errors] != 7 || !math.IsNaN(tuned.Metrics[P95]) {
		t.Errorf("tuned metrics %v", tuned.Metrics)
	}
}

func TestImportPE(t *testing.T) {
	im := newTestImport()
	data, err := os.ReadFile("testdata/pe_baseline-1.log")
	if err != nil {
		t.Fatal(err)
	}
	if err := im.PE("baseline-1.log", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	set, err := im.Set(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := set.Samples[0]
	if s.Threads != 2 || s.Workload != "RandomRead" || s.Metrics[Throughput] != 9962 || s.Metrics[Mean] != 200 || s.Metrics[P95] != 410 || s.Metrics[P99] != 900 {
		t.Errorf("%+v", s)
	}
	if err := newTestImport().PE("x.log", strings.NewReader("hello\n")); err == nil {
		t.Error("a log without a result was taken")
	}
	if err := newTestImport().YCSB("x.txt", strings.NewReader("hello\n")); err == nil {
		t.Error("a text without a result was taken")
	}
}

// A table that was written is read back as it was, whatever the values.
func TestImportRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "rows")
		table := "threads,hbase.regionserver.handler.count,throughput,p99_us\n"
		want := make([][4]float64, n)
		for i := range n {
			want[i] = [4]float64{
				float64(rapid.IntRange(1, 4096).Draw(t, "threads")), float64(rapid.IntRange(1, 1000).Draw(t, "handlers")),
				rapid.Float64Range(0.001, 1e7).Draw(t, "throughput"), rapid.Float64Range(0, 1e9).Draw(t, "p99"),
			}
			table += fmt.Sprintf("%v,%v,%v,%v\n", want[i][0], want[i][1], want[i][2], want[i][3])
		}
		im := newTestImport()
		if err := im.CSV("t.csv", strings.NewReader(table)); err != nil {
			t.Fatal(err)
		}
		set, err := im.Set(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range set.Samples {
			count, _ := s.Values[1].Number()
			if got := [4]float64{s.Threads, count, s.Metrics[Throughput], s.Metrics[P99]}; got != want[i] {
				t.Fatalf("row %d: %v, want %v", i, got, want[i])
			}
		}
		got, err := set.Analyze(Options{Resamples: 5})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Fatal(err)
		}
	})
}

// fuzzImport feeds a reader anything, and analyses whatever it takes.
func fuzzImport(f *testing.F, read func(*Import, string, io.Reader) error, seeds ...string) {
	for _, name := range seeds {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		if len(data) > 1500 {
			data = data[:1500]
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im := newTestImport("note")
		if err := read(im, "f", bytes.NewReader(data)); err != nil {
			return
		}
		set, err := im.Set(Options{})
		if err != nil {
			return
		}
		got, err := set.Analyze(Options{Resamples: 3})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzImportCSV(f *testing.F) {
	f.Add([]byte("hit,batch,regions,throughput,block\n0.3,1,2,5,a\n1,2,3,4,b\n"))
	fuzzImport(f, (*Import).CSV, "handlers.csv", "talos.csv", "tdsql_boundless.csv")
}

func FuzzImportYCSB(f *testing.F) {
	fuzzImport(f, (*Import).YCSB, "ycsb_baseline-1.txt", "ycsb_tuned-1.json")
}

func FuzzImportPE(f *testing.F) { fuzzImport(f, (*Import).PE, "pe_baseline-1.log") }
