package surface

import (
	"math"
	"math/rand/v2"
)

// mixture is a Gaussian process whose hyper-parameters are not taken as known:
// with few points several lengths explain the data about equally well, and an
// interval by the best of them alone is too narrow. The parts are draws from
// what the data leave open, each with the same weight.
type mixture struct {
	best  *GP // at the peak of the marginal likelihood
	parts []*GP
}

// Steps of the walk through the hyper-parameters: every sweep moves each once.
const (
	sweepsBefore  = 20 // that find their step size
	sweepsPerPart = 3
	partsKept     = 16
	manyPoints    = 60 // which leave so little open that a quarter of the parts will do
)

// spreadOut walks from the peak of the marginal likelihood (Metropolis, one
// hyper-parameter at a time), under a flat prior for the logarithms within
// their bounds.
func (g *GP) spreadOut(scatter Scatter, random *rand.Rand) *mixture {
	d := len(g.points[0].X)
	scatter.Squares /= g.scale * g.scale
	z := make([]float64, d+others)
	values := append(append([]float64{}, g.theta.lengths...), g.theta.signal, g.theta.line, g.theta.bend, g.theta.cross, g.theta.noise)
	step := make([]float64, len(z))
	for k := range z {
		z[k] = boxOf(k, d).inverse(math.Log(values[k]))
		step[k] = 1
	}
	walker := &GP{points: g.points, centre: g.centre, scale: g.scale}
	height := func(z []float64) float64 {
		sum := -walker.loss(z, scatter, nil)
		for k := range z { // flat in the logarithm, not in z
			_, slope := boxOf(k, d).at(z[k])
			sum += math.Log(slope)
		}
		return sum
	}
	kept := partsKept
	if len(g.points) > manyPoints {
		kept = partsKept / 4
	}
	m := &mixture{best: g}
	now := height(z)
	for sweep := range sweepsBefore + kept*sweepsPerPart {
		for k := range z {
			was := z[k]
			z[k] += step[k] * random.NormFloat64()
			next := height(z)
			taken := next-now > math.Log(1-random.Float64())
			if taken {
				now = next
			} else {
				z[k] = was
			}
			if sweep < sweepsBefore {
				if taken {
					step[k] = min(step[k]*1.4, 4)
				} else {
					step[k] *= 0.8
				}
			}
		}
		if sweep >= sweepsBefore && (sweep-sweepsBefore)%sweepsPerPart == 0 {
			t, _ := unpack(z)
			part := &GP{points: g.points, centre: g.centre, scale: g.scale}
			if part.condition(t) {
				m.parts = append(m.parts, part)
			}
		}
	}
	if len(m.parts) == 0 {
		m.parts = []*GP{g}
	}
	return m
}

// Name implements Model.
func (m *mixture) Name() string { return "gaussian-process" }

// Contrast implements Model.
func (m *mixture) Contrast(xs [][]float64, w []float64) (value, sd float64) {
	n := float64(len(m.parts))
	sum, squares, within := 0.0, 0.0, 0.0
	for _, g := range m.parts {
		v, s := g.Contrast(xs, w)
		sum, squares, within = sum+v, squares+v*v, within+s*s
	}
	value = sum / n
	return value, math.Sqrt(within/n + math.Max(0, squares/n-value*value))
}

// Draw implements Model.
func (m *mixture) Draw(xs [][]float64, n int, random *rand.Rand) [][]float64 {
	var out [][]float64
	for k, g := range m.parts {
		share := (n*(k+1))/len(m.parts) - (n*k)/len(m.parts)
		out = append(out, g.Draw(xs, share, random)...)
	}
	return out
}

// LeaveOut implements Model.
func (m *mixture) LeaveOut() []float64 {
	out := make([]float64, len(m.best.LeaveOut()))
	for _, g := range m.parts {
		for i, y := range g.LeaveOut() {
			out[i] += y / float64(len(m.parts))
		}
	}
	return out
}
