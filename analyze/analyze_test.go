package analyze

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// rising is a cluster in which handlers help and the cache does nothing.
func rising(name string, x float64) float64 {
	if name == handlers {
		return 0.15 * math.Log(x/30)
	}
	return 0
}

func mustAnalyze(t testing.TB, m *simulation, o Options) *Result {
	t.Helper()
	got, err := Analyze(m.sweep(), m.records, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestConfirmedGain(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.01, window: 0.005, blocks: 0.05, effect: rising}
	m.explore(2)
	winner, reason, ok := Candidate(m.sweep(), m.records, Options{})
	if !ok || winner.Settings.String() != handlers+"=100" {
		t.Fatalf("candidate %v %q %v", winner, reason, ok)
	}
	m.confirm(5, winner)
	got := mustAnalyze(t, m, Options{})
	if got.Verdict != Improves || !got.Effect.Confirmed || !got.Settings.Equal(winner.Settings) {
		t.Fatalf("verdict %s, effect %+v, %s", got.Verdict, got.Effect, got.Summary)
	}
	if want := math.Exp(rising(handlers, 100)); *got.Effect.Low > want || *got.Effect.High < want {
		t.Errorf("interval %v–%v misses the true ratio %v", *got.Effect.Low, *got.Effect.High, want)
	}
	if len(got.Effect.Trials) != 20 {
		t.Errorf("effect rests on %d trials, want 20", len(got.Effect.Trials))
	}
}

func TestExplorationAloneNeverImproves(t *testing.T) {
	m := &simulation{seed: 3, noise: 0.005, effect: rising}
	m.explore(6)
	got := mustAnalyze(t, m, Options{})
	if got.Verdict != InsufficientData || got.Unconfirmed == nil || got.Unconfirmed.Variant != "h100" {
		t.Fatalf("verdict %s, unconfirmed %+v, %s", got.Verdict, got.Unconfirmed, got.Summary)
	}
}

func TestNothingToGain(t *testing.T) {
	m := &simulation{seed: 11, noise: 0.01, window: 0.01}
	m.explore(3)
	m.confirm(4, handlerVariant("60"))
	got := mustAnalyze(t, m, Options{})
	if got.Verdict != NoDetectableGain || got.Settings.Len() != 0 {
		t.Fatalf("verdict %s: %s", got.Verdict, got.Summary)
	}
}

func TestConstraintKeepsWinnerOut(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.005, effect: rising}
	m.explore(2)
	for i := range m.records {
		if m.records[i].Variant.ID == "h100" {
			op := m.records[i].Measurement.Ops["read"]
			op.P99Micros = 90000
			m.records[i].Measurement.Ops["read"] = op
		}
	}
	winner, reason, ok := Candidate(m.sweep(), m.records, Options{Constraints: []string{"p99_us<=50000"}})
	if !ok || winner.Settings.String() != handlers+"=60" {
		t.Fatalf("candidate %v %q %v", winner, reason, ok)
	}
}

