package surface

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// censoredRounds is how often censored points are filled in anew: the values
// settle within a few rounds.
const censoredRounds = 4

// fitCensored fits a process where some points are only lower bounds. Each
// round gives such a point the value expected of it, by what all others say,
// given that it lies above its bound (the EM algorithm for a Tobit model, with
// the mean-field step taken point by point).
func fitCensored(points []Point, scatter Scatter, random *rand.Rand) (*mixture, bool) {
	used, of := thinned(points, random)
	g, ok := fitGP(used, scatter, random)
	if !ok {
		return nil, false
	}
	if slices.ContainsFunc(used, func(p Point) bool { return p.Censored }) {
		bounds := slices.Clone(used)
		for range censoredRounds {
			means, sds := g.leaveOut()
			filled := slices.Clone(bounds)
			for i, p := range bounds {
				if p.Censored {
					filled[i].Y = aboveBound(means[i], sds[i], p.Y)
				}
			}
			next := &GP{points: filled}
			if !next.standardise() {
				break
			}
			t := g.theta
			rescale := g.scale * g.scale / (next.scale * next.scale)
			t.signal, t.line, t.bend, t.cross, t.noise = t.signal*rescale, t.line*rescale, t.bend*rescale, t.cross*rescale, t.noise*rescale
			if !next.condition(t) {
				break
			}
			g = next
		}
	}
	m := g.spreadOut(scatter, random)
	if of != nil {
		for _, part := range append(m.parts, m.best) {
			part.extend(points, of)
		}
	}
	return m, true
}

// aboveBound is the mean of a normal variable that is known to be above a
// bound; it never lies below it.
func aboveBound(mean, sd, bound float64) float64 {
	if !(sd > 0) || math.IsNaN(mean) {
		return bound
	}
	z := (bound - mean) / sd
	tail := distuv.UnitNormal.Survival(z)
	if tail < 1e-9 {
		return bound
	}
	return math.Max(bound, mean+sd*distuv.UnitNormal.Prob(z)/tail)
}

// thinned takes mostPoints of very many points at random, keeping the first,
// which is the baseline by convention. of is nil where all are used.
func thinned(points []Point, random *rand.Rand) (used []Point, of []int) {
	if len(points) <= mostPoints {
		return points, nil
	}
	of = append([]int{0}, random.Perm(len(points) - 1)[:mostPoints-1]...)
	for i := 1; i < len(of); i++ {
		of[i]++
	}
	slices.Sort(of)
	for _, i := range of {
		used = append(used, points[i])
	}
	return used, of
}

// extend also predicts the points that the process has not seen.
func (g *GP) extend(points []Point, of []int) {
	own, _ := g.leaveOut()
	g.others = make([]float64, len(points))
	k := 0
	for i, p := range points {
		if k < len(of) && of[k] == i {
			g.others[i] = own[k]
			k++
			continue
		}
		g.others[i] = g.predict(p.X)
	}
}
