package analyze

import (
	"cmp"
	"math"
	"slices"

	"hbtune/sweep/trial"
)

// unit is one restart's logarithm of the objective in one condition, or its
// mean over all conditions: what is replicated, and all that tests see.
type unit struct {
	arm     string
	session string
	block   int
	order   int
	y       float64
	trials  []string
	sample  *Sample // the first it was made of
}

// units reduces samples to restarts. With condition "overall" a restart counts
// only if it was measured in every condition: otherwise the mean would move
// with what is missing.
func units(samples []*Sample, m Metric, condition string, all []string) []unit {
	type cell struct {
		sum float64
		n   int
	}
	type work struct {
		unit
		cells map[string]*cell
	}
	found := map[string]*work{}
	var list []*work
	for _, s := range samples {
		if !positive(s.Metrics[m]) || condition != overall && s.Condition != condition {
			continue
		}
		w := found[s.Session]
		if w == nil {
			w = &work{
				unit:  unit{arm: s.Arm, session: s.Session, block: s.Block, order: s.Order, sample: s},
				cells: map[string]*cell{},
			}
			found[s.Session] = w
			list = append(list, w)
		}
		c := w.cells[s.Condition]
		if c == nil {
			c = &cell{}
			w.cells[s.Condition] = c
		}
		c.sum += math.Log(s.Metrics[m])
		c.n++
		w.trials = append(w.trials, s.ID)
	}
	var out []unit
	for _, w := range list {
		if condition == overall && len(w.cells) < len(all) {
			continue
		}
		for _, name := range all {
			if c := w.cells[name]; c != nil {
				w.y += c.sum / float64(c.n) / float64(len(w.cells))
			}
		}
		out = append(out, w.unit)
	}
	slices.SortStableFunc(out, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.order, b.order))
	})
	return out
}

// detrend takes a straight line through a block's first and last sentinel out
// of the block, where they differ by more than the equivalence band; a smaller
// difference stays in the noise, because removing it would cost more certainty
// than it gives. It returns the units and what it saw.
func detrend(list []unit, baseline string, band float64, condition string) (out []unit, drifts []Drift, removed int) {
	out = slices.Clone(list)
	for start := 0; start < len(out); {
		end := start
		var first, last *unit
		for ; end < len(out) && out[end].block == out[start].block; end++ {
			if u := &out[end]; u.arm == baseline {
				if first == nil {
					first = u
				}
				last = u
			}
		}
		if first != nil && last.order > first.order {
			change := last.y - first.y
			slope := change / float64(last.order-first.order)
			middle := float64(last.order+first.order) / 2
			d := Drift{
				Block: out[start].block, Workload: condition, Ratio: math.Exp(change),
				Removed: math.Abs(change) > math.Log1p(band),
				Trials:  slices.Concat(first.trials, last.trials),
			}
			if d.Removed {
				removed++
				for i := start; i < end; i++ {
					out[i].y -= slope * (float64(out[i].order) - middle)
				}
			}
			drifts = append(drifts, d)
		}
		start = end
	}
	return out, drifts, removed
}

// comparable gives the restarts of a condition as arms are compared by: those of
// a sweep with the drift of their blocks taken out. Imported rows come in no
// order that drift could be told from.
func (s *Set) comparable(r rules, samples []*Sample, condition string, names []string) (us []unit, drifts []Drift, removed int) {
	us = units(samples, r.objective, condition, names)
	if s.Imported {
		return us, nil, 0
	}
	return detrend(us, trial.BaselineID, r.equivalence, condition)
}

// exploring are the samples that candidates are compared by.
func (s *Set) exploring() []*Sample {
	if s.Imported {
		return s.all()
	}
	return s.phase(trial.Explore)
}

// all are the samples of every phase.
func (s *Set) all() []*Sample {
	list := make([]*Sample, len(s.Samples))
	for i := range s.Samples {
		list[i] = &s.Samples[i]
	}
	return list
}
