package surface

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Sizes of a forest. Trees come in bags: the trees of a bag share one half of
// the points, so that bags differ as data sets would (the "bootstrap of little
// bags"), and their scatter is the uncertainty of the fit.
const (
	bags        = 40
	treesPerBag = 6
	leastLeaf   = 2
	mostPerTree = 400 // points a tree sees; more would only take longer
	leastForest = 8   // points from which a forest is grown at all
)

// forest is an ensemble of regression trees.
type forest struct {
	bags [bags][treesPerBag]tree
	left []float64
}

// tree keeps its nodes in one slice; a leaf has factor −1.
type tree []node

type node struct {
	factor       int
	cut, value   float64
	lower, upper int
}

func newForest(points []Point, random *rand.Rand) (*forest, bool) {
	if len(points) < leastForest {
		return nil, false
	}
	f := &forest{left: make([]float64, len(points))}
	seen := make([]int, len(points))
	for b := range f.bags {
		half := random.Perm(len(points))[:max(leastForest/2, len(points)/2)]
		if len(half) > mostPerTree {
			half = half[:mostPerTree]
		}
		in := map[int]bool{}
		for _, i := range half {
			in[i] = true
		}
		for k := range f.bags[b] {
			sample := make([]int, len(half))
			for i := range sample {
				sample[i] = half[random.IntN(len(half))]
			}
			f.bags[b][k].grow(points, sample, random)
		}
		for i, p := range points {
			if !in[i] {
				f.left[i] += f.bag(b, p.X)
				seen[i]++
			}
		}
	}
	for i := range f.left {
		if seen[i] == 0 {
			return nil, false
		}
		f.left[i] /= float64(seen[i])
	}
	return f, true
}

// grow splits the points that it is given, and returns the place of its root.
func (t *tree) grow(points []Point, in []int, random *rand.Rand) int {
	sum, n := 0.0, 0.0
	for _, i := range in {
		sum, n = sum+points[i].N*points[i].Y, n+points[i].N
	}
	at := len(*t)
	*t = append(*t, node{factor: -1, value: sum / n})
	if len(in) < 2*leastLeaf {
		return at
	}
	factor, cut, ok := bestCut(points, in, random)
	if !ok {
		return at
	}
	split := 0
	for k, i := range in {
		if points[i].X[factor] < cut {
			in[k], in[split] = in[split], in[k]
			split++
		}
	}
	lower := t.grow(points, in[:split], random)
	upper := t.grow(points, in[split:], random)
	(*t)[at] = node{factor: factor, cut: cut, lower: lower, upper: upper}
	return at
}

// bestCut tries two thirds of the factors.
func bestCut(points []Point, in []int, random *rand.Rand) (factor int, cut float64, ok bool) {
	d := len(points[0].X)
	best := 0.0
	for _, j := range random.Perm(d)[:(2*d+2)/3] {
		slices.SortFunc(in, func(a, b int) int {
			return cmp.Or(cmp.Compare(points[a].X[j], points[b].X[j]), cmp.Compare(a, b))
		})
		sum, n := 0.0, 0.0
		for _, i := range in {
			sum, n = sum+points[i].N*points[i].Y, n+points[i].N
		}
		low, lowN := 0.0, 0.0
		for k, i := range in[:len(in)-1] {
			low, lowN = low+points[i].N*points[i].Y, lowN+points[i].N
			next := points[in[k+1]].X[j]
			if k+1 < leastLeaf || len(in)-k-1 < leastLeaf || next == points[i].X[j] {
				continue
			}
			high, highN := sum-low, n-lowN
			if gain := low*low/lowN + high*high/highN - sum*sum/n; gain > best*(1+1e-12)+1e-15 {
				best, factor, cut, ok = gain, j, (next+points[i].X[j])/2, true
			}
		}
	}
	return factor, cut, ok
}

func (t tree) at(x []float64) float64 {
	i := 0
	for t[i].factor >= 0 {
		if x[t[i].factor] < t[i].cut {
			i = t[i].lower
		} else {
			i = t[i].upper
		}
	}
	return t[i].value
}

func (f *forest) bag(b int, x []float64) float64 {
	sum := 0.0
	for _, t := range f.bags[b] {
		sum += t.at(x)
	}
	return sum / treesPerBag
}

// Name implements Model.
func (f *forest) Name() string { return "random-forest" }

// Contrast implements Model.
func (f *forest) Contrast(xs [][]float64, w []float64) (value, sd float64) {
	var each [bags]float64
	for b := range each {
		for i, x := range xs {
			each[b] += w[i] * f.bag(b, x)
		}
		value += each[b] / bags
	}
	squares := 0.0
	for _, v := range each {
		squares += (v - value) * (v - value)
	}
	return value, math.Sqrt(squares / (bags - 1))
}

// Draw implements Model: every bag is one function that the data allow.
func (f *forest) Draw(xs [][]float64, n int, random *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for k := range out {
		b := random.IntN(bags)
		out[k] = make([]float64, len(xs))
		for i, x := range xs {
			out[k][i] = f.bag(b, x)
		}
	}
	return out
}

// LeaveOut implements Model: a point is predicted by the bags without it.
func (f *forest) LeaveOut() []float64 { return f.left }
