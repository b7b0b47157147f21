package analyze

import (
	"math"
	"testing"
)

// The law of two costs beside the free fit, which follows what the law can't.
func TestHitRateHasAFreeFit(t *testing.T) {
	random := source(3, 9)
	set := &Set{Imported: true, Factors: []Factor{{Name: factorHit, Load: true}}}
	for i := range 24 {
		h := 0.2 + 0.03*float64(i)
		x := 1e6 / (h*70 + (1-h)*400) * math.Exp(0.01*random.NormFloat64())
		s := Sample{ID: "r", Arm: "baseline", Workload: "get", Condition: "get", Hit: h, Metrics: noMetrics(), Offered: unknown}
		s.Metrics[Throughput], s.Metrics[Mean], s.Metrics[P99] = x, 16e6/x, 64e6/x
		set.Samples = append(set.Samples, s)
	}
	r, err := Options{Resamples: 60}.rules()
	if err != nil {
		t.Fatal(err)
	}
	c := set.hitCharts(r)[0]
	if math.Abs(*c.HitMicros-70) > 3 || math.Abs(*c.MissMicros-400) > 8 {
		t.Errorf("costs %v and %v, the truth is 70 and 400", *c.HitMicros, *c.MissMicros)
	}
	if len(c.Free) != 3 || c.Free[0].Response != "throughput" || c.Free[2].Response != "p99_us" {
		t.Fatalf("free fits %+v", c.Free)
	}
	for _, f := range c.Free {
		if f.Model == "flat" || *f.LOOError > 0.06 {
			t.Errorf("%s: %s misses by %v", f.Response, f.Model, *f.LOOError)
		}
	}
	middle := c.Free[0].Band[len(c.Free[0].Band)/2]
	if want := 1e6 / (middle[0]*70 + (1-middle[0])*400); math.Abs(middle[1]/want-1) > 0.05 {
		t.Errorf("at %v: %v, the truth is %v", middle[0], middle[1], want)
	}
}
