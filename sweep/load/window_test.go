package load

import (
	"math"
	"testing"
)

// stepping makes readings once a second over n seconds of a server that hits
// with h(t) in 1000 lookups a second and refreshes its counters every period.
func stepping(n, period int, h func(t int) float64) samples {
	var s samples
	var shown, now Reading
	for t := range n {
		if t%period == 0 {
			shown = now
			shown.Requests = int64(1000 * t)
		}
		s = append(s, sample{at: float64(t) + 0.01, Reading: shown})
		now.DataHits += int64(1000 * h(t))
		now.DataMisses += 1000 - int64(1000*h(t))
		now.Hits += int64(1000*h(t)) + 1000
		now.Misses += 1000 - int64(1000*h(t))
	}
	return s
}

func TestSpan(t *testing.T) {
	warming := func(t int) float64 {
		if t < 20 {
			return 0.1
		}
		return 0.6
	}
	for _, test := range []struct {
		name       string
		n, period  int
		from, to   float64
		begin, end float64 // 0: not known yet
	}{
		{"every second", 60, 1, 30, 40, 30, 40},
		{"ten seconds, long window", 60, 10, 20, 50, 20, 50},
		{"ten seconds, short window", 60, 10, 32, 37, 30, 40},
		{"ten seconds, window over two steps", 60, 10, 29, 42, 30, 40},
		{"ten seconds, no step yet after the window", 40, 10, 32, 37, 0, 0},
		{"no step at all", 40, 100, 20, 30, 0, 0},
	} {
		a, b, ok := stepping(test.n, test.period, warming).span(test.from, test.to, 1)
		if ok != (test.end > 0) {
			t.Errorf("%s: ok %v", test.name, ok)
			continue
		}
		if !ok {
			continue
		}
		if math.Round(a.at) != test.begin || math.Round(b.at) != test.end {
			t.Errorf("%s: span %.0f to %.0f, want %.0f to %.0f", test.name, a.at, b.at, test.begin, test.end)
		}
		if h := hitBetween(&a.Reading, &b.Reading); math.Abs(h.DataBlocks-0.6) > 0.001 || math.Abs(h.AllBlocks-0.8) > 0.001 {
			t.Errorf("%s: hit %+v", test.name, h)
		}
	}
}

func TestSpanOfALoadWithoutReads(t *testing.T) {
	s := stepping(60, 10, func(int) float64 { return 0 })
	for i := range s {
		s[i].DataMisses, s[i].Misses, s[i].Hits = 0, 0, 0
	}
	if _, _, ok := s.span(20, 50, 1); !ok {
		t.Error("requests step, but no span was found")
	}
}

func TestLookupSeriesMarksOnlyFreshReadings(t *testing.T) {
	lookups, misses := stepping(45, 10, func(t int) float64 { return float64(t/10) / 10 }).lookupSeries(45)
	for k := range 45 {
		wantLookups, wantMisses := int64(0), int64(0)
		if k%10 == 0 && k >= 20 {
			wantLookups, wantMisses = 10_000, 10_000-int64(k-10)*100
		}
		if lookups[k] != wantLookups || misses[k] != wantMisses {
			t.Errorf("second %d: %d lookups, %d misses, want %d, %d", k, lookups[k], misses[k], wantLookups, wantMisses)
		}
	}
}

func TestGrowingDebt(t *testing.T) {
	queue := func(length func(t int) float64) samples {
		var s samples
		for t := range 30 {
			s = append(s, sample{at: float64(t), Reading: Reading{QueueLength: length(t)}})
		}
		return s
	}
	for name, test := range map[string]struct {
		length func(t int) float64
		want   bool
	}{
		"empty":          {func(int) float64 { return 0 }, false},
		"long but level": {func(t int) float64 { return 5 + float64(t%2) }, false},
		"grows":          {func(t int) float64 { return float64(t) / 10 }, true},
		"shrinks":        {func(t int) float64 { return 5 - float64(t)/10 }, false},
	} {
		if got := queue(test.length).growingDebt(0, 30); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLittlesLaw(t *testing.T) {
	if !littlesLaw(16, 16_000, 0.001, 0.01, 20) || !littlesLaw(16, 16_000, 0.00099, 0.01, 20) {
		t.Error("a sound closed loop is refused")
	}
	if littlesLaw(16, 16_000, 0.0009, 0.01, 20) {
		t.Error("a tenth of the time is lost unnoticed")
	}
	if !littlesLaw(16, 16_000, 0.00095, 1, 20) {
		t.Error("a pause at the window's end is taken for lost time")
	}
}
