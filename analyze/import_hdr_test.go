package analyze

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// histogramLog writes a log of two seconds, ten values a second from 1000 to
// 10000, once with each tag.
func histogramLog(t testing.TB, comment string, tags ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	if comment != "" {
		if err := w.OutputComment(comment); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.OutputLogFormatVersion(); err != nil {
		t.Fatal(err)
	}
	if err := w.OutputLegend(); err != nil {
		t.Fatal(err)
	}
	if len(tags) == 0 {
		tags = []string{""}
	}
	for second := range 2 {
		for _, tag := range tags {
			h := hdrhistogram.New(1, 3_600_000_000, 3)
			for k := 1; k <= 10; k++ {
				if err := h.RecordValue(int64(1000 * k)); err != nil {
					t.Fatal(err)
				}
			}
			h.SetStartTimeMs(int64(1000 * second))
			h.SetEndTimeMs(int64(1000 * (second + 1)))
			if tag != "" {
				h.SetTag(tag)
			}
			if err := w.OutputIntervalHistogram(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

func TestImportHDR(t *testing.T) {
	for _, test := range []struct {
		name, comment, unit string
		tags                []string
		mean                float64
		workloads           []string
	}{
		{"nanoseconds by default", "", "", nil, 5.5, []string{""}},
		{"YCSB's are microseconds", "[Logging for: READ]", "", nil, 5500, []string{"READ"}},
		{"the unit said", "[Logging for: READ]", "ms", nil, 5_500_000, []string{"READ"}},
		{"tags", "", "us", []string{"get", "put"}, 5500, []string{"get", "put"}},
	} {
		im := newTestImport()
		if err := im.HDR(test.unit)("baseline-1.hdr", strings.NewReader(histogramLog(t, test.comment, test.tags...))); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		set, err := im.Set(Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if len(set.Samples) != len(test.workloads) {
			t.Errorf("%s: %d rows, want %d", test.name, len(set.Samples), len(test.workloads))
			continue
		}
		for i, s := range set.Samples {
			near := func(got, want float64) bool { return math.Abs(got-want) <= 0.002*want }
			if s.Workload != test.workloads[i] || s.Arm != "baseline" || s.Metrics[Throughput] != 10 || s.Operations != 20 ||
				!near(s.Metrics[Mean], test.mean) || !near(s.Metrics[Max], test.mean/5.5*10) || !near(s.Metrics[P50], test.mean/5.5*5) {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
	}
}

func TestImportHDRRefusals(t *testing.T) {
	good := histogramLog(t, "")
	line := strings.Split(strings.TrimSpace(good), "\n")
	last := line[len(line)-1]
	for _, test := range []struct{ name, log, unit, want string }{
		{"empty", "", "", "x.hdr: no interval"},
		{"no log", "hello\n", "", "x.hdr:1: not an interval"},
		{"times", "a,b,c," + strings.SplitN(last, ",", 4)[3], "", "x.hdr:1: interval of"},
		{"no length", "0,0,1,HISTF", "", "x.hdr:1: interval of"},
		{"cut off", last[:len(last)-20], "", "x.hdr:1: histogram"},
		{"no histogram", "0,1,1,hello", "", "x.hdr:1: histogram: no compressed histogram"},
		{"unit", good, "hours", `unit "hours"`},
		{"tag alone", "Tag=get", "", "x.hdr:1: a tag and no interval"},
	} {
		err := newTestImport().HDR(test.unit)("x.hdr", strings.NewReader(test.log))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q on one line", test.name, err, test.want)
		}
	}
}

// Numbers that do not belong to a log of values must not come out as a
// measurement.
func FuzzImportHDR(f *testing.F) {
	f.Add([]byte(histogramLog(f, "[Logging for: READ]", "get", "put")))
	f.Add([]byte("Tag=a,0.1,1.0,2.0,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI=\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		im := newTestImport()
		if err := im.HDR("")("f", bytes.NewReader(data)); err != nil {
			return
		}
		for _, r := range im.rows {
			for m, x := range r.metrics {
				if math.IsInf(x, 0) || x < 0 {
					t.Errorf("%s is %v", Metric(m), x)
				}
			}
		}
	})
}
