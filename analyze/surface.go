package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hbtune/analyze/surface"
	"hbtune/hbaseconf"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/trial"
)

// Surface is the objective over all properties at once. It is fitted where
// variants move several properties together; where each moves one, the curves
// say all that the data do.
type Surface struct {
	// Model is "gaussian-process", "random-forest", or "constant" where nothing
	// predicts a setting from the others better than their mean does.
	Model    string         `json:"model"`
	LOOError *float64       `json:"loo_error"` // relative
	Models   []SurfaceScore `json:"models"`
	Settings int            `json:"settings"` // distinct, measured
	Restarts int            `json:"restarts"`
	Censored int            `json:"censored"` // settings whose true value may be better
	Failed   int            `json:"failed"`   // settings that did not serve
	// Effects are the main effects, one a property, as ratios to its baseline.
	Effects      []MainEffect  `json:"effects"`
	Interactions []Interaction `json:"interactions"`
	Proposal     *Proposal     `json:"proposal,omitempty"`
	Note         string        `json:"note,omitempty"`
}

// SurfaceScore tells how well a kind of surface predicts what it did not see.
type SurfaceScore struct {
	Model    string  `json:"model"`
	LOOError float64 `json:"loo_error"`
}

// MainEffect is a property's effect averaged over all others. Points are x,
// ratio, low, high.
type MainEffect struct {
	Factor string       `json:"factor"`
	Unit   string       `json:"unit,omitempty"`
	Log    bool         `json:"log"`
	Points [][4]float64 `json:"points"`
	// Baseline is where the ratio is 1.
	Baseline float64 `json:"baseline"`
}

// Interaction is how much more two properties give together than each alone,
// from the lower to the upper end of both ranges: 1 means that they add up.
type Interaction struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// effectPoints is at how many values a main effect is shown.
const effectPoints = 9

// landscape is a fitted surface with what it takes to ask it about settings.
type landscape struct {
	set      *Set
	rules    rules
	axes     []axis
	points   []surface.Point
	trials   int
	scores   []surface.Score
	baseline []float64
	failed   [][]float64 // places that did not serve
	bounds   []bounded
	random   *rand.Rand
}

// axis is a property on the surface: its place in Set.Factors and its range.
type axis struct {
	factor    int
	low, high float64
	log       bool
	whole     bool // only whole numbers were measured
	measured  []float64
}

// bounded is a constraint in one condition, as a surface of its own.
type bounded struct {
	constraint Constraint
	condition  string
	level      float64 // log of the baseline's
	model      surface.Model
}

// in brings a value to 0..1.
func (a axis) in(x float64) float64 {
	return (scaled(x, a.log) - scaled(a.low, a.log)) / (scaled(a.high, a.log) - scaled(a.low, a.log))
}

func (a axis) out(u float64) float64 {
	x := scaled(a.low, a.log) + u*(scaled(a.high, a.log)-scaled(a.low, a.log))
	if a.log {
		x = math.Exp(x)
	}
	return x
}

// crossed tells whether some of the variants that were explored move several
// properties: only then can a surface say more than curves.
func (s *Set) crossed(samples []*Sample, axes []axis) bool {
	for _, one := range samples {
		moved := 0
		for _, a := range axes {
			f := &s.Factors[a.factor]
			if v := one.Values[a.factor]; v != "" && v != f.Baseline {
				moved++
			}
		}
		if moved > 1 {
			return true
		}
	}
	return false
}

// axes lists the properties that vary and are numbers throughout.
func (s *Set) axes() []axis {
	if len(s.Samples) == 0 {
		return nil
	}
	var out []axis
	varied := s.varied()
	for f, factor := range s.Factors {
		follows := slices.ContainsFunc(s.Factors, func(o Factor) bool { return o.complement == factor.Name })
		if !varied[f] || factor.Load || follows {
			continue
		}
		a := axis{factor: f, low: math.Inf(1), high: math.Inf(-1), log: factor.Log, whole: true}
		sound := true
		for i := range s.Samples {
			x, ok := s.Samples[i].Values[f].Number()
			if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
				sound = false
				break
			}
			a.low, a.high = min(a.low, x), max(a.high, x)
			a.whole = a.whole && x == math.Trunc(x)
			a.measured = append(a.measured, x)
		}
		if sound && a.high > a.low {
			a.log = a.log && a.low > 0
			slices.Sort(a.measured)
			a.measured = slices.Compact(a.measured)
			out = append(out, a)
		}
	}
	return out
}

