package load

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hbtune/sweep/trial"
)

// measured is a small measurement of reads and puts.
func measured(t *testing.T, rate float64) *trial.Measurement {
	t.Helper()
	var got *trial.Measurement
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		w := smallWorkload(0.75)
		w.Rate = rate
		var err error
		if got, err = Run(t.Context(), m, m, Config{Workload: w, Seed: 1, Duration: 2 * time.Second, nap: time.Sleep}); err != nil {
			t.Fatal(err)
		}
	})
	return got
}

func TestHistogramLogIsReadBack(t *testing.T) {
	m := measured(t, 0)
	var b bytes.Buffer
	if err := WriteHistogramLog(&b, m); err != nil {
		t.Fatal(err)
	}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(b.Bytes()))
	counts := map[string]int64{}
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		counts[h.Tag()] = h.TotalCount()
	}
	if counts[""] != m.Operations || counts["read"] != m.Ops["read"].Count || counts["put-service"] != m.Service["put"].Count || len(counts) != 5 {
		t.Errorf("counts %v of %d operations in\n%s", counts, m.Operations, b.String())
	}
	for _, line := range []string{"#[Histogram log format version 1.3]", "values in microseconds", "#[StartTime: ", `"StartTimestamp"`, "\n0.000000,2.000000,"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is missing in\n%.600s", line, b.String())
		}
	}
}

func TestYCSBText(t *testing.T) {
	m := measured(t, 1000)
	m.Errors = map[string]int64{"RegionTooBusyException": 3}
	var b bytes.Buffer
	if err := WriteYCSB(&b, m); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"[OVERALL], RunTime(ms), 2000\n", "[OVERALL], Throughput(ops/sec), ", "[READ], Operations, ", "[READ], AverageLatency(us), 1000\n",
		"[READ], MinLatency(us), 1000\n", "[READ], 99thPercentileLatency(us), 1000\n", "[UPDATE], Return=OK, ", "[Intended-UPDATE], 95thPercentileLatency(us), ",
		"[ERROR], Return=RegionTooBusyException, 3\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is missing in\n%s", line, b.String())
		}
	}
}

func TestWarmReadsTheWorkingSetOnce(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := newModel()
			w := trial.Workload{Table: "t", Rows: 5000, ValueBytes: 20, Threads: 3, ReadShare: 1, WorkingSet: 3301, Hashed: hashed}
			fillFor(t, m, w, 3)
			rows, err := Warm(t.Context(), m, w)
			want := 3301.0
			if hashed {
				want = 5000 // and a few of the next region at each region's end
			}
			if err != nil || math.Abs(float64(rows)-want) > 0 && !hashed || hashed && (float64(rows) < want || float64(rows) > want+3*warmScan) {
				t.Errorf("hashed %v: %d rows, want %v: %v", hashed, rows, want, err)
			}
		})
	}
}