func TestFaultsAreShownNotUsed(t *testing.T) {
	m := &simulation{seed: 5, noise: 0.01}
	m.explore(2)
	r := &m.records[3]
	r.Measurement = nil
	r.Fault = &trial.Fault{Code: trial.FaultStart, Message: "heap"}
	m.records[5].Measurement.Throughput = math.NaN()
	got := mustAnalyze(t, m, Options{})
	if len(got.Excluded) != 2 || !strings.HasPrefix(got.Excluded[0].Reason, trial.FaultStart) {
		t.Fatalf("excluded %+v", got.Excluded)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	m := &simulation{seed: 5, noise: 0.02, window: 0.01, effect: rising}
	m.explore(2)
	m.confirm(4, handlerVariant("100"))
	a, err := json.Marshal(mustAnalyze(t, m, Options{Seed: 9}))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(mustAnalyze(t, m, Options{Seed: 9}))
	if !bytes.Equal(a, b) {
		t.Error("two runs differ")
	}
	if bytes.Contains(a, []byte("null,null,null,null")) {
		t.Error("band of nothing")
	}
}

func TestPoorData(t *testing.T) {
	m := &simulation{seed: 5, noise: 0.02}
	m.explore(1)
	all := m.records
	for _, test := range []struct {
		name string
		n    int
	}{{"nothing", 0}, {"one trial", 1}, {"one session", 2}, {"two sessions", 4}, {"one block", len(all)}} {
		m.records = all[:test.n]
		got := mustAnalyze(t, m, Options{})
		if got.Verdict == Improves {
			t.Errorf("%s: verdict %s", test.name, got.Verdict)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		Candidate(m.sweep(), m.records, Options{})
	}
}

// A latency improves by falling.
func TestLatencyObjective(t *testing.T) {
	m := &simulation{seed: 8, noise: 0.01, effect: rising}
	m.explore(2)
	o := Options{Objective: "p99_us"}
	winner, reason, ok := Candidate(m.sweep(), m.records, o)
	if !ok || winner.Settings.String() != handlers+"=100" {
		t.Fatalf("candidate %v %q %v", winner, reason, ok)
	}
	m.confirm(4, winner)
	got := mustAnalyze(t, m, o)
	if got.Verdict != Improves || got.Effect.Ratio > 0.9 {
		t.Errorf("verdict %s, ratio %v", got.Verdict, got.Effect.Ratio)
	}
	if c := curveOf(t, got, handlers, overall); c.Optimum == nil || c.Optimum.X != 100 {
		t.Errorf("optimum %+v", c.Optimum)
	}
}

func TestConfirmedButOutOfBounds(t *testing.T) {
	m := &simulation{seed: 8, noise: 0.005, effect: rising}
	m.explore(2)
	m.confirm(4, handlerVariant("100"))
	for i := range m.records {
		if r := &m.records[i]; r.Phase == trial.Confirm && r.Variant.ID == "h100" {
			op := r.Measurement.Ops["read"]
			op.P99Micros = 90000
			r.Measurement.Ops["read"] = op
		}
	}
	got := mustAnalyze(t, m, Options{Constraints: []string{"p99_us<=50000"}})
	if got.Verdict != NoDetectableGain || got.Settings.Len() != 0 || !strings.Contains(got.Summary, "does not keep p99_us<=50000") {
		t.Errorf("%s: %s", got.Verdict, got.Summary)
	}
}

func TestFeasibleIsAsked(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.005, effect: rising}
	m.explore(2)
	asked := 0
	_, reason, ok := Candidate(m.sweep(), m.records, Options{Feasible: func(s hbaseconf.Settings) error {
		if asked++; s.Len() < 2 {
			t.Errorf("asked about %s: not a whole configuration", s)
		}
		return errors.New("no")
	}})
	if ok || asked == 0 {
		t.Errorf("%q, asked %d times", reason, asked)
	}
}

func TestTooFewPairs(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.001, effect: rising}
	m.explore(2)
	m.confirm(3, handlerVariant("100"))
	got := mustAnalyze(t, m, Options{})
	if got.Verdict != InsufficientData || got.Effect.Confirmed {
		t.Errorf("%s: %s", got.Verdict, got.Summary)
	}
}

func TestAllFailed(t *testing.T) {
	m := &simulation{seed: 7}
	m.explore(1)
	for i := range m.records {
		m.records[i].Measurement, m.records[i].Fault = nil, &trial.Fault{Code: trial.FaultStart, Message: "x"}
	}
	got := mustAnalyze(t, m, Options{})
	if got.Verdict != InsufficientData || len(got.Excluded) != len(m.records) || len(got.Curves) != 0 {
		t.Errorf("%s: %s", got.Verdict, got.Summary)
	}
}

func TestMeasuredAgainCountsOnce(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.01}
	m.explore(2)
	again := m.records[2]
	m.records = append(m.records, again)
	got := mustAnalyze(t, m, Options{})
	if got.Samples != len(m.records)-1 || len(got.Excluded) != 1 {
		t.Errorf("%d samples, excluded %+v", got.Samples, got.Excluded)
	}
}

func TestJoinAddsBlocks(t *testing.T) {
	a := &simulation{seed: 1, noise: 0.01, effect: rising}
	a.explore(2)
	b := &simulation{seed: 2, noise: 0.01, effect: rising}
	b.explore(2)
	set, err := Join([]string{"a", "b"}, []*Set{FromSweep(a.sweep(), a.records), FromSweep(b.sweep(), b.records)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Analyze(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Comparisons {
		if c.N != 4 {
			t.Errorf("%s in %s: %d restarts, want 4", c.Variant, c.Workload, c.N)
		}
	}
	other := a.sweep()
	other.Baseline = hbaseconf.FromMap(map[string]string{handlers: "60", cache: "0.4"})
	if _, err := Join([]string{"a", "b"}, []*Set{FromSweep(a.sweep(), nil), FromSweep(other, nil)}); err == nil {
		t.Error("different baselines were joined")
	}
}

func TestOptionsNameEveryFault(t *testing.T) {
	_, err := Analyze(trial.Sweep{}, nil, Options{Objective: "fun", Constraints: []string{"p99_us=3", "x<=1"}, Equivalence: 2})
	for _, want := range []string{`objective "fun"`, `"p99_us=3"`, `"x<=1"`, "equivalence 2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
