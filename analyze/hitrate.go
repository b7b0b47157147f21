package analyze

import (
	"fmt"
	"math"
	"slices"

	"hbtune/sweep/trial"
)

// leastHitSpan is the range of hit rates below which a slope over it would be
// drawn from noise.
const leastHitSpan = 0.05

// hitCharts draws throughput against the data-block hit rate that was measured,
// for every workload apart from its hit level.
func (s *Set) hitCharts(r rules) []HitChart {
	charts := map[string]*HitChart{}
	var order []string
	for i := range s.Samples {
		one := &s.Samples[i]
		if math.IsNaN(one.Hit) || !positive(one.Metrics[Throughput]) || one.Phase == trial.Calibrate {
			continue
		}
		c := charts[one.Workload]
		if c == nil {
			c = &HitChart{Workload: one.Workload}
			charts[one.Workload] = c
			order = append(order, one.Workload)
		}
		p := HitPoint{
			Trial: one.ID, Variant: one.Arm, Hit: one.Hit, Throughput: one.Metrics[Throughput], Target: one.Target,
		}
		if x := one.Metrics[Mean]; positive(x) {
			p.MeanMicros = x
		}
		if x := one.Metrics[P99]; positive(x) {
			p.P99Micros = x
		}
		c.Points = append(c.Points, p)
	}
	var out []HitChart
	for _, name := range order {
		r.twoCost(charts[name])
		r.freeHits(charts[name])
		out = append(out, *charts[name])
	}
	return out
}

// hitStep is how finely hit rates are told apart by the free fit: they are
// measured no better, and so very many points stay few levels.
const hitStep = 0.01

// freeHits fits what the data say by themselves, beside the law of two costs.
func (r rules) freeHits(c *HitChart) {
	if len(c.Points) == 0 || c.Note != "" {
		return
	}
	for _, m := range []Metric{Throughput, Mean, P99} {
		g := series{
			factor: Factor{Name: factorHit, Unit: "share"}, condition: c.Workload, workload: c.Workload + " " + m.String(), blocks: 1,
		}
		for _, p := range c.Points {
			y := map[Metric]float64{Throughput: p.Throughput, Mean: p.MeanMicros, P99: p.P99Micros}[m]
			if positive(y) {
				x := math.Round(p.Hit/hitStep) * hitStep
				g.list = append(g.list, observation{x: x, y: math.Log(y), source: unit{trials: []string{p.Trial}}})
			}
		}
		if len(levelsOf(g.list)) < 3 {
			continue
		}
		r.objective = m
		if curve := r.curve(g); curve.Model != "none" {
			c.Free = append(c.Free, HitFit{Response: m.String(), Model: curve.Model, LOOError: curve.LOOError, Band: curve.Band})
		}
	}
}

// twoCost fits 1/X = h·a + (1−h)·b: an operation whose block is in cache costs
// the system a, the others b. Both are at least 0, errors are relative.
func (r rules) twoCost(c *HitChart) {
	obs := make([]observation, len(c.Points))
	for i, p := range c.Points {
		obs[i] = observation{x: p.Hit, y: math.Log(p.Throughput)}
	}
	levels := levelsOf(obs)
	if len(levels) < 2 || levels[len(levels)-1].x-levels[0].x < leastHitSpan {
		c.Note = fmt.Sprintf("hit rates span less than %s: no curve over them", percent(leastHitSpan))
		return
	}
	fit := func(list []observation) (a, b float64, ok bool) {
		beta, ok := logLinear(levelsOf(list), 2, func(h float64, out []float64) {
			out[0], out[1] = h, 1-h
		}, func(l level) float64 { return -l.y }, true)
		if !ok {
			return 0, 0, false
		}
		return beta[0], beta[1], true
	}
	a, b, ok := fit(obs)
	if !ok {
		c.Note = "the two-cost model can't be fitted to these points"
		return
	}
	at := func(a, b, h float64) float64 { return -math.Log(h*a + (1-h)*b) }
	n := len(obs)
	sum := 0.0
	residuals := make([]float64, n)
	inflate := math.Sqrt(float64(n) / math.Max(1, float64(n-2)))
	for i, o := range obs {
		residuals[i] = (o.y - at(a, b, o.x)) * inflate
		sum += (o.y - at(a, b, o.x)) * (o.y - at(a, b, o.x))
	}
	c.HitMicros, c.MissMicros = known(1e6*a), known(1e6*b)
	if n < 4 {
		c.Note = "too few points for a band"
		return
	}
	c.Error = known(math.Sqrt(sum / float64(n-2)))
	xs := gridOf(levels[0].x, levels[len(levels)-1].x, false)
	draws := make([][]float64, len(xs))
	var as, bs []float64
	random := r.random("hit " + c.Workload)
	again := slices.Clone(obs)
	for range r.resamplesFor(n) {
		for i, o := range obs {
			again[i].y = at(a, b, o.x) + residuals[random.IntN(n)]
		}
		if a, b, ok := fit(again); ok {
			as, bs = append(as, 1e6*a), append(bs, 1e6*b)
			for k, x := range xs {
				draws[k] = append(draws[k], at(a, b, x))
			}
		}
	}
	widen := quantileT(1-Alpha/2, n-2) / quantileNormal(1-Alpha/2)
	if low, high, ok := widened(1e6*a, as, widen); ok {
		c.HitRange = &[2]float64{max(0, low), high}
	}
	if low, high, ok := widened(1e6*b, bs, widen); ok {
		c.MissRange = &[2]float64{max(0, low), high}
	}
	for k, x := range xs {
		y := at(a, b, x)
		if low, high, ok := widened(y, draws[k], widen); ok && !math.IsInf(y, 0) {
			c.Band = append(c.Band, [4]float64{x, math.Exp(y), math.Exp(low), math.Exp(high)})
		}
	}
}
