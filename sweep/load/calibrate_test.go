package load

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCalibrateReachesEveryLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		begin := time.Now()
		cached := 0.0
		for _, target := range []float64{0.3, 0.9, 0.5, 0.97} {
			w := smallWorkload(0.5)
			w.HitTarget = target
			got, err := Calibrate(t.Context(), m, m, w, 1, cached, nil)
			if err != nil {
				t.Fatalf("%v: %v", target, err)
			}
			if math.Abs(got.Achieved-target) > hitTolerance {
				t.Errorf("%v: %+v", target, got)
			}
			if want := 800 / target; math.Abs(float64(got.WorkingSet)-want) > 0.1*want {
				t.Errorf("%v: working set %d, want about %.0f", target, got.WorkingSet, want)
			}
			cached = got.CachedRows
		}
		if took := time.Since(begin); took > 90*time.Second {
			t.Errorf("four levels took %v", took)
		}
	})
}

func TestCalibrateOutOfReach(t *testing.T) {
	for _, test := range []struct {
		name   string
		cache  int
		target float64
		want   string
	}{
		{"all fits", 2000, 0.5, "all 4000 rows fit into the block cache; load at least 16"},
		{"nearly all fits", 800, 0.3, "load at least 11"},
		{"cache off", 0, 0.5, "no block cache"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := filled(t)
				m.cacheSize = test.cache
				w := smallWorkload(1)
				w.HitTarget = test.target
				_, err := Calibrate(t.Context(), m, m, w, 1, 0, nil)
				if !errors.As(err, new(*HitOutOfReachError)) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

// A cache may obey another law than the one that the search assumes.
func TestSearchConvergesOnAnyFallingCurve(t *testing.T) {
	curves := map[string]func(w float64) float64{
		"steep":     func(w float64) float64 { return 1 / (1 + math.Pow(w/20_000, 6)) },
		"shallow":   func(w float64) float64 { return math.Min(1, math.Pow(5000/w, 0.4)) },
		"cliff":     func(w float64) float64 { return math.Max(0, math.Min(1, 2-w/30_000)) },
		"linear":    func(w float64) float64 { return math.Max(0, 1-w/500_000) },
		"as it was": func(w float64) float64 { return math.Min(1, 50_000/w) },
	}
	for name, curve := range curves {
		for _, target := range []float64{0.2, 0.3, 0.5, 0.9, 0.95} {
			s := newSearch(target, 1_000_000, 1000+cellOverhead)
			s.capacity, s.cached = 100_000, 100_000
			for finished := false; !finished && len(s.probes) < maxProbes; {
				w := s.next()
				var err error
				if finished, err = s.learn(Probe{WorkingSet: w, Hit: curve(float64(w)), Steady: true}); err != nil {
					t.Fatalf("%s %v: %v", name, target, err)
				}
			}
			if _, err := s.result(); err != nil {
				t.Errorf("%s %v: %v, probes %+v", name, target, err, s.probes)
			}
		}
	}
}
