package analyze

import (
	"cmp"
	"math"
	"slices"

	"hbtune/sweep/trial"
)

// importance shares out, over the properties moved one at a time, how far their
// levels spread the objective: the variance of the levels' log ratios (the
// baseline's 0 among them) less what noise alone would give. The interval comes
// from redrawing every ratio with its own error.
func (s *Set) importance(r rules, samples []*Sample) []Importance {
	us, _, removed := s.comparable(r, samples, overall, namesOf(samples))
	e := fitBlocks(us, trial.BaselineID, removed)
	a := armsOf(samples, trial.BaselineID)
	var factors []string
	groups := map[string][]int{}
	for i, arm := range e.arms {
		if f := a.moved[arm]; f != "" && !math.IsNaN(e.mean[i]) {
			if groups[f] == nil {
				factors = append(factors, f)
			}
			groups[f] = append(groups[f], i)
		}
	}
	if len(factors) == 0 || e.freed == 0 {
		return nil
	}
	slices.Sort(factors)
	shares := func(mean []float64) []float64 {
		out := make([]float64, len(factors))
		total := 0.0
		for k, f := range factors {
			n, noise := float64(len(groups[f])+1), 0.0
			sum, squares := 0.0, 0.0
			for _, i := range groups[f] {
				sum += mean[i]
				squares += mean[i] * mean[i]
				noise += e.sigma * e.sigma * e.factor[i] / n
			}
			out[k] = math.Max(0, squares/n-sum*sum/n/n-noise*(1-1/n))
			total += out[k]
		}
		for k := range out {
			if total > 0 {
				out[k] /= total
			}
		}
		return out
	}
	random := r.random("importance")
	draws := make([][]float64, len(factors))
	again := make([]float64, len(e.mean))
	for range r.resamples {
		for i := range again {
			again[i] = e.mean[i] + e.sigma*math.Sqrt(e.factor[i])*random.NormFloat64()
		}
		for k, x := range shares(again) {
			draws[k] = append(draws[k], x)
		}
	}
	out := make([]Importance, len(factors))
	widen := quantileT(1-Alpha/2, e.freed) / quantileNormal(1-Alpha/2)
	for k, x := range shares(e.mean) {
		out[k] = Importance{Property: factors[k], Share: x}
		if low, high, ok := widened(x, draws[k], widen); ok {
			out[k].Low, out[k].High = known(max(0, low)), known(min(1, high))
		}
	}
	sortImportance(out)
	return out
}

// sortImportance puts the largest share first.
func sortImportance(list []Importance) {
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Share, a.Share) })
}
