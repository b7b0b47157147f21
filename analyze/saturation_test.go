package analyze

import (
	"slices"
	"strings"
	"testing"
)

// What the servers say of themselves ends up in the explanation.
func TestSaturationIsExplained(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.01, window: 0.005, effect: rising}
	m.explore(2)
	winner, _, _ := Candidate(m.sweep(), m.records, Options{})
	m.confirm(5, winner)
	for i := range m.records {
		busy := 30.0
		if n, _ := m.records[i].Variant.Settings.Get(handlers); n == "100" {
			busy = 60
		}
		m.records[i].Measurement.Server = map[string]float64{
			"metrics_seconds": 30, "active_handlers": busy, "general_queue_calls": 12, "gc_ms": 300, "cpu_seconds": 45, "compaction_queue": 0,
		}
	}
	got := mustAnalyze(t, m, Options{})
	for _, want := range []string{
		"with the baseline at its limit: handlers (30 of 30 busy), the call queue (12 calls waiting); not: CPU (1.50 cores used), garbage collection (1 % of the time), compaction (0 waiting)",
		"with the recommended settings at its limit: the call queue (12 calls waiting); not: handlers (60 of 100 busy), CPU (1.50 cores used), garbage collection (1 % of the time), compaction (0 waiting)",
	} {
		if !slices.Contains(got.Explanations, want) {
			t.Errorf("missing %q in\n%s", want, strings.Join(got.Explanations, "\n"))
		}
	}
	if x := got.Tradeoffs[0].Ratios[ServerCPUPerOp.String()]; x != 1 {
		t.Errorf("CPU per operation is not among the objectives: %+v", got.Tradeoffs[0])
	}
}
