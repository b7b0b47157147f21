package load

import (
	"math"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hbtune/sweep/trial"
)

// clientOf is a measurement whose reads took the microseconds given.
func clientOf(t *testing.T, micros ...int64) *trial.Measurement {
	t.Helper()
	h := hdrhistogram.New(1, histogramHighest, histogramDigits)
	sum := int64(0)
	for _, v := range micros {
		record(h, v*1000)
		sum += v * 1000
	}
	l, err := latency(h, sum, int64(len(micros)))
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(micros))
	return &trial.Measurement{
		Workload: "get", Threads: 4, Seconds: 2, Operations: n, Throughput: float64(n) / 2, Steady: true,
		Ops: map[string]trial.Latency{"read": l}, Service: map[string]trial.Latency{"read": l}, Errors: map[string]int64{"timeout": 1},
		Client: trial.ClientCost{CPUShare: 0.3, CPUMicrosPerOp: 10},
	}
}

func TestMergeAddsClientsUp(t *testing.T) {
	fast, slow := make([]int64, 99), make([]int64, 99)
	for i := range fast {
		fast[i], slow[i] = 100, 1000
	}
	a, b := clientOf(t, fast...), clientOf(t, slow...)
	b.Flags, b.Client.CPUShare = []string{flagErrors}, 0.9
	got, err := Merge([]*trial.Measurement{a, b})
	if err != nil {
		t.Fatal(err)
	}
	read := got.Ops["read"]
	if got.Threads != 8 || got.Operations != 198 || got.Throughput != 99 || got.Errors["timeout"] != 2 || got.Client.CPUShare != 0.9 {
		t.Errorf("%+v", got)
	}
	// The median of both is neither's own nor their mean, the p99 the slow one's.
	if read.Count != 198 || read.P50Micros != 100 || read.P99Micros != 1000 || math.Abs(read.MeanMicros-550) > 0.01 {
		t.Errorf("%+v", read)
	}
	if !slices.Equal(got.Flags, []string{flagErrors}) {
		t.Errorf("flags %v", got.Flags)
	}
	if _, err := Merge(nil); err == nil {
		t.Error("nothing was merged")
	}
	b.Workload = "put"
	if _, err := Merge([]*trial.Measurement{a, b}); err == nil {
		t.Error("measurements of two loads were merged")
	}
	a.Ops["read"] = trial.Latency{Histogram: "x"}
	if _, err := Merge([]*trial.Measurement{a}); err == nil {
		t.Error("a damaged histogram was merged")
	}
}
