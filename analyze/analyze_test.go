package analyze

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

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
