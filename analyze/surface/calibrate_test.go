package surface

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// law is a random surface of the kind that a server shows: some factors have a
// peak, some saturate, one does nothing, and two work together.
type law struct {
	slope, bend, peak, rise []float64
	cross                   float64
}

func newLaw(d int, random *rand.Rand) law {
	l := law{cross: 0.15 * random.NormFloat64()}
	for j := range d {
		size := 0.3
		if j == d-1 {
			size = 0 // the last factor does nothing
		}
		saturates := 0.0
		if random.IntN(2) == 0 {
			saturates = 1
		}
		l.slope = append(l.slope, size*random.NormFloat64()/2)
		l.bend = append(l.bend, (1-saturates)*size*random.ExpFloat64())
		l.rise = append(l.rise, saturates*size*random.ExpFloat64())
		l.peak = append(l.peak, random.Float64())
	}
	return l
}

func (l law) at(x []float64) float64 {
	y := l.cross * (x[0] - 0.5) * (x[1] - 0.5)
	for j, u := range x {
		y += l.slope[j]*u - l.bend[j]*(u-l.peak[j])*(u-l.peak[j]) + l.rise[j]*(1-math.Exp(-4*u))
	}
	return y
}

// onLevels moves a setting to one of five levels of each factor, the ends of the
// range among them, as a plan does.
func onLevels(x []float64) []float64 {
	out := make([]float64, len(x))
	for j, u := range x {
		out[j] = math.Round(4*u) / 4
	}
	return out
}

// TestCalibrateSurface: intervals of differences, main effects and interactions
// hold the truth. A quick run catches blunders, HBTUNE_CALIBRATE=1 measures.
func TestCalibrateSurface(t *testing.T) {
	full := os.Getenv("HBTUNE_CALIBRATE") != ""
	sets := 6
	shapes := []struct{ points, factors, repeats int }{{16, 2, 2}, {24, 3, 2}, {40, 4, 1}, {40, 4, 3}}
	if full {
		sets = 100
	} else {
		shapes = shapes[:1]
	}
	for _, shape := range shapes {
		type tally struct{ held, seen int }
		z := Quantile(shape.points, shape.factors, 0.05)
		var difference, effect, interaction, share tally
		count := func(in *tally, mean, sd, truth float64) {
			in.seen++
			if math.Abs(mean-truth) <= z*sd {
				in.held++
			}
		}
		for seed := range sets {
			random := source(uint64(seed), 11)
			l := newLaw(shape.factors, random)
			points, scatter := observe(func(x []float64) float64 { return l.at(onLevels(x)) }, shape.points, shape.factors, shape.repeats, 0.02, random)
			for i := range points {
				points[i].X = onLevels(points[i].X)
			}
			m := Fit(points, scatter, random)[0].Model
			if m.Name() == "constant" {
				continue
			}
			middle := make([]float64, shape.factors)
			ends := make([][]float64, shape.factors)
			for j := range middle {
				middle[j], ends[j] = 0.5, []float64{0, 1}
			}
			for range 5 {
				x := make([]float64, shape.factors)
				for j := range x {
					x[j] = random.Float64()
				}
				mean, sd := Difference(m, x, middle)
				count(&difference, mean, sd, l.at(x)-l.at(middle))
			}
			base := spread(shape.factors, averaged)
			for _, e := range MainEffects(m, middle, ends) {
				for k, x := range e.X {
					truth := 0.0
					for _, row := range base {
						truth += (l.at(with(row, e.Factor, x)) - l.at(with(row, e.Factor, 0.5))) / averaged
					}
					count(&effect, e.Mean[k], e.SD[k], truth)
				}
			}
			truths := Shares(exact{l}, shape.factors, 0.05, random)
			for j, s := range Shares(m, shape.factors, 0.05, random) {
				share.seen++
				if s.TotalLow <= truths[j].Total && truths[j].Total <= s.TotalHigh {
					share.held++
				}
			}
			for _, i := range Interactions(m, shape.factors) {
				truth := 0.0
				if i.A == 0 && i.B == 1 {
					truth = l.cross
				}
				count(&interaction, i.Mean, i.SD, truth)
			}
		}
		for _, one := range []struct {
			name string
			tally
		}{{"difference of two settings", difference}, {"main effect", effect}, {"interaction", interaction}, {"share of variance", share}} {
			name := fmt.Sprintf("surface, %d points × %d, %d factors: %s", shape.points, shape.repeats, shape.factors, one.name)
			held := float64(one.held) / float64(one.seen)
			low, high := 0.92, 0.997
			if !full {
				low, high = 0.75, 1
			}
			t.Logf("%-66s %5.1f %%  of %4d  (allowed %g–%g %%)", name, 100*held, one.seen, 100*low, 100*high)
			if held < low || held > high {
				t.Errorf("%s: %.1f %% of %d, allowed %g–%g %%", name, 100*held, one.seen, 100*low, 100*high)
			}
		}
	}
}

// exact is the law itself as a model, for what is computed of one.
type exact struct{ law }

func (exact) Name() string { return "exact" }

func (e exact) Contrast(xs [][]float64, w []float64) (value, sd float64) {
	for i, x := range xs {
		value += w[i] * e.at(x)
	}
	return value, 0
}

func (e exact) Draw(xs [][]float64, n int, _ *rand.Rand) [][]float64 {
	f := make([]float64, len(xs))
	for i, x := range xs {
		f[i] = e.at(x)
	}
	out := make([][]float64, n)
	for k := range out {
		out[k] = f
	}
	return out
}

func (exact) LeaveOut() []float64 { return nil }
