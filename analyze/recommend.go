package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// screened is a candidate as the exploration sees it, better being above 0.
type screened struct {
	arm     string
	factor  string // "" where it moves several
	gain    float64
	beyond  bool // its unadjusted interval lies above 0, and it is large enough to matter
	breaks  []string
	setting hbaseconf.Settings
}

// Candidate picks what a sweep's confirmation should measure against the
// baseline: the best level of every parameter whose effect stands out from the
// noise, put together; where none stands out, the single best candidate, for
// the confirmation is the judge and not this choice. The reason says which it
// was. False means that nothing looks better than the baseline.
func Candidate(s trial.Sweep, records []trial.Record, o Options) (trial.Variant, string, bool) {
	r, err := o.For(s).rules()
	if err != nil {
		return trial.Variant{}, err.Error(), false
	}
	set := FromSweep(s, records)
	if variant, reason, ok := set.fromSurface(r); ok {
		return variant, reason, true
	}
	list := set.screen(r)
	if len(list) == 0 {
		return trial.Variant{}, "no candidate was measured in the same blocks as the baseline", false
	}
	var best []screened // per factor
	for _, c := range list {
		if c.gain > 0 && len(c.breaks) == 0 && !slices.ContainsFunc(best, func(b screened) bool { return b.factor == c.factor }) {
			best = append(best, c)
		}
	}
	if len(best) == 0 {
		return trial.Variant{}, "no candidate was better than the baseline within the constraints", false
	}
	var strong []screened
	for _, c := range best {
		if c.beyond && c.factor != "" {
			strong = append(strong, c)
		}
	}
	// The weakest go first where the server would refuse the combination.
	for n := len(strong); n > 0; n-- {
		variant := combine(strong[:n])
		if err := r.feasible(s.Baseline.Merge(variant.Settings)); err != nil {
			continue
		}
		return variant, "best level of " + plural(n, "parameter") + " with an effect beyond noise: " + variant.Settings.String(), true
	}
	for _, c := range best {
		if r.feasible(s.Baseline.Merge(c.setting)) != nil {
			continue
		}
		variant := combine([]screened{c})
		return variant, fmt.Sprintf("best single candidate, %s in the exploration, not beyond its noise: %s",
			change(math.Exp(c.gain)), variant.Settings), true
	}
	return trial.Variant{}, "every candidate that was better would be refused by the server", false
}

// fromSurface proposes what the surface says, where variants moved several
// properties at once so that there is one.
func (s *Set) fromSurface(r rules) (trial.Variant, string, bool) {
	l := s.landscape(r, s.exploring())
	if l == nil || l.scores[0].Model.Name() == "constant" {
		return trial.Variant{}, "", false
	}
	p := l.propose()
	if p == nil {
		return trial.Variant{}, "", false
	}
	return trial.Variant{ID: WinnerID, Settings: p.Settings}, "best lower bound of the surface: " + p.Settings.String() + ", " + p.Reason, true
}

// WinnerID is the ID of the variant that Candidate proposes.
const WinnerID = "winner"

func combine(list []screened) trial.Variant {
	v := trial.Variant{ID: WinnerID}
	for _, c := range list {
		v.Settings = v.Settings.Merge(c.setting)
	}
	if len(list) == 1 {
		v.Factor = list[0].factor
	}
	return v
}

// screen estimates every explored arm over all conditions, best first.
func (s *Set) screen(r rules) []screened {
	samples := s.exploring()
	us, _, removed := s.comparable(r, samples, overall, namesOf(samples))
	e := fitBlocks(us, trial.BaselineID, removed)
	a := armsOf(samples, trial.BaselineID)
	broken := r.breaks(samples, overall)
	var list []screened
	for i, arm := range e.arms {
		p := e.pooled(i)
		if math.IsNaN(p.estimate) {
			continue
		}
		c := screened{arm: arm, factor: a.moved[arm], gain: p.estimate, beyond: p.low > 0}
		if !r.objective.HigherIsBetter() {
			c.gain, c.beyond = -p.estimate, p.high < 0
		}
		// What is too small to matter is left at the baseline, however certain.
		c.beyond = c.beyond && c.gain >= math.Log1p(r.equivalence)
		c.breaks = broken[arm]
		c.setting = s.moves(a, arm)
		if c.factor == "" {
			c.factor = "several: " + arm // each stands for itself
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(x, y screened) int {
		return cmp.Or(cmp.Compare(y.gain, x.gain), cmp.Compare(x.arm, y.arm))
	})
	return list
}

// moves is what an arm really changes: its settings without those that pin the
// baseline's value.
func (s *Set) moves(a arms, arm string) hbaseconf.Settings {
	var out hbaseconf.Settings
	pinned := a.settings[a.baseline]
	for name, value := range a.settings[arm].All() {
		if v, ok := s.Baseline.Get(name); ok && v == value {
			continue
		}
		if v, ok := pinned.Get(name); ok && v == value {
			continue
		}
		out = out.With(hbaseconf.Setting{Name: name, Value: value})
	}
	return out
}