// landscape fits the surface of the objective, or says that there is none to
// be fitted.
func (s *Set) landscape(r rules, samples []*Sample) *landscape {
	axes := s.axes()
	if len(axes) < 2 || !s.crossed(samples, axes) {
		return nil
	}
	l := &landscape{set: s, rules: r, axes: axes, random: r.random("surface")}
	names := namesOf(samples)
	us, _, _ := s.comparable(r, samples, overall, names)
	var scatter surface.Scatter
	l.points, scatter = l.gather(us)
	if len(l.points) < len(axes)+3 {
		return nil
	}
	for _, u := range us {
		l.trials += len(u.trials)
	}
	l.scores = surface.Fit(l.points, scatter, l.random)
	l.baseline = l.origin()
	for _, f := range s.failed {
		if x, ok := l.place(f); ok {
			l.failed = append(l.failed, x)
		}
	}
	for _, c := range r.constraints {
		for _, name := range names {
			l.bound(c, name, samples, names)
		}
	}
	return l
}

// gather takes the level of its block out of every restart and puts the
// restarts of equal settings together. The baseline's come first.
func (l *landscape) gather(us []unit) ([]surface.Point, surface.Scatter) {
	if len(us) == 0 {
		return nil, surface.Scatter{}
	}
	reference := us[0].arm
	if slices.ContainsFunc(us, func(u unit) bool { return u.arm == trial.BaselineID }) {
		reference = trial.BaselineID
	}
	e := fitBlocks(us, reference, 0)
	type group struct {
		level
		x        []float64
		censored int
	}
	groups := map[string]*group{}
	var order []*group
	for _, u := range us {
		shift, reached := e.block[u.block]
		if !reached {
			continue
		}
		x := make([]float64, len(l.axes))
		for j, a := range l.axes {
			v, _ := u.sample.Values[a.factor].Number()
			x[j] = a.in(v)
		}
		key := fmt.Sprint(x)
		g := groups[key]
		if g == nil {
			g = &group{x: x}
			groups[key] = g
			order = append(order, g)
			if u.arm == reference && len(order) > 1 {
				copy(order[1:], order[:len(order)-1])
				order[0] = g
			}
		}
		g.add(u.y - shift)
		if u.sample.censored(l.rules.objective) {
			g.censored++
		}
	}
	var points []surface.Point
	var scatter surface.Scatter
	for _, g := range order {
		points = append(points, surface.Point{X: g.x, Y: g.y, N: g.n, Censored: 2*g.censored > int(g.n)})
		scatter.Squares += g.scatter
		scatter.Freedom += g.n - 1
	}
	if blocks := float64(len(e.block) - 1); scatter.Freedom > blocks {
		scatter.Freedom -= blocks
	} else {
		scatter = surface.Scatter{}
	}
	return points, scatter
}

// censored tells whether the server could have done better than was measured:
// the client was the limit, or no more was asked for.
func (s *Sample) censored(objective Metric) bool {
	if objective != Throughput {
		return false
	}
	bound := s.Metrics[ClientCPU] > diagnose.FullClient || slices.Contains(s.Flags, AuditClient)
	return bound || s.Offered > 0 && s.Metrics[Throughput] >= diagnose.RateReached*s.Offered
}

// origin is the baseline's place; what it does not say is taken from the first
// point.
func (l *landscape) origin() []float64 {
	x := slices.Clone(l.points[0].X)
	for j, a := range l.axes {
		if v, ok := l.set.Factors[a.factor].Baseline.Number(); ok {
			x[j] = a.in(v)
		}
	}
	return x
}

