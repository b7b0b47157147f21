package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// observation is one restart on a curve.
type observation struct {
	x, y   float64 // y is a logarithm
	block  int     // dense, from 0
	source unit
}

// series is what one curve is fitted to.
type series struct {
	factor    Factor
	condition string
	workload  string // shown
	list      []observation
	blocks    int
	only      []family // instead of all that the levels allow
}

// curves fits one curve per factor and condition, and one over all conditions
// where there are several.
func (s *Set) curves(r rules, samples []*Sample) []Curve {
	var out []Curve
	list := s.seriesOf(r, samples)
	if n := len(list); n > manyCurves {
		r.resamples = max(min(r.resamples, 100), r.resamples*manyCurves/n)
	}
	for _, one := range list {
		out = append(out, r.curve(one))
	}
	return out
}

// seriesOf collects, for every factor, the restarts that differ in nothing
// else. With one factor moved at a time these are the baseline and the factor's
// own variants.
func (s *Set) seriesOf(r rules, samples []*Sample) []series {
	varied := s.varied()
	var out []series
	for f, factor := range s.Factors {
		if !varied[f] {
			continue
		}
		for _, view := range s.views(r, samples) {
			groups := map[string]*series{}
			var order []string
			for _, u := range view.units {
				x, ok := u.sample.Values[f].Number()
				if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
					continue
				}
				condition := view.condition
				if s.Imported {
					condition = u.sample.Workload
				}
				key, label := s.others(f, u.sample, varied)
				key = condition + "|" + key
				g := groups[key]
				if g == nil {
					g = &series{factor: factor, condition: condition, workload: strings.TrimPrefix(condition+label, ", ")}
					groups[key] = g
					order = append(order, key)
				}
				y := u.y
				if rowsPerSecond(factor, r.objective) {
					y += math.Log(x)
				}
				g.list = append(g.list, observation{x: x, y: y, source: u})
			}
			for _, g := range richest(order, groups) {
				g.numberBlocks()
				out = append(out, *g)
			}
		}
	}
	return out
}

// mostCurves is how many curves a factor gets. A table that moves many
// properties together falls into thousands of them, of a few points each; what
// it shows is the surface.
const mostCurves = 24

// manyCurves is from how many curves on each gets fewer resamples.
const manyCurves = 40

