package analyze

import (
	"fmt"
	"math"
	"slices"
)

// grid is at how many x a band is drawn.
const grid = 41

// resampled is what the bootstrap found.
type resampled struct {
	band   [][4]float64
	peaks  []float64 // sorted optima
	params map[string][2]float64
}

// bootstrap redraws the residuals, keeps every point in its block, and repeats
// the whole way from the blocks' levels to the choice of the family. So the
// band holds what choosing costs. Residuals are inflated for the parameters
// fitted, and percentiles widened from the normal to Student's t for the few
// degrees of freedom that are left.
func (r rules) bootstrap(g series, adjusted []observation, offsets []float64, best fitted, list []family, log bool) resampled {
	n := len(adjusted)
	freedom := n - best.free - (g.blocks - 1)
	if freedom < 1 {
		return resampled{}
	}
	inflate := math.Sqrt(float64(n) / float64(freedom))
	fit := make([]float64, n)
	residuals := make([]float64, n)
	mean := 0.0
	for i, o := range adjusted {
		fit[i] = math.Log(best.eval(o.x))
		residuals[i] = (o.y - fit[i]) * inflate
		mean += residuals[i] / float64(n)
	}
	for i := range residuals {
		residuals[i] -= mean
	}
	xs := gridOf(adjusted, log)
	draws := make([][]float64, len(xs))
	random := r.random("curve " + g.factor.Name + " " + g.workload)
	var out resampled
	again := slices.Clone(adjusted)
	params := map[string][]float64{}
	for range r.resamples {
		for i := range again {
			again[i].y = fit[i] + offsets[again[i].block] + residuals[random.IntN(n)]
		}
		redone, _ := adjust(again, g.blocks)
		levels := levelsOf(redone)
		ranked := choose(levels, list, g.blocks)
		if len(ranked) == 0 {
			continue
		}
		m := ranked[0]
		if best.name == "usl" {
			m = preferred(ranked, "usl")
		}
		for name, x := range preferred(ranked, best.name).params {
			if preferred(ranked, best.name).name == best.name {
				params[name] = append(params[name], x)
			}
		}
		for k, x := range xs {
			if y := math.Log(m.eval(x)); !math.IsNaN(y) && !math.IsInf(y, 0) {
				draws[k] = append(draws[k], y)
			}
		}
		if x, ok := r.bestX(m.model, xs); ok {
			out.peaks = append(out.peaks, x)
		}
	}
	slices.Sort(out.peaks)
	widen := quantileT(1-Alpha/2, freedom) / quantileNormal(1-Alpha/2)
	out.params = map[string][2]float64{}
	for name, list := range params {
		if low, high, ok := widened(best.params[name], list, widen); ok {
			out.params[name] = [2]float64{low, high}
		}
	}
	for k, x := range xs {
		y := math.Log(best.eval(x))
		low, high, ok := widened(y, draws[k], widen)
		if !ok {
			continue
		}
		row := [4]float64{x, math.Exp(y), math.Exp(low), math.Exp(high)}
		if slices.ContainsFunc(row[:], func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			continue
		}
		out.band = append(out.band, row)
	}
	return out
}

// widened is the percentile interval of the draws, stretched around the
// estimate. It always holds the estimate itself.
func widened(estimate float64, draws []float64, by float64) (low, high float64, ok bool) {
	if len(draws) < leastDraws {
		return 0, 0, false
	}
	slices.Sort(draws)
	low = estimate - by*math.Max(0, estimate-quantile(draws, Alpha/2))
	high = estimate + by*math.Max(0, quantile(draws, 1-Alpha/2)-estimate)
	return low, high, !math.IsNaN(low+high) && !math.IsInf(low, 0) && !math.IsInf(high, 0)
}

// leastDraws is how few resamples may stand behind an interval.
const leastDraws = 20

// gridOf spreads x over the measured range, evenly on the curve's own scale.
func gridOf(list []observation, log bool) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, o := range list {
		low, high = math.Min(low, o.x), math.Max(high, o.x)
	}
	xs := make([]float64, grid)
	for i := range xs {
		u := scaled(low, log) + (scaled(high, log)-scaled(low, log))*float64(i)/(grid-1)
		xs[i] = u
		if log {
			xs[i] = math.Exp(u)
		}
	}
	xs[0], xs[grid-1] = low, high
	return xs
}

// bestX is where a model is best over a grid; a flat curve has no such place.
// USL knows its peak, wherever it lies.
func (r rules) bestX(m model, xs []float64) (float64, bool) {
	if m.name == "flat" {
		return 0, false
	}
	if m.name == "usl" {
		return uslPeak(m.params), true
	}
	at, best := 0.0, math.Inf(-1)
	for _, x := range xs {
		y := m.eval(x)
		if !r.objective.HigherIsBetter() {
			y = -y
		}
		if y > best {
			at, best = x, y
		}
	}
	return at, !math.IsInf(best, -1)
}

// optimum is where the curve is best, with the interval that the bootstrap
// gives.
func (r rules) optimum(m fitted, levels []level, b resampled, log bool) *Optimum {
	first, last := levels[0].x, levels[len(levels)-1].x
	fine := make([]float64, 0, 10*grid)
	for i := range 10*grid + 1 {
		u := scaled(first, log) + (scaled(last, log)-scaled(first, log))*float64(i)/(10*grid)
		if log {
			u = math.Exp(u)
		}
		fine = append(fine, u)
	}
	fine[0], fine[len(fine)-1] = first, last
	x, ok := r.bestX(m.model, fine)
	if !ok {
		return nil
	}
	o := &Optimum{X: x, InsideRange: x > first && x < last}
	if math.IsInf(x, 0) {
		o.X = last // it never falls: the best lies beyond what was measured
	}
	if len(b.peaks) >= leastDraws {
		o.Low = known(quantile(b.peaks, Alpha/2))
		o.High = known(quantile(b.peaks, 1-Alpha/2))
	}
	return o
}

// note says in words what a curve's numbers leave open.
func (r rules) note(c *Curve, levels []level) string {
	first, last := levels[0].x, levels[len(levels)-1].x
	switch {
	case c.Model == "flat":
		widest := 0.0
		for _, row := range c.Band {
			widest = math.Max(widest, math.Max(row[3]/row[1], row[1]/row[2])-1)
		}
		if widest == 0 {
			return "no effect beyond noise"
		}
		return fmt.Sprintf("no effect beyond noise: any effect is within ±%s", percent(widest))
	case c.Model == "usl" && !c.Optimum.InsideRange && c.Params["kappa"] <= 0:
		return fmt.Sprintf("no peak inside %s–%s: throughput still rises at %s", short(first), short(last), short(last))
	case c.Model == "usl" && !c.Optimum.InsideRange:
		return fmt.Sprintf("no peak inside %s–%s: the fit puts it at about %s, outside the measured range",
			short(first), short(last), short(c.Optimum.X))
	case c.Optimum != nil && !c.Optimum.InsideRange:
		return fmt.Sprintf("best at %s, an end of the measured range: the optimum may lie beyond it", short(c.Optimum.X))
	}
	return ""
}
