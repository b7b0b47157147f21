package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// grid is at how many x a band is drawn.
const grid = 41

// resampled is what the bootstrap found.
type resampled struct {
	band   [][4]float64
	peaks  []float64 // sorted optima
	knees  []float64 // sorted, of a concurrency curve
	params map[string][2]float64
	widen  float64 // for the degrees of freedom left
}

// bootstrap redraws the residuals, keeps every point in its block, and repeats
// the whole way from the blocks' levels to the choice of the family, by chance
// where several fit about as well. So the band holds what choosing costs. Residuals are inflated for the parameters
// fitted, and percentiles widened from the normal to Student's t for the few
// degrees of freedom that are left.
func (r rules) bootstrap(g series, f frame, adjusted, offsets []float64, best fitted, list []family, log bool) resampled {
	n := len(adjusted)
	freedom := n - best.free - (g.blocks - 1)
	if freedom < 1 {
		return resampled{}
	}
	inflate := math.Sqrt(float64(n) / float64(freedom))
	fit := make([]float64, n)
	residuals := make([]float64, n)
	mean := 0.0
	for i, y := range adjusted {
		fit[i] = math.Log(best.eval(f.xs[f.level[i]]))
		residuals[i] = (y - fit[i]) * inflate
		mean += residuals[i] / float64(n)
	}
	for i := range residuals {
		residuals[i] -= mean
	}
	xs := gridOf(f.xs[0], f.xs[len(f.xs)-1], log)
	draws := make([][]float64, len(xs))
	random := r.random("curve " + g.factor.Name + " " + g.workload)
	var out resampled
	params := map[string][]float64{}
	again := make([]float64, n)
	for range r.resamplesFor(n) {
		for i := range again {
			again[i] = fit[i] + offsets[f.block[i]] + residuals[random.IntN(n)]
		}
		levels := f.levels(again, f.offsets(again))
		ranked := choose(levels, list, g.blocks)
		if len(ranked) == 0 {
			continue
		}
		same := preferred(ranked, best.name)
		if same.name == best.name {
			own := same.params
			if best.name == "usl" {
				if m, ok := fitUSL(levels, false); ok {
					own = m.params
				}
			}
			for name, x := range own {
				params[name] = append(params[name], x)
			}
		}
		m := drawn(ranked, random)
		if best.name == "usl" {
			m = same
		}
		for k, x := range xs {
			if y := math.Log(m.eval(x)); !math.IsNaN(y) && !math.IsInf(y, 0) {
				draws[k] = append(draws[k], y)
			}
		}
		if x, ok := r.bestX(m.model, xs); ok {
			out.peaks = append(out.peaks, x)
		}
		if m.name == "usl" {
			out.knees = append(out.knees, uslKnee(m.params))
		}
	}
	slices.Sort(out.peaks)
	slices.Sort(out.knees)
	widen := quantileT(1-Alpha/2, freedom) / quantileNormal(1-Alpha/2)
	out.widen = widen
	out.params = map[string][2]float64{}
	for name, list := range params {
		if low, high, ok := widened(best.params[name], list, widen); ok {
			if best.name == "usl" {
				low = max(low, 0)
			}
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

// stretched moves one end of an interval away from the estimate.
func stretched(estimate, end, by float64, log bool) float64 {
	if math.IsInf(estimate, 0) || math.IsInf(end, 0) {
		return end
	}
	if log {
		return estimate * math.Pow(end/estimate, by)
	}
	return estimate + by*(end-estimate)
}

// drawn picks a family by its Akaike weight: where several do equally well, the
// band has to hold all of them.
func drawn(ranked []fitted, random *rand.Rand) fitted {
	total := 0.0
	for _, m := range ranked {
		total += math.Exp((ranked[0].aicc - m.aicc) / 2)
	}
	at := random.Float64() * total
	for _, m := range ranked {
		if at -= math.Exp((ranked[0].aicc - m.aicc) / 2); at <= 0 {
			return m
		}
	}
	return ranked[0]
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

// resamplesFor is how many resamples a series gets: with many points each costs
// more and is needed less.
func (r rules) resamplesFor(points int) int {
	return min(r.resamples, max(100, 1_000_000/points))
}

// gridOf spreads x over a range, evenly on the curve's own scale.
func gridOf(low, high float64, log bool) []float64 {
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
	value := func(x float64) float64 {
		if y := m.eval(x); r.objective.HigherIsBetter() {
			return y
		} else {
			return -y
		}
	}
	at := 0
	for i := range xs {
		if value(xs[i]) > value(xs[at]) {
			at = i
		}
	}
	if at == 0 || at == len(xs)-1 {
		return xs[at], true
	}
	return highest(value, xs[at-1], xs[at+1]), true
}

// highest narrows a bracket of a maximum down by golden sections.
func highest(f func(float64) float64, low, high float64) float64 {
	const golden = 0.6180339887498949
	a, b := high-golden*(high-low), low+golden*(high-low)
	fa, fb := f(a), f(b)
	for range 40 { // narrows to a part in 10⁸
		if fa >= fb {
			high, b, fb = b, a, fa
			a = high - golden*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + golden*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}

// optimum is where the curve is best, with the interval that the bootstrap
// gives.
func (r rules) optimum(m fitted, levels []level, b resampled, log bool) *Optimum {
	first, last := levels[0].x, levels[len(levels)-1].x
	x, ok := r.bestX(m.model, gridOf(first, last, log))
	if !ok {
		return nil
	}
	o := &Optimum{X: x, InsideRange: x > first && x < last}
	if math.IsInf(x, 0) {
		o.X = last // it never falls: the best lies beyond what was measured
	}
	if len(b.peaks) >= leastDraws {
		// Stretched on the curve's own scale, like every other interval; a peak
		// that some resamples never reach has no upper end.
		o.Low = known(stretched(x, quantile(b.peaks, Alpha/2), b.widen, log))
		o.High = known(stretched(x, quantile(b.peaks, 1-Alpha/2), b.widen, log))
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
