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
}

// curves fits one curve per factor and condition, and one over all conditions
// where there are several.
func (s *Set) curves(r rules, samples []*Sample) []Curve {
	var out []Curve
	for _, one := range s.seriesOf(r, samples) {
		out = append(out, r.curve(one))
	}
	return out
}

// seriesOf collects, for every factor, the restarts that differ in nothing
// else. With one factor moved at a time these are the baseline and the factor's
// own variants.
func (s *Set) seriesOf(r rules, samples []*Sample) []series {
	var out []series
	for f, factor := range s.Factors {
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
				key, label := s.others(f, u.sample)
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
			for _, key := range order {
				g := groups[key]
				if len(levelsOf(g.list)) >= 2 {
					g.numberBlocks()
					out = append(out, *g)
				}
			}
		}
	}
	return out
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
func (s *Set) others(f int, sample *Sample) (key, label string) {
	var b, l strings.Builder
	for i, factor := range s.Factors {
		if i == f || factor.Name == s.Factors[f].complement || factor.complement == s.Factors[f].Name {
			continue
		}
		v := sample.Values[i]
		if factor.Name == factorHit {
			v = roughly(v)
		}
		fmt.Fprintf(&b, "%s=%s;", factor.Name, v)
		if s.Imported && s.varied(i) && v != "" && (factor.Load || v != factor.Baseline) {
			fmt.Fprintf(&l, ", %s %s", factor.Name, v)
		}
	}
	return b.String(), l.String()
}

// varied tells whether a factor has more than one level.
func (s *Set) varied(i int) bool {
	for k := range s.Samples {
		if s.Samples[k].Values[i] != s.Samples[0].Values[i] {
			return true
		}
	}
	return false
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
		// Welford's update keeps the scatter exact for large y.
		l := &levels[i]
		l.n++
		d := o.y - l.y
		l.y += d / l.n
		l.scatter += d * (o.y - l.y)
	}
	slices.SortFunc(levels, func(a, b level) int { return cmp.Compare(a.x, b.x) })
	return levels
}

// adjust takes the blocks' own levels out of y, by the additive model
// y = level + block, and returns them; over all points they sum to 0.
func adjust(list []observation, blocks int) (adjusted []observation, offsets []float64) {
	adjusted = slices.Clone(list)
	offsets = make([]float64, blocks)
	if blocks < 2 {
		return adjusted, offsets
	}
	for range 200 {
		levels := map[float64][2]float64{}
		for i := range list {
			v := levels[list[i].x]
			levels[list[i].x] = [2]float64{v[0] + list[i].y - offsets[list[i].block], v[1] + 1}
		}
		next, n := make([]float64, blocks), make([]float64, blocks)
		for _, o := range list {
			v := levels[o.x]
			next[o.block] += o.y - v[0]/v[1]
			n[o.block]++
		}
		mean, moved := 0.0, 0.0
		for k := range next {
			mean += next[k] / float64(len(list))
			next[k] /= n[k]
		}
		for k := range next {
			next[k] -= mean
			moved = max(moved, math.Abs(next[k]-offsets[k]))
		}
		offsets = next
		if moved < 1e-9 {
			break
		}
	}
	for i := range adjusted {
		adjusted[i].y -= offsets[adjusted[i].block]
	}
	return adjusted, offsets
}

// curve fits one series.
func (r rules) curve(g series) Curve {
	adjusted, offsets := adjust(g.list, g.blocks)
	shift := 0.0
	response := r.objective.String()
	if rowsPerSecond(g.factor, r.objective) {
		response = "rows_per_s"
	}
	if g.condition == overall {
		response = "ratio"
		shift = g.reference(adjusted)
		for i := range adjusted {
			adjusted[i].y -= shift
		}
	}
	levels := levelsOf(adjusted)
	log := g.factor.Log && levels[0].x > 0
	c := Curve{
		Factor: g.factor.Name, Unit: g.factor.Unit, Workload: g.workload, Response: response,
		Log: log, Model: "none", Params: map[string]float64{},
	}
	if x, ok := g.factor.Baseline.Number(); ok {
		c.Baseline = &x
	}
	for i, o := range adjusted {
		raw := math.Exp(g.list[i].y - shift)
		for _, id := range o.source.trials {
			c.Points = append(c.Points, Point{
				Trial: id, X: o.x, Y: raw, Adjusted: math.Exp(o.y), Block: o.source.block,
			})
			if g.condition == overall {
				break // one point a restart; the session's first trial names it
			}
		}
	}
	concurrency := g.factor.Name == factorThreads && r.objective == Throughput
	list := families(levels, log, concurrency)
	ranked := choose(levels, list, g.blocks)
	// A flat curve says something only where another one had its chance.
	if len(ranked) == 0 || len(ranked) == 1 && ranked[0].name == "flat" {
		c.Note = fmt.Sprintf("%s at %s: too few to fit a curve", plural(len(adjusted), "measurement"), plural(len(levels), "level"))
		return c
	}
	best := ranked[0]
	if concurrency {
		best = preferred(ranked, "usl")
	}
	c.Model, c.Params = best.name, best.params
	for _, m := range ranked {
		loo, ok := leaveOneOut(adjusted, list, m.name)
		if !ok {
			continue
		}
		c.Models = append(c.Models, ModelScore{Model: m.name, AICc: m.aicc, LOOError: loo})
		if m.name == best.name {
			c.LOOError = known(loo)
		}
	}
	b := r.bootstrap(g, adjusted, offsets, best, list, log)
	c.Band, c.Intervals = b.band, b.params
	c.Optimum = r.optimum(best, levels, b, log)
	c.Note = r.note(&c, levels)
	return c
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
func (g *series) reference(adjusted []observation) float64 {
	base, ok := g.factor.Baseline.Number()
	sum, n, all := 0.0, 0.0, 0.0
	for _, o := range adjusted {
		all += o.y / float64(len(adjusted))
		if ok && o.x == base {
			sum, n = sum+o.y, n+1
		}
	}
	if n == 0 {
		return all
	}
	return sum / n
}

// folds is how many parts a large series is cut into for leave-one-out.
const folds = 40

// leaveOneOut is the relative error with which a family predicts what it was
// not fitted to. Small series leave out one point at a time, large ones a
// fortieth.
func leaveOneOut(adjusted []observation, list []family, name string) (float64, bool) {
	n := len(adjusted)
	parts := min(n, folds)
	sum, count := 0.0, 0
	for part := range parts {
		var kept []observation
		for i, o := range adjusted {
			if i%parts != part {
				kept = append(kept, o)
			}
		}
		levels := levelsOf(kept)
		m, ok := refit(levels, list, name)
		if !ok {
			return 0, false
		}
		for i := part; i < n; i += parts {
			d := adjusted[i].y - math.Log(m.eval(adjusted[i].x))
			if math.IsNaN(d) || math.IsInf(d, 0) {
				return 0, false
			}
			sum += d * d
			count++
		}
	}
	return math.Sqrt(sum / float64(count)), true
}

// refit fits the family of that name.
func refit(levels []level, list []family, name string) (model, bool) {
	for _, f := range list {
		if m, ok := f(levels); ok && m.name == name {
			return m, true
		}
	}
	return model{}, false
}
