package analyze

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Analyze turns a sweep and its records into a decision.
func Analyze(s trial.Sweep, records []trial.Record, o Options) (*Result, error) {
	return FromSweep(s, records).Analyze(o.For(s))
}

// Analyze turns a set of samples into a decision. It fails only where the
// options make no sense; poor data give the verdict insufficient-data.
func (s *Set) Analyze(o Options) (*Result, error) {
	r, err := o.rules()
	if err != nil {
		return nil, fmt.Errorf("analyze: %w", err)
	}
	samples := s.exploring()
	result := &Result{
		Objective: r.objective.String(), Equivalence: r.equivalence, Baseline: s.Baseline,
		Constraints: []string{}, Curves: []Curve{}, Importance: []Importance{}, Audit: []Finding{},
		Conditions: []Condition{}, Factors: []Factor{}, Comparisons: []Comparison{}, HitRate: []HitChart{},
		Drift: []Drift{}, Excluded: []Exclusion{}, Samples: len(s.Samples),
	}
	for _, c := range r.constraints {
		result.Constraints = append(result.Constraints, c.String())
	}
	result.Warnings = append([]string{}, s.Warnings...)
	result.Excluded = append(result.Excluded, s.Excluded...)
	result.Conditions = append(result.Conditions, s.describeConditions()...)
	result.Factors = append(result.Factors, s.describeFactors()...)

	phase := "explore"
	if s.Imported {
		phase = "import"
	}
	comparisons, drifts := s.compareAll(r, samples, phase, s.Imported)
	var confirmed []Comparison
	if list := s.phase(trial.Confirm); len(list) > 0 {
		confirmed, _ = s.compareAll(r, list, "confirm", true)
	}
	result.Comparisons = append(append(result.Comparisons, comparisons...), confirmed...)
	result.Drift = append(result.Drift, drifts...)
	// Fresh restarts of the baseline and the winner tell as much about noise, and
	// about the winner's levels, as those of the exploration.
	result.Noise = s.noise(r, s.all())
	result.Curves = append(result.Curves, s.curves(r, s.all())...)
	result.HitRate = append(result.HitRate, s.hitCharts(r)...)
	if l := s.landscape(r, samples); l != nil {
		if result.Surface = l.report(); result.Surface.Model != "constant" {
			result.Importance = append(result.Importance, l.importance()...)
		}
	}
	if len(result.Importance) == 0 {
		result.Importance = append(result.Importance, s.importance(r, samples)...)
	}
	result.Audit = append(result.Audit, s.audit(r, result)...)
	r.decide(s, result, comparisons, confirmed)
	result.Tradeoffs = []Tradeoff{}
	if !s.loadOnly() { // more load is no choice of a configuration; the knee speaks of it
		result.Tradeoffs = append(result.Tradeoffs, r.tradeoffs(result)...)
	}
	result.Explanations = append([]string{}, s.explain(r, result)...)
	r.warn(s, result)
	tidy(reflect.ValueOf(result))
	return result, nil
}

// decide gives the verdict: by the confirmation where there is one, otherwise
// by what the exploration or the imported rows allow.
func (r rules) decide(s *Set, out *Result, explored, confirmed []Comparison) {
	if len(s.phase(trial.Confirm)) > 0 {
		r.decideConfirmed(s, out, confirmed)
		return
	}
	best := r.bestOf(explored)
	switch {
	case len(s.Samples) > 0 && s.loadOnly():
		out.insufficient("only the load was varied, so there is no configuration to recommend; the curves and comparisons say how it scales")
	case len(s.Samples) == 0:
		out.insufficient("no usable measurement")
	case len(explored) == 0:
		out.insufficient("nothing to compare: no candidate was measured together with the baseline")
	case best == nil:
		out.Verdict = NoDetectableGain
		out.Summary = "no candidate is better than the baseline within the constraints"
		if !enough(explored) {
			out.insufficient("no candidate looks better than the baseline within the constraints, and there are too few repeats to be sure")
		}
	case s.Imported && best.Verdict == "better" && best.exact():
		out.Verdict, out.Settings = Improves, best.Settings
		out.Effect = best.effect(explored, s, false)
		out.Summary = fmt.Sprintf("%s: %s %s against the baseline (%s), Holm-adjusted p = %s, not confirmed by a fresh measurement",
			best.title(), out.Objective, change(best.Ratio), interval(best.Low, best.High), short(*best.Holm))
	default:
		r.decideUnconfirmed(s, out, explored, best)
	}
}

