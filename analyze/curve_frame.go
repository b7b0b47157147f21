package analyze

import (
	"math"
	"slices"
)

// frame is where the points of a series stand: which level of x and which block
// each belongs to. It stays the same while y is redrawn.
type frame struct {
	xs     []float64 // distinct, in order
	level  []int
	block  []int
	blocks int
}

func newFrame(list []observation, blocks int) frame {
	f := frame{blocks: blocks, level: make([]int, len(list)), block: make([]int, len(list))}
	for _, o := range list {
		f.xs = append(f.xs, o.x)
	}
	slices.Sort(f.xs)
	f.xs = slices.Compact(f.xs)
	for i, o := range list {
		f.level[i], _ = slices.BinarySearch(f.xs, o.x)
		f.block[i] = o.block
	}
	return f
}

// offsets are the blocks' own levels by the additive model y = level + block,
// reached by fitting the two in turn; over all points they sum to 0.
func (f frame) offsets(y []float64) []float64 {
	offsets := make([]float64, f.blocks)
	if f.blocks < 2 {
		return offsets
	}
	sums, counts := make([]float64, len(f.xs)), make([]float64, len(f.xs))
	next, n := make([]float64, f.blocks), make([]float64, f.blocks)
	for i := range y {
		counts[f.level[i]]++
		n[f.block[i]]++
	}
	for range 200 {
		clear(sums)
		clear(next)
		for i, v := range y {
			sums[f.level[i]] += v - offsets[f.block[i]]
		}
		for i, v := range y {
			next[f.block[i]] += v - sums[f.level[i]]/counts[f.level[i]]
		}
		mean, moved := 0.0, 0.0
		for k := range next {
			mean += next[k] / float64(len(y))
			next[k] /= n[k]
		}
		for k := range next {
			next[k] -= mean
			moved = max(moved, math.Abs(next[k]-offsets[k]))
			offsets[k] = next[k]
		}
		if moved < 1e-9 {
			break
		}
	}
	return offsets
}

// levels sums the points up, block offsets taken out.
func (f frame) levels(y, offsets []float64) []level {
	levels := make([]level, len(f.xs))
	for i, x := range f.xs {
		levels[i].x = x
	}
	for i, v := range y {
		levels[f.level[i]].add(v - offsets[f.block[i]])
	}
	return levels
}

// add takes one point in; Welford's update keeps the scatter exact for large y.
func (l *level) add(y float64) {
	l.n++
	d := y - l.y
	l.y += d / l.n
	l.scatter += d * (y - l.y)
}

// remove takes one point out again.
func (l *level) remove(y float64) {
	if l.n--; l.n < 0.5 {
		*l = level{x: l.x}
		return
	}
	d := y - l.y
	l.y -= d / l.n
	l.scatter = math.Max(0, l.scatter-d*(y-l.y))
}

// folds is how many parts a large series is cut into for leave-one-out.
const folds = 40

// leaveOneOut is the relative error with which a family predicts what it was
// not fitted to; y has the block offsets taken out. Small series leave out one
// point at a time, large ones a fortieth.
func (f frame) leaveOneOut(y []float64, list []family, name string) (float64, bool) {
	n := len(y)
	parts := min(n, folds)
	whole := f.levels(y, make([]float64, f.blocks))
	sum, count := 0.0, 0
	for part := range parts {
		rest := slices.Clone(whole)
		for i := part; i < n; i += parts {
			rest[f.level[i]].remove(y[i])
		}
		rest = slices.DeleteFunc(rest, func(l level) bool { return l.n == 0 })
		m, ok := refit(rest, list, name)
		if !ok {
			return 0, false
		}
		for i := part; i < n; i += parts {
			d := y[i] - math.Log(m.eval(f.xs[f.level[i]]))
			if math.IsNaN(d) || math.IsInf(d, 0) {
				return 0, false
			}
			sum += d * d
			count++
		}
	}
	return math.Sqrt(sum / float64(count)), true
}

// refit fits the family of that name.
func refit(levels []level, list []family, name string) (model, bool) {
	for _, f := range list {
		if f.name != name {
			continue
		}
		return f.fit(levels)
	}
	return model{}, false
}
