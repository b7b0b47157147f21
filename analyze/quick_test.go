package analyze

import (
	"math"
	"math/rand/v2"
	"testing"

	"hbtune/sweep/trial"
)

// A quick plan holds other levels in every block, so that an arm is measured
// once and only the sentinels tie the blocks together.
func quickPlan(m *simulation) {
	m.random = source(m.seed, 9)
	for b, variants := range [][]trial.Variant{
		{handlerVariant("60"), cacheVariant("0.6", "0.2")},
		{handlerVariant("10"), cacheVariant("0.2", "0.6")},
	} {
		shift := 0.2 * float64(b)
		m.session(trial.Explore, b+1, shift, baselineVariant())
		for _, v := range variants {
			m.session(trial.Explore, b+1, shift, v)
		}
		m.session(trial.Explore, b+1, shift, baselineVariant())
	}
}

func TestQuickPlan(t *testing.T) {
	m := &simulation{seed: 2, noise: 0.01, effect: rising}
	quickPlan(m)
	got := mustAnalyze(t, m, Options{})
	for _, c := range got.Comparisons {
		if c.Workload == overall && c.Variant == "h10" && math.Abs(c.Ratio-math.Exp(rising(handlers, 10))) > 0.03 {
			t.Errorf("h10: ratio %v although blocks differ by 20 %%", c.Ratio)
		}
	}
	t.Log(got.Summary)
	winner, reason, ok := Candidate(m.sweep(), m.records, Options{})
	if !ok || winner.Factor != handlers {
		t.Fatalf("%v %q", winner, reason)
	}
	t.Log(reason)
	m.confirm(4, winner)
	got = mustAnalyze(t, m, Options{})
	if got.Verdict != Improves {
		t.Errorf("%s: %s", got.Verdict, got.Summary)
	}
	t.Log(got.Summary, got.Noise.Statement, got.Explanations)
}

// Drift within a block is taken out along the line between its sentinels.
func TestDriftIsInterpolated(t *testing.T) {
	m := &simulation{seed: 4, noise: 0.001, drift: 0.02}
	m.explore(2)
	got := mustAnalyze(t, m, Options{})
	if len(got.Drift) != 4 || !got.Drift[0].Removed || math.Abs(got.Drift[0].Ratio-math.Exp(0.02*6)) > 0.01 {
		t.Fatalf("drift %+v", got.Drift)
	}
	for _, c := range got.Comparisons {
		if math.Abs(c.Ratio-1) > 0.01 {
			t.Errorf("%s in %s: %v, but only time moved it", c.Variant, c.Workload, c.Ratio)
		}
	}
	found := false
	for _, f := range got.Audit {
		found = found || f.Code == AuditDrift && f.Trial != ""
	}
	if !found {
		t.Error("the audit does not name the drift")
	}
}

// The exact tests against values worked out by hand or printed in tables.
func TestExactTests(t *testing.T) {
	s := rankSum([]float64{5, 6, 7, 8}, []float64{1, 2, 3, 4})
	if math.Abs(s.p-2.0/70) > 1e-12 || s.estimate != 4 || s.low != 1 || s.high != 7 {
		t.Errorf("separated: %+v", s)
	}
	if s := rankSum([]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}); s.p != 1 || s.estimate != 0 {
		t.Errorf("ties: %+v", s)
	}
	if s := rankSum([]float64{1, 2, 3}, []float64{4, 5, 6}); !math.IsNaN(s.low) || s.p != 0.1 {
		t.Errorf("three a side reach no level: %+v", s)
	}
	w := signedRank([]float64{1, 2, 3, 4, 5, 6, 7, 8})
	if math.Abs(w.p-2.0/256) > 1e-12 || w.estimate != 4.5 {
		t.Errorf("signed rank: %+v", w)
	}
	if w := signedRank([]float64{-1, 1, -2, 2, -3, 3}); w.p != 1 || w.estimate != 0 {
		t.Errorf("symmetric: %+v", w)
	}
	h := holm([]float64{0.01, math.NaN(), 0.04, 0.03})
	if h[0] != 0.03 || !math.IsNaN(h[1]) || h[2] != 0.06 || h[3] != 0.06 {
		t.Errorf("holm %v", h)
	}
}

// With many per arm the approximations carry on where the counting stops.
func TestLargeArmsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, shift float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = random.NormFloat64() + shift
		}
		return out
	}
	a, b := draw(25, 0.4), draw(25, 0)
	exact := rankSum(a, b)
	many := rankSum(append(a, draw(1, 0.4)...), b)
	if math.Abs(exact.p-many.p) > 0.03 || math.Abs(exact.low-many.low) > 0.1 {
		t.Errorf("exact %+v, approximate %+v", exact, many)
	}
}