// decideUnconfirmed is the verdict of an exploration on its own.
func (r rules) decideUnconfirmed(s *Set, out *Result, explored []Comparison, best *Comparison) {
	out.Effect = best.effect(explored, s, false)
	out.Unconfirmed = &Unconfirmed{
		Variant: best.Variant, Settings: best.Settings, Ratio: best.Ratio, Low: best.Low, High: best.High,
	}
	look := fmt.Sprintf("%s looks best (%s, %s)", best.title(), change(best.Ratio), interval(best.Low, best.High))
	switch {
	case best.Verdict == "better" && s.Imported:
		out.Unconfirmed.Reason = fmt.Sprintf("fewer than %d repeats", leastPerArm)
		out.insufficient(fmt.Sprintf("%s, but an exact test needs at least %d repeats of it and of the baseline", look, leastPerArm))
	case best.Verdict == "better":
		out.Unconfirmed.Reason = "not measured again on fresh restarts"
		out.insufficient(look + " but was not confirmed on fresh restarts")
	case !enough(explored) || min(best.N, best.BaselineN) < 2:
		out.Unconfirmed.Reason = "too few repeats"
		out.insufficient(look + ", with too few repeats to tell it from noise")
	case best.P != nil && *best.P <= Alpha && r.gain(best.Ratio) >= 1+r.equivalence:
		out.Unconfirmed.Reason = "not certain among so many candidates"
		out.insufficient(fmt.Sprintf("%s, but one of %s may look like that by chance (Holm-adjusted p = %s)",
			look, plural(candidates(explored), "candidate"), short(*best.Holm)))
	default:
		out.Unconfirmed.Reason = "not beyond noise"
		out.Verdict = NoDetectableGain
		out.Summary = "no candidate stands out from the noise; " + look
	}
	if out.Noise.Statement != "" {
		out.Summary += "; " + out.Noise.Statement
	}
}

// decideConfirmed is the verdict by fresh restarts.
func (r rules) decideConfirmed(s *Set, out *Result, confirmed []Comparison) {
	best := r.bestOf(confirmed)
	if best == nil {
		for i := range confirmed {
			if c := &confirmed[i]; c.Workload == overall && (best == nil || c.N > best.N) {
				best = c
			}
		}
	}
	if best == nil {
		out.insufficient("the confirmation holds no pair of winner and baseline that can be compared")
		return
	}
	full := min(best.N, best.BaselineN) >= leastPerArm
	out.Effect = best.effect(confirmed, s, full)
	say := fmt.Sprintf("%s %s on fresh restarts (%s, %s a side)", out.Objective, change(best.Ratio),
		interval(best.Low, best.High), plural(min(best.N, best.BaselineN), "restart"))
	switch {
	case !full:
		out.insufficient(fmt.Sprintf("%s: at least %d are needed", say, leastPerArm))
	case best.Verdict == "better" && len(best.Breaks) == 0:
		out.Verdict, out.Settings, out.Summary = Improves, best.Settings, say
		return
	case best.Verdict == "better":
		out.Verdict = NoDetectableGain
		out.Summary = say + ", but it does not keep " + strings.Join(best.Breaks, ", ")
	default:
		out.Verdict = NoDetectableGain
		out.Summary = "no detectable gain: " + say
		if out.Noise.DetectableRatio != nil {
			out.Summary += "; " + out.Noise.Statement
		}
	}
	out.Unconfirmed = &Unconfirmed{
		Variant: best.Variant, Settings: best.Settings, Ratio: best.Ratio, Low: best.Low, High: best.High,
		Reason: "the confirmation does not support it",
	}
}

func (out *Result) insufficient(why string) {
	out.Verdict, out.Summary = InsufficientData, why
}

// bestOf is the candidate with the largest gain over all conditions that keeps
// the constraints.
func (r rules) bestOf(list []Comparison) *Comparison {
	var best *Comparison
	for i := range list {
		c := &list[i]
		if c.Workload != overall || len(c.Breaks) > 0 || r.gain(c.Ratio) <= 1 {
			continue
		}
		better := best == nil || rank(c) > rank(best) ||
			rank(c) == rank(best) && r.gain(c.Ratio) > r.gain(best.Ratio)
		if better {
			best = c
		}
	}
	return best
}

// rank puts what was proven before what merely looks good.
func rank(c *Comparison) int {
	switch {
	case c.Verdict == "better" && c.exact():
		return 2
	case c.Verdict == "better":
		return 1
	}
	return 0
}

