package load

import (
	"math"
	"math/rand/v2"
	"testing"
)

// climb is a server after its restart: throughput from 6,000 to 12,500 with the
// time constant tau in seconds, and relative noise that lasts a little.
func climb(rng *rand.Rand, n int, tau, noise float64) []Window {
	series := make([]Window, n)
	e := 0.0
	for i := range series {
		e = 0.5*e + noise*math.Sqrt(1-0.25)*rng.NormFloat64()
		level := 12500 - 6500*math.Exp(-float64(i)/tau)
		series[i] = Window{Throughput: level * (1 + e), Lookups: 1000, Misses: 700 + int64(5*rng.NormFloat64())}
	}
	return series
}

// firstSteady is the number of windows after which a load would have gone on.
func firstSteady(c Criterion, series []Window) (n int, ok bool) {
	for n = 1; n <= len(series); n++ {
		if _, ok := c.Steady(series[:n]); ok {
			return n, true
		}
	}
	return len(series), false
}

func TestSteadyWaitsForTheClimbToEnd(t *testing.T) {
	for _, tau := range []float64{5, 12} {
		for _, noise := range []float64{0.005, 0.02, 0.05} {
			wrong, waited, never := 0, 0, 0
			const runs = 200
			for run := range runs {
				rng := rand.New(rand.NewPCG(uint64(run), 9))
				series := climb(rng, 120, tau, noise)
				n, ok := firstSteady(fresh(), series)
				if !ok {
					never++
					continue
				}
				waited += n
				// What a window of 15 s after the cut would have measured, noise apart.
				sum := 0.0
				for i := n; i < n+15; i++ {
					sum += 12500 - 6500*math.Exp(-float64(i)/tau)
				}
				if sum/15 < 0.95*12500 {
					wrong++
				}
			}
			t.Logf("tau %2.0f s, noise %.1f %%: wrong %d, never %d of %d, mean wait %.0f s", tau, 100*noise, wrong, never, runs, float64(waited)/float64(max(runs-never, 1)))
			if wrong > runs/10 {
				t.Errorf("tau %v noise %v: %d of %d windows off by more than 5 %%", tau, noise, wrong, runs)
			}
			if never > runs/50 {
				t.Errorf("tau %v noise %v: %d of %d not steady in 120 s", tau, noise, never, runs)
			}
		}
	}
}

// hit sets a hit rate over a thousand lookups.
func (w *Window) hit(rate float64) { w.Lookups, w.Misses = 1000, 1000-int64(1000*rate) }

// flat is n seconds of a steady load with a little noise.
func flat(n int) []Window {
	rng := rand.New(rand.NewPCG(4, 4))
	series := make([]Window, n)
	for i := range series {
		series[i] = Window{Throughput: 10_000 * (1 + 0.01*rng.NormFloat64())}
		series[i].hit(0.5 + 0.002*rng.NormFloat64())
	}
	return series
}

func TestSteady(t *testing.T) {
	change := func(series []Window, f func(i int, w *Window)) []Window {
		for i := range series {
			f(i, &series[i])
		}
		return series
	}
	turnover := fresh()
	turnover.Turnover = 20_000
	for _, test := range []struct {
		name      string
		criterion Criterion
		series    []Window
		cut       int // −1: any
		ok        bool
	}{
		{"nothing yet", fresh(), nil, 0, false},
		{"too short", fresh(), flat(fresh().Tail - 1), 0, false},
		{"flat", fresh(), flat(30), -1, true},
		{"idle", fresh(), make([]Window, 30), -1, false},
		{"a step is cut off", fresh(), change(flat(60), func(i int, w *Window) {
			if i < 20 {
				w.Throughput /= 2
			}
		}), 20, true},
		{"one stalled second", fresh(), change(flat(60), func(i int, w *Window) {
			if i == 50 {
				w.Throughput = 100
			}
		}), -1, true},
		{"throughput flat, hit rate climbs", fresh(), change(flat(30), func(i int, w *Window) { w.hit(float64(i) / 30) }), -1, false},
		{"hit rate has climbed", fresh(), change(flat(60), func(i int, w *Window) { w.hit(min(0.7, float64(i)/30)) }), -1, true},
		{"hit rate known every ten seconds, twice", fresh(), change(flat(40), func(i int, w *Window) {
			if i%10 != 0 {
				w.Lookups = 0
			}
		}), -1, true},
		{"hit rate known once", fresh(), change(flat(30), func(i int, w *Window) {
			if i != 15 {
				w.Lookups = 0
			}
		}), -1, false},
		{"hit rate never known", fresh(), change(flat(30), func(_ int, w *Window) { w.Lookups = 0 }), -1, true},
		{"cache not turned over", turnover, flat(30), -1, false},
		{"cache turned over", turnover, flat(55), -1, true},
		{"all in cache", turnover, change(flat(30), func(_ int, w *Window) { w.hit(0.999) }), -1, true},
		{"a second with a lookup or two", turnover, change(flat(30), func(i int, w *Window) {
			if i == 29 {
				w.Lookups, w.Misses = 2, 0
			}
		}), -1, false},
	} {
		cut, ok := test.criterion.Steady(test.series)
		if ok != test.ok || test.cut >= 0 && cut != test.cut {
			t.Errorf("%s: cut %d, steady %v", test.name, cut, ok)
		}
	}
}

func TestTruncationFindsTheStep(t *testing.T) {
	series := []float64{1, 1, 1, 10, 9, 11, 10, 9, 10, 11, 10}
	if d := truncation(series, 8); d != 3 {
		t.Errorf("cut at %d", d)
	}
	if d := truncation(series, 2); d > 2 {
		t.Errorf("cut at %d, allowed 2", d)
	}
}