// richest picks the series with the most points, in their own order.
func richest(order []string, groups map[string]*series) []*series {
	var list []*series
	var sizes []int
	for _, key := range order {
		if g := groups[key]; len(levelsOf(g.list)) >= 2 {
			list = append(list, g)
			sizes = append(sizes, len(g.list))
		}
	}
	if len(list) <= mostCurves {
		return list
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	least, room := sizes[mostCurves-1], mostCurves
	for _, g := range list {
		if len(g.list) > least {
			room--
		}
	}
	return slices.DeleteFunc(list, func(g *series) bool {
		if len(g.list) == least && room > 0 {
			room--
			return false
		}
		return len(g.list) <= least
	})
}

// rowsPerSecond tells where operations of different size are compared: along the
// batch size a throughput means rows, not calls.
func rowsPerSecond(f Factor, objective Metric) bool {
	return f.Name == factorBatch && objective == Throughput
}

// view is what the curves of one condition are drawn from.
type view struct {
	condition string
	units     []unit
}

// views gives a sweep's restarts by condition and over all of them. Imported
// rows each stand for themselves: their conditions may hold the very factor
// that a curve runs along.
func (s *Set) views(r rules, samples []*Sample) []view {
	if s.Imported {
		var us []unit
		for _, one := range samples {
			if y := one.Metrics[r.objective]; positive(y) {
				us = append(us, unit{
					arm: one.Arm, session: one.ID, block: one.Block, order: one.Order, y: math.Log(y),
					trials: []string{one.ID}, sample: one,
				})
			}
		}
		return []view{{units: us}}
	}
	names := namesOf(samples)
	var out []view
	if len(names) > 1 {
		out = append(out, view{overall, units(samples, r.objective, overall, names)})
	}
	for _, name := range names {
		out = append(out, view{name, units(samples, r.objective, name, names)})
	}
	return out
}

// others tells what else a sample has set: two samples lie on the same curve
// only if that is equal. A property that merely gives what another one takes
// goes with it.
func (s *Set) others(f int, sample *Sample, varied []bool) (key, label string) {
	var b, l strings.Builder
	for i, factor := range s.Factors {
		if i == f || !varied[i] || factor.Name == s.Factors[f].complement || factor.complement == s.Factors[f].Name {
			continue
		}
		v := sample.Values[i]
		if factor.Name == factorHit {
			v = roughly(v)
		}
		b.WriteString(string(v))
		b.WriteByte(0)
		if s.Imported && v != "" && (factor.Load || v != factor.Baseline) {
			fmt.Fprintf(&l, ", %s %s", factor.Name, v)
		}
	}
	return b.String(), l.String()
}

// varied tells which factors have more than one level.
func (s *Set) varied() []bool {
	out := make([]bool, len(s.Factors))
	for i := range out {
		for k := range s.Samples {
			out[i] = out[i] || s.Samples[k].Values[i] != s.Samples[0].Values[i]
		}
	}
	return out
}

func (g *series) numberBlocks() {
	seen := map[int]int{}
	for i := range g.list {
		b := g.list[i].source.block
		if _, ok := seen[b]; !ok {
			seen[b] = len(seen)
		}
		g.list[i].block = seen[b]
	}
	g.blocks = len(seen)
}

// levelsOf groups observations by x, in order.
func levelsOf(list []observation) []level {
	byX := map[float64]int{}
	var levels []level
	for _, o := range list {
		i, ok := byX[o.x]
		if !ok {
			i = len(levels)
			byX[o.x] = i
			levels = append(levels, level{x: o.x})
		}
		levels[i].add(o.y)
	}
	slices.SortFunc(levels, func(a, b level) int { return cmp.Compare(a.x, b.x) })
	return levels
}

// curve fits one series.
func (r rules) curve(g series) Curve {
	y := make([]float64, len(g.list))
	for i, o := range g.list {
		y[i] = o.y
	}
	lowest := slices.MinFunc(g.list, func(a, b observation) int { return cmp.Compare(a.x, b.x) })
	log := g.factor.Log && lowest.x > 0
	concurrency := g.factor.Name == factorThreads && r.objective == Throughput
	g, list, offsets := g.withOrWithoutBlocks(y, log, concurrency)
	f := newFrame(g.list, g.blocks)
	response := r.objective.String()
	if rowsPerSecond(g.factor, r.objective) {
		response = "rows_per_s"
	}
	if g.condition == overall {
		response = "ratio"
		reference := g.reference(y, offsets)
		for i := range y {
			y[i] -= reference
		}
	}
	levels := f.levels(y, offsets)
	c := Curve{
		Factor: g.factor.Name, Unit: g.factor.Unit, Workload: g.workload, Response: response,
		Log: log, Model: "none", Params: map[string]float64{}, Points: g.points(y, offsets),
	}
	if x, ok := g.factor.Baseline.Number(); ok {
		c.Baseline = &x
	}
	ranked := choose(levels, list, g.blocks)
	if !g.told(ranked) {
		c.Note = fmt.Sprintf("%s at %s: too few to fit a curve", plural(len(y), "measurement"), plural(len(levels), "level"))
		return c
	}
	best := ranked[0]
	if concurrency {
		best = preferred(ranked, "usl")
	}
	c.Model, c.Params = best.name, best.params
	adjusted := make([]float64, len(y))
	for i := range y {
		adjusted[i] = y[i] - offsets[f.block[i]]
	}
	for _, m := range ranked {
		loo, ok := f.leaveOneOut(adjusted, list, m.name)
		if !ok {
			continue
		}
		c.Models = append(c.Models, ModelScore{Model: m.name, AICc: m.aicc, LOOError: loo})
		if m.name == best.name {
			c.LOOError = known(loo)
		}
	}
	b := r.bootstrap(g, f, adjusted, offsets, best, list, log)
	c.Band, c.Intervals = b.band, b.params
	c.Optimum = r.optimum(best, levels, b, log)
	if best.name == "usl" && g.condition != overall {
		c.Knee = knee(best.model, levels, b.knees, b.widen)
	}
	c.Note = r.note(&c, levels)
	return c
}

// withOrWithoutBlocks decides whether the blocks get levels of their own. They
// cost a parameter each, which few points can't pay; AICc says whether they are
// worth it.
func (g series) withOrWithoutBlocks(y []float64, log, concurrency bool) (chosen series, list []family, offsets []float64) {
	try := func(g series) ([]family, []float64, []fitted) {
		f := newFrame(g.list, g.blocks)
		offsets := f.offsets(y)
		levels := f.levels(y, offsets)
		list := g.only
		if list == nil {
			list = families(levels, log, concurrency)
		}
		return list, offsets, choose(levels, list, g.blocks)
	}
	list, offsets, ranked := try(g)
	if g.blocks == 1 {
		return g, list, offsets
	}
	plain := g
	plain.blocks, plain.list = 1, slices.Clone(g.list)
	for i := range plain.list {
		plain.list[i].block = 0
	}
	plainList, none, plainRanked := try(plain)
	if plain.told(plainRanked) && (!g.told(ranked) || plainRanked[0].aicc < ranked[0].aicc) {
		return plain, plainList, none
	}
	return g, list, offsets
}

// told reports whether the data said anything: a flat curve only does where
// another one had its chance.
func (g *series) told(ranked []fitted) bool {
	return len(ranked) > 1 || len(ranked) == 1 && (ranked[0].name != "flat" || g.only != nil)
}

// points lists what was measured; over all conditions a restart is one point,
// named after its first trial.
func (g *series) points(y, offsets []float64) []Point {
	var out []Point
	for i, o := range g.list {
		for _, id := range o.source.trials {
			out = append(out, Point{
				Trial: id, X: o.x, Y: math.Exp(y[i]), Adjusted: math.Exp(y[i] - offsets[o.block]), Block: o.source.block,
			})
			if g.condition == overall {
				break
			}
		}
	}
	return out
}

// preferred picks a family by name where it could be fitted.
func preferred(ranked []fitted, name string) fitted {
	for _, m := range ranked {
		if m.name == name {
			return m
		}
	}
	return ranked[0]
}

// reference is the baseline's level over a series, or the mean of all points
// where the baseline is not among them.
func (g *series) reference(y, offsets []float64) float64 {
	base, ok := g.factor.Baseline.Number()
	sum, n, all := 0.0, 0.0, 0.0
	for i, o := range g.list {
		v := y[i] - offsets[o.block]
		all += v / float64(len(g.list))
		if ok && o.x == base {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return all
	}
	return sum / n
}
