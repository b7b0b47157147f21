package surface

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// others is how many hyper-parameters there are beside the lengths.
const others = 5

// starts is from how many places the marginal likelihood is climbed: it has
// several peaks where points are few.
const starts = 4

// box bounds the logarithm of a hyper-parameter; searching inside is without
// bounds, through a logistic curve.
type box struct{ low, high float64 }

func (b box) at(z float64) (value, slope float64) {
	s := 1 / (1 + math.Exp(-z))
	return b.low + (b.high-b.low)*s, (b.high - b.low) * s * (1 - s)
}

func (b box) inverse(value float64) float64 {
	s := math.Min(0.99, math.Max(0.01, (value-b.low)/(b.high-b.low)))
	return math.Log(s / (1 - s))
}

// boxOf bounds the k-th hyper-parameter: lengths in units of the range, then
// the variances of the process, of lines, parabolas and products, and of the noise, in units of the response's.
func boxOf(k, lengths int) box {
	switch {
	case k < lengths:
		return box{math.Log(0.05), math.Log(20)}
	case k == lengths:
		return box{math.Log(1e-3), math.Log(1e2)}
	case k < lengths+3: // lines and parabolas
		return box{math.Log(0.1), math.Log(100)}
	case k < lengths+4: // products
		return box{math.Log(0.02), math.Log(10)}
	}
	return box{math.Log(1e-7), math.Log(10)}
}

func unpack(z []float64) (t hyper, slopes []float64) {
	d := len(z) - others
	values := make([]float64, len(z))
	slopes = make([]float64, len(z))
	for k := range z {
		values[k], slopes[k] = boxOf(k, d).at(z[k])
		values[k] = math.Exp(values[k])
	}
	return hyper{lengths: values[:d], signal: values[d], line: values[d+1], bend: values[d+2], cross: values[d+3], noise: values[d+4]}, slopes
}

// search maximises the marginal likelihood.
func (g *GP) search(scatter Scatter, random *rand.Rand) (hyper, bool) {
	d := len(g.points[0].X)
	noise := 0.05
	if scatter.Freedom > 0 && scatter.Squares > 0 {
		noise = scatter.Squares / scatter.Freedom
	}
	problem := optimize.Problem{
		Func: func(z []float64) float64 { return g.loss(z, scatter, nil) },
		Grad: func(grad, z []float64) { g.loss(z, scatter, grad) },
	}
	var best []float64
	bestLoss := math.Inf(1)
	for start := range starts {
		z := make([]float64, d+others)
		for j := range d {
			length := 0.5
			if start > 0 {
				length = math.Exp(math.Log(0.15) + random.Float64()*math.Log(5/0.15))
			}
			z[j] = boxOf(j, d).inverse(math.Log(length))
		}
		for k, variance := range [others]float64{0.3, 1, 1, 0.2, noise} {
			z[d+k] = boxOf(d+k, d).inverse(math.Log(variance))
			if start > 0 {
				z[d+k] += random.NormFloat64()
			}
		}
		settings := &optimize.Settings{MajorIterations: 60, GradientThreshold: 1e-4, Concurrent: 1}
		// A line search that finds no further step ends with an error, and still
		// has a point to show.
		result, _ := optimize.Minimize(problem, z, settings, &optimize.LBFGS{})
		if result != nil && result.F < bestLoss && !math.IsNaN(result.F) {
			best, bestLoss = result.X, result.F
		}
	}
	if best == nil {
		return hyper{}, false
	}
	t, _ := unpack(best)
	return t, true
}

// loss is the negative logarithm of the marginal likelihood with the constant
// integrated out, repeats of equal settings included; grad receives its slope.
func (g *GP) loss(z []float64, scatter Scatter, grad []float64) float64 {
	t, slopes := unpack(z)
	for k := range grad {
		grad[k] = 0
	}
	if !slices.Equal(z, g.at) { // the slope is asked for where the value just was
		g.at = append(g.at[:0], z...)
		g.sound = g.condition(t)
	}
	if !g.sound {
		return math.Inf(1)
	}
	loss := -g.Evidence + (scatter.Freedom*math.Log(t.noise)+scatter.Squares/t.noise)/2
	if grad == nil {
		return loss
	}
	n, d := len(g.points), len(t.lengths)
	var inverse mat.SymDense
	if g.chol.InverseTo(&inverse) != nil {
		return loss
	}
	for i := range n {
		for j := range i + 1 {
			w := inverse.At(i, j) - g.alpha[i]*g.alpha[j] - g.one[i]*g.one[j]/g.oneSum
			if i != j {
				w *= 2
			}
			lines, bends, crosses := trend(g.points[i].X, g.points[j].X)
			grad[d+1] += w / 2 * t.line * lines
			grad[d+2] += w / 2 * t.bend * bends
			grad[d+3] += w / 2 * t.cross * crosses
			r := distance(g.points[i].X, g.points[j].X, t.lengths)
			grad[d] += w / 2 * t.signal * matern(r)
			if i == j {
				grad[d+4] += w / 2 * t.noise / g.points[i].N
				continue
			}
			slope := w / 2 * t.signal * maternSlope(r)
			for k, l := range t.lengths {
				u := (g.points[i].X[k] - g.points[j].X[k]) / l
				grad[k] += slope * u * u
			}
		}
	}
	grad[d+4] += (scatter.Freedom - scatter.Squares/t.noise) / 2
	for k := range grad {
		grad[k] *= slopes[k]
	}
	return loss
}
