package analyze

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/interp"
)

// model is a fitted curve: y as a function of x.
type model struct {
	name   string
	params map[string]float64
	free   int // fitted parameters
	eval   func(x float64) float64
}

// family fits one kind of curve, or says that it can't be told from the data.
type family struct {
	name string
	fit  func([]level) (model, bool)
}

// families lists the kinds of curve that a factor may follow. log says whether
// x is taken by its logarithm, for which it has to be positive.
func families(levels []level, log, concurrency bool) []family {
	if concurrency {
		return []family{{"usl", uslModel}, {"power", powerModel}}
	}
	list := []family{{"flat", flatModel}}
	if len(levels) >= 2 {
		list = append(list, polynomial(1, log))
	}
	if len(levels) >= 3 {
		list = append(list, polynomial(2, log))
		if log {
			list = append(list, family{"power", powerModel})
		}
	}
	if len(levels) >= 4 && levels[0].x > 0 {
		list = append(list, family{"saturating", saturatingModel})
	}
	if len(levels) >= 6 {
		list = append(list, family{"spline", monotoneModel(log)})
	}
	return list
}

// flatModel says that the factor does nothing.
func flatModel(levels []level) (model, bool) {
	sum, n := 0.0, 0.0
	for _, l := range levels {
		sum, n = sum+l.n*l.y, n+l.n
	}
	if n == 0 {
		return model{}, false
	}
	y := math.Exp(sum / n)
	return model{name: "flat", free: 1, params: map[string]float64{"a": y}, eval: func(float64) float64 { return y }}, true
}

// polynomial is y = a + b·u (+ c·u²), where u is ln x or x.
func polynomial(degree int, log bool) family {
	name := []string{"", "linear", "quadratic"}[degree]
	if log {
		name += "-log"
	}
	return family{name, func(levels []level) (model, bool) {
		if len(levels) < degree+1 {
			return model{}, false
		}
		// Centred and scaled, so that the fit is well conditioned for bytes too.
		first, last := scaled(levels[0].x, log), scaled(levels[len(levels)-1].x, log)
		centre, half := (first+last)/2, (last-first)/2
		if !(half > 0) {
			return model{}, false
		}
		row := func(x float64, out []float64) {
			u := (scaled(x, log) - centre) / half
			out[0] = 1
			for d := 1; d <= degree; d++ {
				out[d] = out[d-1] * u
			}
		}
		beta, ok := logLinear(levels, degree+1, row, func(l level) float64 { return l.y }, false)
		if !ok {
			return model{}, false
		}
		m := model{name: name, free: degree + 1, params: map[string]float64{}}
		m.eval = func(x float64) float64 {
			var out [3]float64
			row(x, out[:degree+1])
			y := 0.0
			for d, b := range beta {
				y += b * out[d]
			}
			return y
		}
		b, c := beta[1]/half, 0.0
		if degree == 2 {
			c = beta[2] / (half * half)
			m.params["c"] = c
		}
		m.params["a"] = beta[0] - b*centre + c*centre*centre
		m.params["b"] = b - 2*c*centre
		return m, true
	}}
}

func scaled(x float64, log bool) float64 {
	if log {
		return math.Log(x)
	}
	return x
}

// powerModel is y = a·x^b.
func powerModel(levels []level) (model, bool) {
	var n, su, sy, suu, suy float64
	for _, l := range levels {
		if l.x <= 0 {
			return model{}, false
		}
		u := math.Log(l.x)
		n, su, sy, suu, suy = n+l.n, su+l.n*u, sy+l.n*l.y, suu+l.n*u*u, suy+l.n*u*l.y
	}
	d := n*suu - su*su
	if len(levels) < 2 || !(d > 0) {
		return model{}, false
	}
	b := (n*suy - su*sy) / d
	a := math.Exp((sy - b*su) / n)
	return model{
		name: "power", free: 2, params: map[string]float64{"a": a, "b": b},
		eval: func(x float64) float64 { return a * math.Pow(x, b) },
	}, true
}

