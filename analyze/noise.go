package analyze

import (
	"fmt"
	"math"

	"hbtune/sweep/trial"
)

// noise estimates how much repeats differ and what could be seen through it,
// from the combination over all conditions: the one that the verdict rests on.
func (s *Set) noise(r rules, samples []*Sample) Noise {
	us, _, removed := s.comparable(r, samples, overall, namesOf(samples))
	e := fitBlocks(us, trial.BaselineID, removed)
	n := Noise{WithinRestart: within(samples), Freedom: e.freed}
	n.Pairs = s.pairsForVerdict(us)
	if e.freed == 0 || n.Pairs == 0 {
		n.Statement = "too few repeats to tell how much restarts differ: every variant and the baseline need at least two"
		return n
	}
	n.BetweenRestarts = known(e.sigma)
	sigma, freedom := s.unpaired(r, e, n.Pairs)
	ratio := r.detectable(sigma, freedom, n.Pairs)
	n.DetectableRatio = known(ratio)
	if n.DetectableRatio != nil {
		n.Statement = fmt.Sprintf("restarts differ by %s within a block (standard deviation); with %s a gain under %s can't be seen (power %.0f %%)",
			percent(math.Expm1(e.sigma)), plural(n.Pairs, "pair"), percent(ratio-1), Power*100)
	}
	return n
}

// unpaired is the noise that a verdict has to be seen through. The test that few
// pairs get takes the arms as a whole, so that drift from pair to pair counts.
func (s *Set) unpaired(r rules, e effects, pairs int) (sigma float64, freedom int) {
	confirm := s.phase(trial.Confirm)
	if pairs < leastPerArm || pairs >= leastPairs || len(confirm) == 0 {
		return e.sigma, e.freed
	}
	us := units(confirm, r.objective, overall, namesOf(confirm))
	for i := range us {
		us[i].block = 0
	}
	if whole := fitBlocks(us, trial.BaselineID, 0); whole.freed > 0 && whole.sigma > e.sigma {
		return whole.sigma, whole.freed
	}
	return e.sigma, e.freed
}

// exactShifts is by how many standard deviations two arms of 4, 5, … restarts
// have to differ for the test that is used on them to see it with probability
// Power, errors being normal. From simulation; TestCalibratePower repeats it.
var exactShifts = [...]float64{
	2.89, 2.31, 1.93, 1.78, 1.77, 1.63, 1.45, 1.40, 1.32, 1.24, 1.17, 1.14, 1.11, 1.07, 1.02, 0.98, 0.96,
}

// detectable is the smallest ratio that so many pairs show with probability
// Power. To count as a gain it has to be significant and to reach the
// equivalence band. With fewer pairs than an exact test takes, a t test stands
// in.
func (r rules) detectable(sigma float64, freedom, pairs int) float64 {
	root := math.Sqrt(2 / float64(pairs))
	shift := (quantileT(1-Alpha/2, freedom) + quantileT(Power, freedom)) * root
	if i := pairs - leastPerArm; i >= len(exactShifts) {
		// A rank test needs π/3 times the restarts of a t test, small ones more.
		shift = 1.06 * (quantileNormal(1-Alpha/2) + quantileNormal(Power)) * root
	} else if i >= 0 {
		shift = exactShifts[i]
	}
	return math.Exp(max(shift*sigma, math.Log1p(r.equivalence)+quantileNormal(Power)*sigma*root))
}

// pairsForVerdict counts the pairs that the verdict can rest on: those of the
// confirmation, else the most that any candidate has.
func (s *Set) pairsForVerdict(us []unit) int {
	if confirm := s.phase(trial.Confirm); len(confirm) > 0 {
		us = units(confirm, Throughput, overall, namesOf(confirm))
	}
	counts := map[string]int{}
	most := 0
	for _, u := range us {
		counts[u.arm]++
		if u.arm != trial.BaselineID {
			most = max(most, counts[u.arm])
		}
	}
	return min(most, counts[trial.BaselineID])
}

// batches is into how many parts a window is cut to see how steady it was.
const batches = 5

// within is the standard error of a window's mean throughput, as the spread of
// its fifths tells it, pooled over all windows: what repeating the window
// without a restart would show.
func within(samples []*Sample) *float64 {
	var sum, n float64
	for _, s := range samples {
		var logs []float64
		var window []float64
		for _, second := range s.Series {
			if !second.Warmup && second.Throughput > 0 {
				window = append(window, second.Throughput)
			}
		}
		if len(window) < batches {
			continue
		}
		for i := range batches {
			mean, _ := meanVar(window[i*len(window)/batches : (i+1)*len(window)/batches])
			logs = append(logs, math.Log(mean))
		}
		_, v := meanVar(logs)
		sum += v / batches
		n++
	}
	if n == 0 {
		return nil
	}
	return known(math.Sqrt(sum / n))
}
