package analyze

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactLimit is the largest arm for which exact distributions are counted out;
// beyond it the normal approximation is better than three digits.
const exactLimit = 25

// shift is an estimated difference of two arms, in log units.
type shift struct {
	estimate, low, high, p float64
	method                 string
}

// rankSum compares two independent arms: the exact Mann-Whitney U test (ties by
// mid-ranks) and, by inverting it, the Hodges-Lehmann shift of a over b with
// its interval.
func rankSum(a, b []float64) shift {
	n, m := len(a), len(b)
	ranks2, _ := midranks2(slices.Concat(a, b))
	w := 0 // twice the rank sum of a
	for _, r := range ranks2[:n] {
		w += r
	}
	diffs := make([]float64, 0, n*m)
	for _, x := range a {
		for _, y := range b {
			diffs = append(diffs, x-y)
		}
	}
	slices.Sort(diffs)
	s := shift{estimate: median(diffs), method: "exact-u"}
	var skip int // differences to leave out on each side
	if max(n, m) <= exactLimit {
		s.p = twoSided(rankSumCounts(ranks2, n), w)
		untied := make([]int, n+m)
		for i := range untied {
			untied[i] = 2 * (i + 1)
		}
		skip = skipped(rankSumCounts(untied, n), n*(n+1), 2)
	} else {
		mean, sd := float64(n)*float64(n+m+1), tieSD(ranks2, n, m)
		s.p = normalP((math.Abs(float64(w)-mean) - 1) / sd)
		skip = int(float64(n*m)/2 - quantileNormal(1-Alpha/2)*sd/2)
	}
	s.low, s.high = trim(diffs, skip)
	return s
}

// signedRank compares paired differences with 0: the exact Wilcoxon test and,
// from the Walsh averages, the shift with its interval.
func signedRank(d []float64) shift {
	n := len(d)
	magnitude := make([]float64, n)
	for i, x := range d {
		magnitude[i] = math.Abs(x)
	}
	ranks2, _ := midranks2(magnitude)
	w := 0
	for i, x := range d {
		if x > 0 {
			w += ranks2[i]
		} else if x == 0 {
			w += ranks2[i] / 2 // a tie with 0 counts half for either side
		}
	}
	walsh := make([]float64, 0, n*(n+1)/2)
	for i := range d {
		for j := i; j < n; j++ {
			walsh = append(walsh, (d[i]+d[j])/2)
		}
	}
	slices.Sort(walsh)
	s := shift{estimate: median(walsh), method: "exact-signed-rank"}
	var skip int
	if n <= 4*exactLimit {
		s.p = twoSided(subsetCounts(ranks2), w)
		untied := make([]int, n)
		for i := range untied {
			untied[i] = 2 * (i + 1)
		}
		skip = skipped(subsetCounts(untied), 0, 2)
	} else {
		var mean, variance float64
		for _, r := range ranks2 {
			mean += float64(r) / 2
			variance += float64(r) * float64(r) / 4
		}
		sd := math.Sqrt(variance)
		s.p = normalP((math.Abs(float64(w)-mean) - 1) / sd)
		skip = int(float64(len(walsh))/2 - quantileNormal(1-Alpha/2)*sd/2)
	}
	s.low, s.high = trim(walsh, skip)
	return s
}

// midranks2 returns twice the rank of every value, so that ties stay integers.
func midranks2(x []float64) (ranks []int, ties []int) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	ranks = make([]int, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j
		}
		ties = append(ties, j-i)
		i = j
	}
	return ranks, ties
}

// rankSumCounts counts, for every sum, the ways to choose n of the ranks.
func rankSumCounts(ranks []int, n int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, n+1)
	for i := range ways {
		ways[i] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for k := n; k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	return ways[n]
}

// subsetCounts counts, for every sum, the subsets of the ranks that have it.
func subsetCounts(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([]float64, total+1)
	ways[0] = 1
	for _, r := range ranks {
		for s := total; s >= r; s-- {
			ways[s] += ways[s-r]
		}
	}
	return ways
}

// twoSided is twice the smaller tail, the observed sum included.
func twoSided(ways []float64, observed int) float64 {
	var all, below, above float64
	for s, w := range ways {
		all += w
		if s <= observed {
			below += w
		}
		if s >= observed {
			above += w
		}
	}
	return min(1, 2*min(below, above)/all)
}

// skipped is how many of the ordered differences can be left out on each side
// so that what remains covers the shift with probability 1-Alpha: the largest
// k with P(sum < start + k·step) ≤ Alpha/2. With too few values it is -1:
// no interval reaches the level.
func skipped(ways []float64, start, step int) int {
	all := 0.0
	for _, w := range ways {
		all += w
	}
	k, tail := -1, 0.0
	for s := start; s < len(ways); s += step {
		if tail += ways[s]; tail/all > Alpha/2 {
			break
		}
		k++
	}
	return k
}

func trim(sorted []float64, skip int) (low, high float64) {
	if skip < 0 || len(sorted) == 0 || 2*skip >= len(sorted) {
		return unknown, unknown
	}
	return sorted[skip], sorted[len(sorted)-1-skip]
}

// tieSD is the standard deviation of twice the rank sum under ties.
func tieSD(ranks2 []int, n, m int) float64 {
	total, mean, sum := float64(n+m), float64(n+m+1), 0.0
	for _, r := range ranks2 {
		sum += (float64(r) - mean) * (float64(r) - mean)
	}
	return math.Sqrt(float64(n) * float64(m) / (total * (total - 1)) * sum)
}

func normalP(z float64) float64 {
	return min(1, 2*distuv.UnitNormal.Survival(max(0, z)))
}

func quantileNormal(p float64) float64 { return distuv.UnitNormal.Quantile(p) }

// quantileT is Student's quantile; freedom must be positive.
func quantileT(p float64, freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(p)
}

// studentP is the two-sided p of t.
func studentP(t float64, freedom int) float64 {
	return min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Survival(math.Abs(t)))
}

// welch compares two large independent arms by their means.
func welch(a, b []float64) shift {
	ma, va := meanVar(a)
	mb, vb := meanVar(b)
	se := math.Sqrt(va/float64(len(a)) + vb/float64(len(b)))
	s := shift{estimate: ma - mb, method: "welch-t"}
	z := quantileNormal(1 - Alpha/2)
	s.low, s.high = s.estimate-z*se, s.estimate+z*se
	s.p = 1
	if se > 0 {
		s.p = normalP(math.Abs(s.estimate) / se)
	} else if s.estimate != 0 {
		s.p = 0
	}
	return s
}

func meanVar(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	if len(x) > 1 {
		variance /= float64(len(x) - 1)
	}
	return mean, variance
}

func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return unknown
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantile interpolates in sorted values.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return unknown
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// holm adjusts p values for their number; what is NaN stays out.
func holm(p []float64) []float64 {
	order := make([]int, 0, len(p))
	out := make([]float64, len(p))
	for i, x := range p {
		out[i] = unknown
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	last := 0.0
	for k, i := range order {
		last = max(last, min(1, float64(len(order)-k)*p[i]))
		out[i] = last
	}
	return out
}
