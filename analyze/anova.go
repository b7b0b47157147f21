package analyze

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// effects is the least-squares fit of y = block + arm + error: the analysis of
// randomized blocks, complete or not.
type effects struct {
	arms   []string       // in order of first appearance, without the baseline
	index  map[string]int // arm → place in arms
	mean   []float64      // log ratio to the baseline
	factor []float64      // variance of mean in units of the error variance
	n      []int
	baseN  int
	sigma  float64 // NaN without a degree of freedom
	freed  int     // degrees of freedom
	block  map[int]float64
}

// fitBlocks estimates every arm's log ratio to the baseline within blocks.
// Arms in blocks that nothing connects with the baseline get NaN. spent are
// degrees of freedom already used up on the data.
func fitBlocks(list []unit, baseline string, spent int) effects {
	e := effects{index: map[string]int{}, block: map[int]float64{}, sigma: unknown}
	blocks := map[int]int{}
	for _, u := range list {
		if _, ok := blocks[u.block]; !ok {
			blocks[u.block] = len(blocks)
		}
		if u.arm == baseline {
			e.baseN++
			continue
		}
		if _, ok := e.index[u.arm]; !ok {
			e.index[u.arm] = len(e.arms)
			e.arms = append(e.arms, u.arm)
			e.n = append(e.n, 0)
		}
		e.n[e.index[u.arm]]++
	}
	a, b := len(e.arms), len(blocks)
	e.mean, e.factor = make([]float64, a), make([]float64, a)
	for i := range e.mean {
		e.mean[i], e.factor[i] = unknown, unknown
	}
	if e.baseN == 0 || a == 0 && e.baseN < 2 {
		return e
	}
	reached := connected(list, baseline)
	// Arms are the last column group: 0 is the baseline, i+1 is arm i.
	arm := func(u unit) int {
		if u.arm == baseline {
			return 0
		}
		return e.index[u.arm] + 1
	}
	used, live := 0, map[int]bool{}
	for _, u := range list {
		if reached[u.block] {
			used++
			if i := arm(u); i > 0 {
				live[i] = true
			}
		}
	}
	if len(live) > maxDense {
		e.iterate(list, reached, arm)
	} else if !e.solve(list, reached, arm, b) {
		return e
	}
	e.solveBlocks(list, reached, arm)
	rss, blocksUsed := 0.0, len(e.block)
	for _, u := range list {
		if reached[u.block] {
			r := u.y - e.block[u.block] - e.effect(arm(u))
			rss += r * r
		}
	}
	if e.freed = max(0, used-len(live)-blocksUsed-spent); e.freed > 0 {
		e.sigma = math.Sqrt(rss / float64(e.freed))
	}
	return e
}

// effect is arm i's estimate in the numbering where 0 is the baseline.
func (e *effects) effect(i int) float64 {
	if i == 0 || math.IsNaN(e.mean[i-1]) {
		return 0
	}
	return e.mean[i-1]
}

// solveBlocks gives each block its mean after the arms are taken out: the level
// of the baseline in that block.
func (e *effects) solveBlocks(list []unit, reached map[int]bool, arm func(unit) int) {
	n := map[int]float64{}
	for _, u := range list {
		if reached[u.block] {
			e.block[u.block] += u.y - e.effect(arm(u))
			n[u.block]++
		}
	}
	for k := range e.block {
		e.block[k] /= n[k]
	}
}

// connected finds the blocks from which a chain of shared arms leads to the
// baseline: within those, and only those, comparisons mean something.
func connected(list []unit, baseline string) map[int]bool {
	blocks, arms := map[int]bool{}, map[string]bool{baseline: true}
	for grown := true; grown; {
		grown = false
		for _, u := range list {
			if arms[u.arm] != blocks[u.block] {
				arms[u.arm], blocks[u.block] = true, true
				grown = true
			}
		}
	}
	return blocks
}

// maxDense is up to how many arms the normal equations are solved outright.
const maxDense = 300

// solve eliminates the blocks from the normal equations, grounds the baseline
// and solves what is left.
func (e *effects) solve(list []unit, reached map[int]bool, arm func(unit) int, blocks int) bool {
	counts := make([][]float64, len(e.arms)+1) // per arm and block
	for i := range counts {
		counts[i] = make([]float64, blocks)
	}
	place := map[int]int{}
	total, blockSum := make([]float64, blocks), make([]float64, blocks)
	armN, armSum := make([]float64, len(counts)), make([]float64, len(counts))
	for _, u := range list {
		if !reached[u.block] {
			continue
		}
		if _, ok := place[u.block]; !ok {
			place[u.block] = len(place)
		}
		i, k := arm(u), place[u.block]
		counts[i][k]++
		total[k]++
		blockSum[k] += u.y
		armN[i]++
		armSum[i] += u.y
	}
	var live []int
	for i := 1; i < len(armN); i++ {
		if armN[i] > 0 {
			live = append(live, i)
		}
	}
	if len(live) == 0 {
		return true
	}
	c := mat.NewSymDense(len(live), nil)
	q := mat.NewVecDense(len(live), nil)
	for x, i := range live {
		v := armSum[i]
		for k, n := range total {
			if n > 0 {
				v -= counts[i][k] * blockSum[k] / n
			}
		}
		q.SetVec(x, v)
		for y := x; y < len(live); y++ {
			j := live[y]
			w := 0.0
			for k, n := range total {
				if n > 0 {
					w -= counts[i][k] * counts[j][k] / n
				}
			}
			if i == j {
				w += armN[i]
			}
			c.SetSym(x, y, w)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return false
	}
	var est mat.VecDense
	var inv mat.SymDense
	if chol.SolveVecTo(&est, q) != nil || chol.InverseTo(&inv) != nil {
		return false
	}
	for x, i := range live {
		e.mean[i-1], e.factor[i-1] = est.AtVec(x), inv.At(x, x)
	}
	return true
}

// iterate reaches the same estimates by fitting arms and blocks in turn, for
// designs with so many arms that an inverse would cost more than it tells; the
// variance is then that of two plain means.
func (e *effects) iterate(list []unit, reached map[int]bool, arm func(unit) int) {
	var at, in []int
	var ys []float64
	blocks := map[int]int{}
	n := make([]float64, len(e.arms)+1)
	for _, u := range list {
		if !reached[u.block] {
			continue
		}
		if _, ok := blocks[u.block]; !ok {
			blocks[u.block] = len(blocks)
		}
		at, in, ys = append(at, arm(u)), append(in, blocks[u.block]), append(ys, u.y)
		n[arm(u)]++
	}
	// The same additive model as a curve's levels and blocks.
	f := frame{xs: make([]float64, len(n)), level: at, block: in, blocks: len(blocks)}
	levels := f.levels(ys, f.offsets(ys))
	for i := range e.arms {
		if n[i+1] > 0 {
			e.mean[i] = levels[i+1].y - levels[0].y
			e.factor[i] = 1/n[i+1] + 1/n[0]
		}
	}
}