func (c *Comparison) exact() bool { return c.Method != "" && c.Method != "pooled-t" }

// title names a variant by what it sets.
func (c *Comparison) title() string {
	if v, ok := c.Settings.Get(c.Factor); ok {
		return c.Factor + "=" + string(v)
	}
	if c.Settings.Len() > 0 {
		return c.Settings.String()
	}
	return c.Variant
}

// candidates counts the variants that were compared.
func candidates(list []Comparison) int {
	n := 0
	for _, c := range list {
		if c.Workload == overall {
			n++
		}
	}
	return n
}

// enough reports whether repeats allow any interval at all.
func enough(list []Comparison) bool {
	return slices.ContainsFunc(list, func(c Comparison) bool { return c.Workload == overall && c.Low != nil })
}

func (c *Comparison) effect(list []Comparison, s *Set, confirmed bool) *Effect {
	e := &Effect{Ratio: c.Ratio, Low: c.Low, High: c.High, Confirmed: confirmed, Trials: slices.Clone(c.Trials)}
	for i := range s.Samples {
		one := &s.Samples[i]
		if one.Arm == trial.BaselineID && (s.Imported || string(one.Phase) == c.Phase) {
			e.Trials = append(e.Trials, one.ID)
		}
	}
	return e
}

func interval(low, high *float64) string {
	if low == nil || high == nil {
		return "no interval"
	}
	return fmt.Sprintf("95 %% interval %s to %s", change(*low), change(*high))
}

// hitTolerance is how far a hit rate may be off before it is another level.
const hitTolerance = 0.05

// warn adds what a reader has to know before acting on the verdict.
func (r rules) warn(s *Set, out *Result) {
	say := func(format string, args ...any) { out.Warnings = append(out.Warnings, fmt.Sprintf(format, args...)) }
	if n := len(out.Excluded); n > 0 {
		say("%s not used by any fit; see excluded", plural(n, "measurement"))
	}
	codes := map[string]int{}
	for _, f := range out.Audit {
		codes[f.Code]++
	}
	if n := codes["client-bound"]; n > 0 {
		say("%s client-bound: the load generator, not the server, was the limit", plural(n, "measurement"))
	}
	if n := codes["not-steady"]; n > 0 {
		say("%s had not reached a steady state", plural(n, "measurement"))
	}
	for _, c := range out.Conditions {
		if c.Target > 0 && c.Hit != nil && math.Abs(*c.Hit-c.Target) > hitTolerance {
			say("%s: the baseline's data-block hit rate was %s, not the %s asked for", c.Name, percent(*c.Hit), percent(c.Target))
		}
	}
	if out.Verdict != Improves {
		return
	}
	for _, c := range out.Comparisons {
		final := c.Phase == "confirm" || c.Phase == "import"
		if !final || !c.Settings.Equal(out.Settings) {
			continue
		}
		if c.Workload != overall && r.gain(c.Ratio) < 1/(1+r.equivalence) {
			say("the recommended settings are worse in %s: %s", c.Workload, change(c.Ratio))
		}
		if p99, ok := c.Ratios[P99.String()]; ok && c.Workload != overall && p99 > 1.25 {
			say("p99 in %s becomes %s of the baseline's: set a bound with a constraint such as p99_us<=20000 if that matters", c.Workload, percent(p99))
		}
	}
}

// describeConditions lists the conditions with the hit rates that were reached.
func (s *Set) describeConditions() []Condition {
	var out []Condition
	for _, name := range s.conditions() {
		c := Condition{Name: name}
		sum, n := 0.0, 0.0
		low, high := math.Inf(1), math.Inf(-1)
		for i := range s.Samples {
			one := &s.Samples[i]
			if one.Condition != name {
				continue
			}
			c.Workload, c.Target = one.Workload, one.Target
			c.Samples++
			if math.IsNaN(one.Hit) {
				continue
			}
			low, high = math.Min(low, one.Hit), math.Max(high, one.Hit)
			if one.Arm == trial.BaselineID {
				sum, n = sum+one.Hit, n+1
			}
		}
		c.Hit, c.HitLow, c.HitHigh = known(sum/n), known(low), known(high)
		out = append(out, c)
	}
	return out
}

func (s *Set) describeFactors() []Factor {
	out := slices.Clone(s.Factors)
	for f := range out {
		seen := map[hbaseconf.Value]bool{}
		for i := range s.Samples {
			if v := s.Samples[i].Values[f]; v != "" {
				seen[v] = true
			}
		}
		out[f].Levels = len(seen)
	}
	return out
}
