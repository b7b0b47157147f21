package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"hbtune/analyze/surface"
	"hbtune/hbaseconf"
)

// Proposal is the setting that the surface would measure next: where even the
// lower bound of the gain is largest. It is a proposal, never a verdict.
type Proposal struct {
	Settings hbaseconf.Settings `json:"settings"`
	Ratio    float64            `json:"ratio"`
	Low      float64            `json:"low"`
	High     float64            `json:"high"`
	// Measured says that these very settings were measured.
	Measured bool `json:"measured"`
	// Kept names the properties left at the baseline because moving them gains
	// nothing detectable.
	Kept   []string `json:"kept,omitempty"`
	Reason string   `json:"reason"`
}

// Search: along every axis in turn, from several starts.
const (
	searchSteps  = 20
	searchRounds = 5
	searchStarts = 4
)

// caution is by how many standard deviations the lower bound of a gain lies
// below its estimate: a one-sided 95 % bound.
const caution = 1.6448536269514722

// propose looks for the best lower confidence bound over the settings that the
// server would take and that keep every constraint; rounds them to values that
// people use, and takes back every move that gains nothing detectable.
func (l *landscape) propose() *Proposal {
	for _, a := range l.axes {
		if _, ok := l.set.Factors[a.factor].Baseline.Number(); !ok {
			return nil // better than what?
		}
	}
	best, bound := l.search()
	if best == nil || bound <= 0 {
		return nil
	}
	best = l.rounded(best)
	best, kept := l.pruned(best)
	if slices.Equal(best, l.baseline) {
		return nil
	}
	gain, sd := l.gain(best)
	if gain-caution*sd <= 0 || !l.allowed(best) {
		return nil
	}
	sign := 1.0
	if !l.rules.objective.HigherIsBetter() {
		sign = -1
	}
	z := surface.Quantile(len(l.points), len(l.axes), Alpha)
	p := &Proposal{
		Settings: l.settings(best), Ratio: math.Exp(sign * gain),
		Low: math.Exp(sign*gain - z*sd), High: math.Exp(sign*gain + z*sd), Kept: kept,
		Measured: slices.ContainsFunc(l.points, func(q surface.Point) bool { return near(q.X, best) }),
	}
	how := "between settings that were measured"
	if p.Measured {
		how = "measured"
	}
	p.Reason = fmt.Sprintf("%s of %s by the %s, at least %s with 95 %% confidence; %s",
		change(p.Ratio), l.rules.objective, modelWords(l.scores[0].Model.Name()), change(math.Exp(sign*(gain-caution*sd))), how)
	return p
}

func modelWords(model string) string {
	switch model {
	case "gaussian-process":
		return "Gaussian process"
	case "random-forest":
		return "random forest"
	}
	return model
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}

// gain is the logarithm by which x is better than the baseline.
func (l *landscape) gain(x []float64) (mean, sd float64) { return l.better(x, l.baseline) }

// better is the logarithm by which one place is better than another.
func (l *landscape) better(x, than []float64) (mean, sd float64) {
	mean, sd = surface.Difference(l.scores[0].Model, x, than)
	if !l.rules.objective.HigherIsBetter() {
		mean = -mean
	}
	return mean, sd
}

// search climbs the lower bound of the gain.
func (l *landscape) search() (best []float64, bound float64) {
	bound = math.Inf(-1)
	value := func(x []float64) float64 {
		if gain, sd := l.gain(x); gain-caution*sd > 0 && l.allowed(x) {
			return gain - caution*sd
		}
		return math.Inf(-1)
	}
	for _, start := range l.starts() {
		x, v := slices.Clone(start), value(start)
		for range searchRounds {
			before := v
			for j := range x {
				for k := range searchSteps + 1 {
					try := slices.Clone(x)
					try[j] = float64(k) / searchSteps
					if u := value(try); u > v+1e-9 {
						x, v = try, u
					}
				}
			}
			if v <= before {
				break
			}
		}
		if v > bound {
			best, bound = x, v
		}
	}
	return best, bound
}