// saturatingModel is y = a + c·x/(x+k): it rises or falls and levels off, half
// of the way at x = k. Given k it is linear; k is searched where the data can
// tell, between half the smallest and twice the largest x.
func saturatingModel(levels []level) (model, bool) {
	fit := func(logK float64) (model, float64, bool) {
		k := math.Exp(logK)
		beta, ok := logLinear(levels, 2, func(x float64, out []float64) {
			out[0], out[1] = 1, x/(x+k)
		}, func(l level) float64 { return l.y }, false)
		if !ok {
			return model{}, 0, false
		}
		a, c := beta[0], beta[1]
		m := model{
			name: "saturating", free: 3, params: map[string]float64{"a": a, "c": c, "k": k},
			eval: func(x float64) float64 { return a + c*x/(x+k) },
		}
		return m, m.loss(levels), true
	}
	low, high := math.Log(levels[0].x/2), math.Log(2*levels[len(levels)-1].x)
	const steps = 12
	var best model
	bestAt, bestLoss := 0.0, math.Inf(1)
	for i := range steps + 1 {
		at := low + (high-low)*float64(i)/steps
		if m, loss, ok := fit(at); ok && loss < bestLoss {
			best, bestAt, bestLoss = m, at, loss
		}
	}
	if math.IsInf(bestLoss, 1) {
		return model{}, false
	}
	for step := (high - low) / steps / 2; step > 0.01; step /= 2 {
		for _, at := range []float64{bestAt - step, bestAt + step} {
			if at < low || at > high {
				continue
			}
			if m, loss, ok := fit(at); ok && loss < bestLoss {
				best, bestAt, bestLoss = m, at, loss
			}
		}
	}
	return best, true
}

// monotoneModel draws a smooth curve that only rises or only falls through the
// isotonic regression of the levels; its freedom is the number of steps left.
func monotoneModel(log bool) func([]level) (model, bool) {
	return func(levels []level) (model, bool) {
		if len(levels) < 3 {
			return model{}, false
		}
		var best model
		bestLoss := math.Inf(1)
		for _, sign := range []float64{1, -1} {
			ys, steps := isotonic(levels, sign)
			xs := make([]float64, len(levels))
			for i, l := range levels {
				xs[i] = scaled(l.x, log)
			}
			var curve interp.FritschButland
			if curve.Fit(xs, ys) != nil {
				continue
			}
			m := model{
				name: "spline", free: steps, params: map[string]float64{"steps": float64(steps)},
				eval: func(x float64) float64 { return math.Exp(curve.Predict(scaled(x, log))) },
			}
			if loss := m.loss(levels); loss < bestLoss {
				best, bestLoss = m, loss
			}
		}
		return best, !math.IsInf(bestLoss, 1)
	}
}

// isotonic pools adjacent violators; sign −1 fits a falling curve.
func isotonic(levels []level, sign float64) (ys []float64, steps int) {
	type pool struct {
		y, n  float64
		count int
	}
	var pools []pool
	for _, l := range levels {
		pools = append(pools, pool{sign * l.y, l.n, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].y >= pools[k].y; k-- {
			a, b := pools[k-1], pools[k]
			pools[k-1] = pool{(a.y*a.n + b.y*b.n) / (a.n + b.n), a.n + b.n, a.count + b.count}
			pools = pools[:k]
		}
	}
	for _, p := range pools {
		for range p.count {
			ys = append(ys, sign*p.y)
		}
	}
	return ys, len(pools)
}

// loss is the squared error of log y at the levels; a model that is not
// positive somewhere it was measured loses outright.
func (m model) loss(levels []level) float64 {
	sum := 0.0
	for _, l := range levels {
		d := math.Log(m.eval(l.x)) - l.y
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return math.Inf(1)
		}
		sum += l.n * d * d
	}
	return sum
}

// precision is the relative error below which differences of fits mean nothing:
// no benchmark repeats better than a thousandth.
const precision = 1e-3

// fitted is a model with how well it did.
type fitted struct {
	model
	aicc float64
}

// choose fits every family and orders them by AICc. blocks is how many levels
// of blocks were taken out before. Families with too few points to be judged
// are left out, so three points never bend a curve.
func choose(levels []level, list []family, blocks int) []fitted {
	points, scatter := 0.0, 0.0
	for _, l := range levels {
		points += l.n
		scatter += l.scatter
	}
	var out []fitted
	for _, f := range list {
		m, ok := f.fit(levels)
		if !ok {
			continue
		}
		k := float64(m.free + 1 + blocks - 1)
		loss := m.loss(levels) + scatter
		if points-k-1 < 1 || math.IsInf(loss, 1) {
			continue
		}
		loss = math.Max(loss, points*precision*precision)
		out = append(out, fitted{m, points*math.Log(loss/points) + 2*k + 2*k*(k+1)/(points-k-1)})
	}
	slices.SortStableFunc(out, func(a, b fitted) int { return cmp.Compare(a.aicc, b.aicc) })
	return out
}
