package analyze

import (
	"fmt"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// plan says how rows are told apart: which factors make a variant, which make a
// condition, and what the baseline is.
type plan struct {
	arm      []bool
	varies   []bool
	baseline hbaseconf.Settings
	known    bool // there is a baseline
	labelled bool // variants are told by the trial label
}

func (im *Import) plan(o Options, set *Set) (plan, error) {
	p := plan{arm: make([]bool, len(im.factors)), varies: make([]bool, len(im.factors))}
	levels := make([][]hbaseconf.Value, len(im.factors))
	properties := 0
	for i, name := range im.factors {
		levels[i] = im.levels(i)
		p.varies[i] = len(levels[i]) > 1
		if p.varies[i] && !isLoadFactor(name) {
			p.arm[i] = true
			properties++
		}
	}
	labelled := im.labelledBaseline()
	for name := range o.Baseline.All() {
		i, ok := im.place[name]
		if !ok {
			return p, fmt.Errorf("--baseline: no column %q in the imported data (there are %s)", name, strings.Join(im.factors, ", "))
		}
		p.arm[i] = true
		properties++
	}
	switch {
	case o.Baseline.Len() > 0:
		p.baseline, p.known = o.Baseline, true
		im.fillBaseline(&p, labelled, o)
	case len(labelled) > 0:
		if properties == 0 {
			p.labelled = true
		}
		p.known = true
		if err := im.labelledSettings(&p, labelled); err != nil {
			return p, err
		}
	case properties > 0:
		p.known = im.fillBaseline(&p, nil, o)
		if !p.known {
			set.Warnings = append(set.Warnings,
				"no baseline: no row is labelled baseline and none has HBase's defaults; name it with --baseline 'name=value,…'")
		}
	default:
		im.loadOnly(&p, levels, set)
	}
	return p, nil
}

// levels lists the distinct values of a factor.
func (im *Import) levels(i int) []hbaseconf.Value {
	seen := map[hbaseconf.Value]bool{}
	var list []hbaseconf.Value
	for r := range im.rows {
		if v := im.rows[r].value(i); v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// loadOnly compares along the load factor with the most levels, where nothing
// but the load was varied.
func (im *Import) loadOnly(p *plan, levels [][]hbaseconf.Value, set *Set) {
	best := -1
	for i, name := range im.factors {
		if p.varies[i] && name != factorHit && (best < 0 || len(levels[i]) > len(levels[best])) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	lowest := slices.MinFunc(levels[best], func(a, b hbaseconf.Value) int {
		x, _ := a.Number()
		y, _ := b.Number()
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	p.arm[best], p.known = true, true
	p.baseline = hbaseconf.NewSettings(hbaseconf.Setting{Name: im.factors[best], Value: lowest})
	set.Warnings = append(set.Warnings, fmt.Sprintf(
		"only the load varies: compared with the lowest level, %s=%s; another one: --baseline '%s=…'", im.factors[best], lowest, im.factors[best]))
}

// fillBaseline completes the baseline of the factors that make variants: from
// labelled rows, else HBase's defaults, else the only value there is. It
// reports whether every one is known and some row has them all.
func (im *Import) fillBaseline(p *plan, labelled []int, o Options) bool {
	for i, name := range im.factors {
		if _, ok := p.baseline.Get(name); ok || !p.arm[i] {
			continue
		}
		value := hbaseconf.Value("")
		if len(labelled) > 0 {
			value = im.rows[labelled[0]].value(i)
		}
		if value == "" && o.Default != nil {
			value, _ = o.Default(name)
		}
		if value == "" {
			if property, ok := im.catalogue.Lookup(name); ok {
				value = property.Default
			}
		}
		if value == "" {
			return false
		}
		p.baseline = p.baseline.With(hbaseconf.Setting{Name: name, Value: value})
	}
	for r := range im.rows {
		if im.atBaseline(p, &im.rows[r]) {
			return true
		}
	}
	return false
}

func (im *Import) atBaseline(p *plan, r *row) bool {
	for i, name := range im.factors {
		if base, _ := p.baseline.Get(name); p.arm[i] && r.value(i) != base {
			return false
		}
	}
	return true
}

// labelledBaseline lists the rows whose trial says "baseline".
func (im *Import) labelledBaseline() []int {
	var list []int
	for i := range im.rows {
		if isBaselineLabel(im.rows[i].trial) {
			list = append(list, i)
		}
	}
	return list
}

// labelledSettings reads the baseline off the labelled rows, which have to
// agree.
func (im *Import) labelledSettings(p *plan, labelled []int) error {
	for i, name := range im.factors {
		if !p.arm[i] {
			continue
		}
		first := &im.rows[labelled[0]]
		for _, k := range labelled[1:] {
			if r := &im.rows[k]; r.value(i) != first.value(i) {
				return fmt.Errorf("%s:%d: this row is labelled baseline with %s=%s, but row %d with %s: say which with --baseline",
					r.file, r.line, name, r.value(i), first.line, first.value(i))
			}
		}
		p.baseline = p.baseline.With(hbaseconf.Setting{Name: name, Value: first.value(i)})
	}
	return nil
}

// isBaselineLabel accepts "baseline", "Baseline", "baseline-3".
func isBaselineLabel(label string) bool {
	if armLabel(label) == trial.BaselineID {
		return true
	}
	// Our own CSV puts the trial behind the variant: "baseline b1s01-mixed-h0.9".
	variant, _, found := strings.Cut(label, " ")
	return found && strings.EqualFold(variant, trial.BaselineID)
}

// armLabel is a trial's label without the number of the repeat.
func armLabel(label string) string {
	short := strings.TrimRight(strings.ToLower(label), "0123456789")
	short = strings.TrimRight(short, " -_.#")
	if short == "" {
		return strings.ToLower(label)
	}
	return short
}
