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
		series[i] = Window{Throughput: level * (1 + e), Hit: 0.3 + 0.005*rng.NormFloat64()}
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
				n, ok := firstSteady(fresh, series)
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
