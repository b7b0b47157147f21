package analyze

import (
	"fmt"
	"math"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// leastPerArm is the smallest number of restarts an arm must have before an
// exact test can reach Alpha at all: 2/C(8,4) = 0.029.
const leastPerArm = 4

// leastPairs is from how many pairs on the signed-rank test is used. It keeps
// the pairing, so that drift between pairs costs nothing, but with fewer pairs
// it could hardly reach Alpha: 6 of them would show less than 5 do by rankSum.
const leastPairs = 8

// arms is what comparisons need to know of the variants.
type arms struct {
	baseline string
	settings map[string]hbaseconf.Settings
	moved    map[string]string
}

func armsOf(samples []*Sample, baseline string) arms {
	a := arms{baseline: baseline, settings: map[string]hbaseconf.Settings{}, moved: map[string]string{}}
	for _, s := range samples {
		a.settings[s.Arm], a.moved[s.Arm] = s.Settings, s.Moved
	}
	return a
}

// compareAll compares every arm with the baseline, in each condition and over
// all of them. exact asks for the tests that assume no distribution; those see
// the measurements as they are, drift and all.
func (s *Set) compareAll(r rules, samples []*Sample, phase string, exact bool) (list []Comparison, drifts []Drift) {
	names := namesOf(samples)
	a := armsOf(samples, trial.BaselineID)
	conditions := append([]string{overall}, names...)
	if len(names) == 1 {
		conditions = names // says the same as all of them
	}
	for _, condition := range conditions {
		us, seen, removed := s.comparable(r, samples, condition, names)
		if exact {
			us, removed = units(samples, r.objective, condition, names), 0
		}
		if condition != overall {
			drifts = append(drifts, seen...)
		}
		list = append(list, r.compare(us, removed, samples, a, phase, condition, exact)...)
	}
	if len(names) == 1 {
		all := slices.Clone(list)
		for i := range all {
			all[i].Workload, all[i].Value, all[i].BaselineValue = overall, nil, nil
		}
		list = append(all, list...)
	}
	return list, drifts
}

// compare compares every arm with the baseline in one condition.
func (r rules) compare(us []unit, removed int, samples []*Sample, a arms, phase, condition string, exact bool) []Comparison {
	e := fitBlocks(us, a.baseline, removed)
	byArm := map[string][]unit{}
	for _, u := range us {
		byArm[u.arm] = append(byArm[u.arm], u)
	}
	base := byArm[a.baseline]
	broken := r.breaks(samples, condition)
	list := make([]Comparison, len(e.arms))
	p := make([]float64, len(e.arms))
	for i, arm := range e.arms {
		own := byArm[arm]
		c := Comparison{
			Variant: arm, Settings: a.settings[arm], Factor: a.moved[arm], Workload: condition,
			Phase: phase, N: e.n[i], BaselineN: e.baseN, Breaks: broken[arm],
		}
		for _, u := range own {
			c.Trials = append(c.Trials, u.trials...)
		}
		s := e.pooled(i)
		if exact {
			s = exactOr(s, own, base, len(e.arms))
		}
		c.Method = s.method
		c.Ratio = math.Exp(s.estimate)
		c.Low, c.High, c.P = exponent(s.low), exponent(s.high), known(s.p)
		p[i] = s.p
		if condition != overall {
			c.Value, c.BaselineValue = geometric(own), geometric(base)
		}
		list[i] = c
	}
	r.otherMetrics(list, samples, a, condition)
	for i, h := range holm(p) {
		list[i].Holm = known(h)
		list[i].Verdict = r.judge(&list[i])
	}
	// An arm that nothing connects with the baseline has no ratio to show.
	return slices.DeleteFunc(list, func(c Comparison) bool { return math.IsNaN(c.Ratio) })
}

// pooled is arm i's effect with the error variance pooled over all arms.
func (e *effects) pooled(i int) shift {
	s := shift{estimate: e.mean[i], low: unknown, high: unknown, p: unknown}
	if e.freed == 0 || math.IsNaN(e.mean[i]) {
		return s
	}
	s.method = "pooled-t"
	se := e.sigma * math.Sqrt(e.factor[i])
	t := quantileT(1-Alpha/2, e.freed)
	s.low, s.high = s.estimate-t*se, s.estimate+t*se
	switch {
	case se > 0:
		s.p = studentP(s.estimate/se, e.freed)
	case s.estimate == 0:
		s.p = 1
	default:
		s.p = 0
	}
	return s
}

// exactOr replaces a pooled estimate by an exact one where both arms have
// enough restarts. Which test is used depends only on how many there are, never
// on what they say: pairs from leastPairs on (more where Holm divides Alpha, as
// pairs can't reach small p), otherwise two independent arms.
func exactOr(fallback shift, arm, baseline []unit, family int) shift {
	if len(arm) < leastPerArm || len(baseline) < leastPerArm {
		return fallback
	}
	x, y := values(arm), values(baseline)
	if len(x)*len(y) > 1_000_000 {
		return welch(x, y)
	}
	if d := pairs(arm, baseline); len(d) == len(x) && float64(len(d)) >= leastPairs+math.Ceil(math.Log2(float64(family))) {
		return signedRank(d)
	}
	return rankSum(x, y)
}

func values(us []unit) []float64 {
	out := make([]float64, len(us))
	for i, u := range us {
		out[i] = u.y
	}
	return out
}

// pairs returns the differences arm − baseline of the blocks that hold both,
// each by its mean, in order of the blocks. Without blocks there is one pair.
func pairs(arm, baseline []unit) []float64 {
	base := map[int]*mean{}
	for _, u := range baseline {
		add(base, u)
	}
	own := map[int]*mean{}
	var order []int
	for _, u := range arm {
		if own[u.block] == nil {
			order = append(order, u.block)
		}
		add(own, u)
	}
	var d []float64
	for _, b := range order {
		if base[b] != nil {
			d = append(d, own[b].value()-base[b].value())
		}
	}
	return d
}

// mean is a running arithmetic mean.
type mean struct{ sum, n float64 }

func (m *mean) value() float64 { return m.sum / m.n }

func add(means map[int]*mean, u unit) {
	m := means[u.block]
	if m == nil {
		m = &mean{}
		means[u.block] = m
	}
	m.sum += u.y
	m.n++
}

// judge gives one comparison its verdict: a difference counts where Holm's p
// is at most Alpha and it is at least as large as the equivalence band.
func (r rules) judge(c *Comparison) string {
	if c.Low == nil || c.Holm == nil {
		return "too-few"
	}
	band := 1 + r.equivalence
	switch seen := *c.Holm <= Alpha; {
	case seen && r.gain(c.Ratio) >= band:
		return "better"
	case seen && r.gain(c.Ratio) <= 1/band:
		return "worse"
	case *c.Low >= 1/band && *c.High <= band:
		return "equivalent"
	}
	return "not-detectable"
}

// gain turns a ratio so that above 1 is better.
func (r rules) gain(ratio float64) float64 {
	if r.objective.HigherIsBetter() {
		return ratio
	}
	return 1 / ratio
}

// breaks lists, by arm, the constraints that its geometric mean does not keep.
func (r rules) breaks(samples []*Sample, condition string) map[string][]string {
	out := map[string][]string{}
	for _, c := range r.constraints {
		for _, name := range namesOf(samples) {
			if condition != overall && condition != name {
				continue
			}
			for arm, x := range armMeans(samples, name, c.Metric) {
				if !c.Holds(x) {
					out[arm] = append(out[arm], fmt.Sprintf("%s (%s: %s)", c, name, short(x)))
				}
			}
		}
	}
	return out
}

// otherMetrics fills in what the variants cost elsewhere.
func (r rules) otherMetrics(list []Comparison, samples []*Sample, a arms, condition string) {
	names := namesOf(samples)
	for _, m := range []Metric{Throughput, Mean, P50, P95, P99, ServerCPUPerOp} {
		if m == r.objective {
			continue
		}
		e := fitBlocks(units(samples, m, condition, names), a.baseline, 0)
		for i := range list {
			k, ok := e.index[list[i].Variant]
			if !ok || math.IsNaN(e.mean[k]) {
				continue
			}
			if list[i].Ratios == nil {
				list[i].Ratios = map[string]float64{}
			}
			list[i].Ratios[m.String()] = math.Exp(e.mean[k])
		}
	}
}

// armMeans are the arms' geometric means of a metric in a condition; zeros,
// which only error counts have, make it an arithmetic one.
func armMeans(samples []*Sample, condition string, m Metric) map[string]float64 {
	type sums struct {
		logs, sum, n float64
		zero         bool
	}
	found := map[string]*sums{}
	for _, s := range samples {
		x := s.Metrics[m]
		if s.Condition != condition || math.IsNaN(x) {
			continue
		}
		one := found[s.Arm]
		if one == nil {
			one = &sums{}
			found[s.Arm] = one
		}
		one.zero = one.zero || x <= 0
		one.logs += math.Log(x)
		one.sum += x
		one.n++
	}
	out := make(map[string]float64, len(found))
	for arm, one := range found {
		out[arm] = math.Exp(one.logs / one.n)
		if one.zero {
			out[arm] = one.sum / one.n
		}
	}
	return out
}

func geometric(us []unit) *float64 {
	sum := 0.0
	for _, u := range us {
		sum += u.y
	}
	return exponent(sum / float64(len(us)))
}

func namesOf(samples []*Sample) []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range samples {
		if !seen[s.Condition] {
			seen[s.Condition] = true
			names = append(names, s.Condition)
		}
	}
	return names
}

// known drops what is not a finite number.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func exponent(x float64) *float64 { return known(math.Exp(x)) }