// place finds settings on the surface.
func (l *landscape) place(s hbaseconf.Settings) ([]float64, bool) {
	x := make([]float64, len(l.axes))
	for j, a := range l.axes {
		v, ok := s.Get(l.set.Factors[a.factor].Name)
		if !ok {
			v = l.set.Factors[a.factor].Baseline
		}
		number, ok := v.Number()
		if !ok || a.log && number <= 0 {
			return nil, false
		}
		x[j] = a.in(number)
	}
	return x, true
}

// bound fits a constraint's metric in one condition.
func (l *landscape) bound(c Constraint, condition string, samples []*Sample, names []string) {
	us := units(samples, c.Metric, condition, names)
	points, scatter := l.gather(us)
	level, ok := armMeans(samples, condition, c.Metric)[trial.BaselineID]
	if len(points) < len(l.axes)+3 || !ok || !positive(level) {
		return
	}
	for i := range points {
		points[i].Censored = false
	}
	scores := surface.Fit(points, scatter, l.rules.random("surface "+c.String()+condition))
	l.bounds = append(l.bounds, bounded{constraint: c, condition: condition, level: math.Log(level), model: scores[0].Model})
}

// report says what the surface shows.
func (l *landscape) report() *Surface {
	best := l.scores[0]
	out := &Surface{
		Model: best.Model.Name(), LOOError: known(best.Error), Settings: len(l.points), Restarts: l.trials,
		Failed: len(l.failed), Effects: []MainEffect{}, Interactions: []Interaction{},
	}
	for _, one := range l.scores {
		out.Models = append(out.Models, SurfaceScore{Model: one.Model.Name(), LOOError: one.Error})
	}
	for _, p := range l.points {
		if p.Censored {
			out.Censored++
		}
	}
	if out.Model == "constant" {
		out.Note = "no surface predicts a setting from the others better than their mean does"
		return out
	}
	z := surface.Quantile(len(l.points), len(l.axes), Alpha)
	at := make([][]float64, len(l.axes))
	for j := range at {
		for k := range effectPoints {
			at[j] = append(at[j], float64(k)/(effectPoints-1))
		}
		if b := l.baseline[j]; b > 0 && b < 1 && !slices.Contains(at[j], b) {
			at[j] = append(at[j], b)
			slices.Sort(at[j])
		}
	}
	for _, e := range surface.MainEffects(best.Model, l.baseline, at) {
		a := l.axes[e.Factor]
		f := l.set.Factors[a.factor]
		m := MainEffect{Factor: f.Name, Unit: f.Unit, Log: a.log, Baseline: a.out(l.baseline[e.Factor])}
		for k, u := range e.X {
			m.Points = append(m.Points, [4]float64{
				a.out(u), math.Exp(e.Mean[k]), math.Exp(e.Mean[k] - z*e.SD[k]), math.Exp(e.Mean[k] + z*e.SD[k]),
			})
		}
		out.Effects = append(out.Effects, m)
	}
	for _, i := range surface.Interactions(best.Model, len(l.axes)) {
		out.Interactions = append(out.Interactions, Interaction{
			A: l.set.Factors[l.axes[i.A].factor].Name, B: l.set.Factors[l.axes[i.B].factor].Name,
			Ratio: math.Exp(i.Mean), Low: math.Exp(i.Mean - z*i.SD), High: math.Exp(i.Mean + z*i.SD),
		})
	}
	out.Proposal = l.propose()
	return out
}

// importance is every property's share of the surface's variance over the
// range that was measured, what it does together with others included.
func (l *landscape) importance() []Importance {
	var out []Importance
	for j, share := range surface.Shares(l.scores[0].Model, len(l.axes), Alpha, l.rules.random("shares")) {
		out = append(out, Importance{
			Property: l.set.Factors[l.axes[j].factor].Name,
			Share:    share.Total, Low: known(share.TotalLow), High: known(share.TotalHigh),
		})
	}
	sortImportance(out)
	return out
}