// starts are the baseline and the points whose own bound is best.
func (l *landscape) starts() [][]float64 {
	list := slices.Clone(l.points)
	slices.SortStableFunc(list, func(a, b surface.Point) int {
		if l.rules.objective.HigherIsBetter() {
			return cmp.Compare(b.Y, a.Y)
		}
		return cmp.Compare(a.Y, b.Y)
	})
	list = list[:min(10*searchStarts, len(list))]
	score := map[*float64]float64{}
	for i := range list {
		gain, sd := l.gain(list[i].X)
		score[&list[i].X[0]] = gain - caution*sd
	}
	slices.SortStableFunc(list, func(a, b surface.Point) int {
		switch x, y := score[&a.X[0]], score[&b.X[0]]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	out := [][]float64{l.baseline}
	for _, p := range list[:min(searchStarts, len(list))] {
		out = append(out, p.X)
	}
	return out
}

// allowed tells whether the server would take the settings, nothing near them
// failed, and every constraint is kept with confidence.
func (l *landscape) allowed(x []float64) bool {
	if l.fails(x) > 0.5 {
		return false
	}
	for _, b := range l.bounds {
		mean, sd := surface.Difference(b.model, x, l.baseline)
		if b.constraint.AtLeast {
			sd = -sd
		}
		if !b.constraint.Holds(math.Exp(b.level + mean + caution*sd)) {
			return false
		}
	}
	return l.rules.feasible(l.set.Baseline.Merge(l.settings(x))) == nil
}

// failReach is how far a failure is felt, in shares of the range.
const failReach = 0.15

// fails is the chance that the server does not serve with x, by what became of
// the settings around it. Near is judged by the properties that some failure
// had moved: no other can have caused one, or saves from one.
func (l *landscape) fails(x []float64) float64 {
	if len(l.failed) == 0 {
		return 0
	}
	weight := func(y []float64) float64 {
		sum := 0.0
		for j := range x {
			moved := slices.ContainsFunc(l.failed, func(f []float64) bool { return math.Abs(f[j]-l.baseline[j]) > 1e-9 })
			if d := (x[j] - y[j]) / failReach; moved {
				sum += d * d
			}
		}
		return math.Exp(-sum / 2)
	}
	bad, all := 0.0, 1e-6 // far from everything nothing is known against it
	for _, y := range l.failed {
		bad += weight(y)
	}
	for _, p := range l.points {
		all += weight(p.X)
	}
	return bad / (bad + all)
}

// settings writes x as a configuration: what differs from the baseline, and
// what goes with it.
func (l *landscape) settings(x []float64) hbaseconf.Settings {
	var out hbaseconf.Settings
	for j, a := range l.axes {
		if math.Abs(x[j]-l.baseline[j]) < 1e-9 {
			continue
		}
		f := l.set.Factors[a.factor]
		value := a.text(x[j])
		out = out.With(hbaseconf.Setting{Name: f.Name, Value: value})
		if number, ok := value.Number(); ok && f.complement != "" && f.total > 0 {
			rest := strconv.FormatFloat(math.Round((f.total-number)*1e6)/1e6, 'f', -1, 64)
			out = out.With(hbaseconf.Setting{Name: f.complement, Value: hbaseconf.Value(rest)})
		}
	}
	return out
}

// text writes the value at u, whole where only whole numbers were measured.
func (a axis) text(u float64) hbaseconf.Value {
	x := a.out(u)
	for _, m := range a.measured {
		if math.Abs(a.in(m)-u) < 1e-9 {
			x = m
		}
	}
	if a.whole {
		return hbaseconf.Value(strconv.FormatFloat(math.Round(x), 'f', -1, 64))
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return hbaseconf.Value(strconv.FormatFloat(short, 'f', -1, 64))
}

// rounded moves every coordinate to the nearest value that people use, where
// that costs nothing detectable.
func (l *landscape) rounded(x []float64) []float64 {
	for j, a := range l.axes {
		if math.Abs(x[j]-l.baseline[j]) < 1e-9 {
			continue
		}
		for _, value := range a.usual(a.out(x[j]), l.set.Factors[a.factor].Unit) {
			try := slices.Clone(x)
			try[j] = a.in(value)
			if !l.costs(try, x) && l.allowed(try) {
				x = try
				break
			}
		}
	}
	return x
}

// pruned takes moves back, the least useful first, as long as that costs
// nothing detectable.
func (l *landscape) pruned(x []float64) (out []float64, kept []string) {
	for {
		least, at := math.Inf(1), -1
		for j := range x {
			if math.Abs(x[j]-l.baseline[j]) < 1e-9 {
				continue
			}
			try := slices.Clone(x)
			try[j] = l.baseline[j]
			if loss, _ := l.better(x, try); !l.costs(try, x) && loss < least && (l.allowed(try) || slices.Equal(try, l.baseline)) {
				least, at = loss, j
			}
		}
		if at < 0 {
			return x, kept
		}
		x = slices.Clone(x)
		x[at] = l.baseline[at]
		kept = append(kept, l.set.Factors[l.axes[at].factor].Name)
	}
}

// costs tells whether going there costs something detectable: more than a
// third of the band of equivalence, and more than its own uncertainty where
// that is smaller than the band.
func (l *landscape) costs(to, from []float64) bool {
	loss, sd := l.better(from, to)
	band := math.Log1p(l.rules.equivalence)
	return loss > band/3 && (loss > caution*sd || loss > band)
}

// usual lists values that people use around x, the nearest first, within the
// measured range: powers of two and their halves again for bytes, round
// decimals otherwise, and every value that was measured.
func (a axis) usual(x float64, unit string) []float64 {
	list := slices.Clone(a.measured)
	switch {
	case unit == "bytes":
		for p := 1.0; p <= a.high; p *= 2 {
			list = append(list, p, 1.5*p)
		}
	case !a.whole:
		step := 0.05
		if a.high-a.low < 0.2 {
			step = math.Pow(10, math.Floor(math.Log10((a.high-a.low)/4)))
		}
		for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
			list = append(list, math.Round(k*step*1e9)/1e9)
		}
	default:
		for p := 1.0; p <= a.high; p *= 10 {
			for _, m := range []float64{1, 1.2, 1.5, 1.6, 2, 2.4, 2.5, 3, 3.2, 4, 5, 6, 6.4, 8} {
				if v := m * p; v == math.Trunc(v) {
					list = append(list, v)
				}
			}
		}
	}
	list = slices.DeleteFunc(list, func(v float64) bool { return v < a.low || v > a.high })
	at := a.in(x)
	slices.SortStableFunc(list, func(v, w float64) int {
		switch d, e := math.Abs(a.in(v)-at), math.Abs(a.in(w)-at); {
		case d < e:
			return -1
		case d > e:
			return 1
		}
		return 0
	})
	return list
}
