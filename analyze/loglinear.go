package analyze

import (
	"math"
	"math/bits"
)

// level is what was measured at one x: the mean of log y over n points, and
// their scatter around it. Every model is fitted to levels, which loses nothing
// and makes ten thousand trials as quick as ten.
type level struct {
	x, y, n, scatter float64
}

// maxColumns is the widest form that is fitted.
const maxColumns = 3

// logLinear fits y = row(x)·β so that the squared errors of log y are smallest:
// errors of a benchmark are relative. target gives the logarithm of what the
// linear form stands for at a level (log y itself, or log of 1/y). With
// nonNegative no coefficient is below 0; since the form is linear, trying every
// set of zero coefficients finds the true minimum without starts to choose.
func logLinear(levels []level, width int, row func(x float64, out []float64), target func(level) float64, nonNegative bool) ([]float64, bool) {
	if len(levels) < 1 {
		return nil, false
	}
	rows := make([][]float64, len(levels))
	scale := make([]float64, width)
	weights := make([]float64, len(levels))
	for i, l := range levels {
		rows[i] = make([]float64, width)
		row(l.x, rows[i])
		inverse := math.Exp(-target(l))
		for j := range rows[i] {
			rows[i][j] *= inverse // so that the fit is to 1
			scale[j] = math.Max(scale[j], math.Abs(rows[i][j]))
		}
		weights[i] = l.n
	}
	for j, s := range scale {
		if !positive(s) {
			return nil, false
		}
		for i := range rows {
			rows[i][j] /= s
		}
	}
	var best []float64
	bestLoss := math.Inf(1)
	full := uint(1)<<width - 1
	for set := full; set > 0; set-- {
		if !nonNegative && set != full || bits.OnesCount(set) > len(levels) {
			continue
		}
		beta, loss, ok := reweighted(rows, weights, set, width, nonNegative)
		if ok && loss < bestLoss-1e-15 {
			best, bestLoss = beta, loss
		}
	}
	if best == nil {
		return nil, false
	}
	for j := range best {
		best[j] /= scale[j]
	}
	return best, true
}

// reweighted solves the log-error problem over the chosen columns by weighted
// least squares of the relative error; the weights log r/(r(r−1)) make its
// fixed point the minimum of (log r)².
func reweighted(rows [][]float64, n []float64, set uint, width int, nonNegative bool) (beta []float64, loss float64, ok bool) {
	var cols []int
	for j := range width {
		if set&(1<<j) != 0 {
			cols = append(cols, j)
		}
	}
	v := make([]float64, len(rows))
	for i := range v {
		v[i] = 1
	}
	for range 50 {
		next, solved := weightedLeastSquares(rows, n, v, cols, width)
		if !solved {
			return nil, 0, false
		}
		moved := 0.0
		for j := range next {
			if beta != nil {
				moved = math.Max(moved, math.Abs(next[j]-beta[j]))
			}
		}
		first := beta == nil
		beta, loss = next, 0
		for i, r := range ratios(rows, beta) {
			if r <= 0 {
				return nil, 0, false
			}
			l := math.Log(r)
			loss += n[i] * l * l
			v[i] = 1
			if math.Abs(r-1) > 1e-9 {
				v[i] = l / (r * (r - 1))
			}
		}
		if !first && moved < 1e-10 {
			break
		}
	}
	if nonNegative {
		for _, b := range beta {
			if b < 0 {
				return nil, 0, false
			}
		}
	}
	return beta, loss, true
}

func ratios(rows [][]float64, beta []float64) []float64 {
	r := make([]float64, len(rows))
	for i := range rows {
		for j, b := range beta {
			r[i] += rows[i][j] * b
		}
	}
	return r
}

// weightedLeastSquares fits the chosen columns to a column of ones, by Cholesky's
// factors of the normal equations: the columns are few and already scaled.
func weightedLeastSquares(rows [][]float64, n, v []float64, cols []int, width int) ([]float64, bool) {
	k := len(cols)
	var a [maxColumns][maxColumns]float64
	var b [maxColumns]float64
	for i := range rows {
		w := n[i] * v[i]
		for c, j := range cols {
			x := w * rows[i][j]
			b[c] += x
			for d := 0; d <= c; d++ {
				a[c][d] += x * rows[i][cols[d]]
			}
		}
	}
	for c := range k {
		for d := 0; d <= c; d++ {
			sum := a[c][d]
			for e := range d {
				sum -= a[c][e] * a[d][e]
			}
			if c != d {
				a[c][d] = sum / a[d][d]
				continue
			}
			if !(sum > 1e-12*a[c][c]) {
				return nil, false // the columns say the same thing
			}
			a[c][c] = math.Sqrt(sum)
		}
	}
	for c := range k {
		for d := range c {
			b[c] -= a[c][d] * b[d]
		}
		b[c] /= a[c][c]
	}
	for c := k - 1; c >= 0; c-- {
		for d := c + 1; d < k; d++ {
			b[c] -= a[d][c] * b[d]
		}
		b[c] /= a[c][c]
	}
	out := make([]float64, width)
	for c, j := range cols {
		out[j] = b[c]
	}
	return out, true
}
