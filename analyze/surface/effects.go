package surface

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Effect is one factor's main effect: how far f lies above its value at the
// reference, along the factor, averaged over all other factors.
type Effect struct {
	Factor   int
	X        []float64
	Mean, SD []float64
}

// Interaction says how much more two factors do together than each on its own,
// between the ends of their ranges: f(1,1) − f(1,0) − f(0,1) + f(0,0), averaged
// over all other factors.
type Interaction struct {
	A, B     int
	Mean, SD float64
}

// Share is a factor's share of the variance of f over the whole range.
type Share struct {
	// Alone is what its main effect explains (Sobol's first index), Total what
	// would be left if all others were known, interactions included.
	Alone, Total        float64
	TotalLow, TotalHigh float64
}

const (
	averaged = 16 // settings of the other factors that an average runs over
	shareAt  = 48 // base settings behind the shares of variance
	drawn    = 200
)

// MainEffects gives every factor's main effect at the values asked for, against
// the factor's own place in the reference.
func MainEffects(m Model, reference []float64, at [][]float64) []Effect {
	base := spread(len(reference), averaged)
	var out []Effect
	for j, values := range at {
		e := Effect{Factor: j, X: values}
		for _, x := range values {
			var xs [][]float64
			var w []float64
			for _, row := range base {
				xs = append(xs, with(row, j, x), with(row, j, reference[j]))
				w = append(w, 1.0/averaged, -1.0/averaged)
			}
			mean, sd := 0.0, 0.0
			if x != reference[j] {
				mean, sd = m.Contrast(xs, w)
			}
			e.Mean, e.SD = append(e.Mean, mean), append(e.SD, sd)
		}
		out = append(out, e)
	}
	return out
}

// Interactions gives every pair's.
func Interactions(m Model, factors int) []Interaction {
	base := spread(factors, averaged)
	var out []Interaction
	for a := range factors {
		for b := a + 1; b < factors; b++ {
			var xs [][]float64
			var w []float64
			for _, row := range base {
				for _, corner := range [][3]float64{{1, 1, 1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}} {
					xs = append(xs, with(with(row, a, corner[0]), b, corner[1]))
					w = append(w, corner[2]/averaged)
				}
			}
			mean, sd := m.Contrast(xs, w)
			out = append(out, Interaction{A: a, B: b, Mean: mean, SD: sd})
		}
	}
	return out
}

// Shares gives every factor's share of variance, with an interval from draws of
// the function (Saltelli's design, Jansen's estimators).
func Shares(m Model, factors int, alpha float64, random *rand.Rand) []Share {
	rows := spread(2*factors, shareAt)
	var xs [][]float64
	for _, row := range rows {
		xs = append(xs, row[:factors])
	}
	for _, row := range rows {
		xs = append(xs, row[factors:])
	}
	for j := range factors {
		for _, row := range rows {
			xs = append(xs, with(row[:factors], j, row[factors+j]))
		}
	}
	draws := m.Draw(xs, drawn, random)
	if len(draws) == 0 {
		return make([]Share, factors)
	}
	mean := make([]float64, len(xs))
	for _, f := range draws {
		for i := range f {
			mean[i] += f[i] / float64(len(draws))
		}
	}
	alone, total := make([][]float64, factors), make([][]float64, factors)
	unsure := make([]float64, factors) // what the draws differ by, as a share
	for _, f := range draws {
		a, b := f[:shareAt], f[shareAt:2*shareAt]
		variance := scatter(f[:2*shareAt])
		if !(variance > 0) {
			continue
		}
		for j := range factors {
			c := f[(2+j)*shareAt : (3+j)*shareAt]
			rest, whole := 0.0, 0.0
			for i := range c {
				d := a[i] - mean[i] - c[i] + mean[(2+j)*shareAt+i]
				unsure[j] += d * d / shareAt / 2 / variance / float64(len(draws))
				rest += (b[i] - c[i]) * (b[i] - c[i])
				whole += (a[i] - c[i]) * (a[i] - c[i])
			}
			alone[j] = append(alone[j], clamp(1-rest/shareAt/2/variance))
			total[j] = append(total[j], clamp(whole/shareAt/2/variance))
		}
	}
	out := make([]Share, factors)
	for j := range out {
		if len(total[j]) == 0 {
			continue
		}
		out[j].Alone, out[j].Total = average(alone[j]), average(total[j])
		slices.Sort(total[j])
		at := func(p float64) float64 { return total[j][int(math.Round(p*float64(len(total[j])-1)))] }
		// A draw of what does nothing still varies, and so does the mean of draws:
		// each by what the data leave open. The lower end has to reach 0 there.
		out[j].TotalLow, out[j].TotalHigh = math.Max(0, at(alpha/2)-2*unsure[j]), at(1-alpha/2)
	}
	return out
}

func clamp(x float64) float64 { return math.Min(1, math.Max(0, x)) }

func average(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

func scatter(list []float64) float64 {
	mean, sum := average(list), 0.0
	for _, x := range list {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(list))
}

// with is the row with one coordinate replaced.
func with(row []float64, j int, x float64) []float64 {
	out := slices.Clone(row)
	out[j] = x
	return out
}

// spread gives n rows that fill the unit cube evenly: Halton's sequence, its
// coordinates turned by the golden ratio's multiples so that none begins at 0.
func spread(d, n int) [][]float64 {
	primes := []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71}
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, d)
		for j := range d {
			_, turn := math.Modf(0.6180339887 * float64(j+1))
			_, out[i][j] = math.Modf(radical(i+1, primes[j%len(primes)]) + turn + float64(j/len(primes))*0.37)
		}
	}
	return out
}

// radical mirrors the digits of n at the point.
func radical(n, base int) float64 {
	x, scale := 0.0, 1.0/float64(base)
	for ; n > 0; n /= base {
		x += float64(n%base) * scale
		scale /= float64(base)
	}
	return x
}
