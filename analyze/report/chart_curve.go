package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hbtune/analyze"
	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// figure is a chart with the words that belong to it; they stand in HTML,
// where they wrap.
type figure struct {
	Title   template.HTML
	SVG     template.HTML
	Caption template.HTML
}

// curveGroup holds the curves of one condition. They share the y axis, so that
// a parameter that matters looks different from one that doesn't.
type curveGroup struct {
	Name    string
	Figures []figure
}

// overall is analyze's name for all conditions taken together.
const overall = "overall"

func curveGroups(s *styles, in view) []curveGroup {
	var groups []curveGroup
	for _, name := range curveWorkloads(in.Result) {
		var curves []analyze.Curve
		for _, c := range in.Result.Curves {
			if c.Workload == name {
				curves = append(curves, c)
			}
		}
		low, high := curveRange(curves)
		group := curveGroup{Name: workloadTitle(name)}
		for _, c := range curves {
			failed := failures(in, c)
			group.Figures = append(group.Figures, figure{
				Title:   breakable(c.Factor),
				SVG:     curveChart(s, c, failed, low, high),
				Caption: curveCaption(in, c, failed),
			})
		}
		groups = append(groups, group)
	}
	return groups
}

func workloadTitle(name string) string {
	if name == overall {
		return "All conditions together"
	}
	return name
}

// curveWorkloads lists the conditions in analyze's order, what spans them last.
func curveWorkloads(r *analyze.Result) []string {
	var names []string
	for _, c := range r.Curves {
		if !slices.Contains(names, c.Workload) && c.Workload != overall {
			names = append(names, c.Workload)
		}
	}
	if slices.ContainsFunc(r.Curves, func(c analyze.Curve) bool { return c.Workload == overall }) {
		names = append(names, overall)
	}
	return names
}

// curveRange spans points and fits, with at least 15 % between the ends: less
// would blow noise up to look like an effect.
func curveRange(curves []analyze.Curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, p := range c.Points {
			low, high = min(low, p.Adjusted), max(high, p.Adjusted)
		}
		for _, row := range c.Band {
			low, high = min(low, row[1]), max(high, row[1])
		}
	}
	if low > high {
		return 0, 1
	}
	const least = 1.15
	if high < low*least {
		middle := math.Sqrt(low * high)
		low, high = min(low, middle/math.Sqrt(least)), max(high, middle*math.Sqrt(least))
	}
	return widen(low, high, false, 0.08)
}

// failure is a value of the factor with which the target did not serve.
type failure struct {
	x      float64
	value  hbaseconf.Value
	code   string
	trials []string
}

// failures collects a factor's values that gave no measurement at all.
func failures(in view, c analyze.Curve) []failure {
	var found []failure
	for _, r := range in.ordered {
		value, set := r.Variant.Settings.Get(c.Factor)
		x, isNumber := value.Number()
		if r.Fault == nil || r.Fault.Code == trial.FaultInterrupted || r.Variant.Factor != c.Factor || !set || !isNumber ||
			c.Workload != overall && condition(in.Result, r.Workload) != c.Workload {
			continue
		}
		i := slices.IndexFunc(found, func(f failure) bool { return f.value == value })
		if i < 0 {
			found = append(found, failure{x: x, value: value, code: r.Fault.Code})
			i = len(found) - 1
		}
		found[i].trials = append(found[i].trials, r.ID)
	}
	return slices.DeleteFunc(found, func(f failure) bool {
		return slices.ContainsFunc(c.Points, func(p analyze.Point) bool { return p.X == f.x })
	})
}

func curveChart(s *styles, c analyze.Curve, failed []failure, low, high float64) template.HTML {
	const width, height = vg.Length(300), vg.Length(215)
	d := newDrawing(width, height)
	p := newPlot()
	xs := measured(c, failed)
	log := c.Log && len(xs) > 0 && xs[0] > 0
	xLow, xHigh := 0.0, 1.0
	if len(xs) > 0 {
		xLow, xHigh = widen(xs[0], xs[len(xs)-1], log, 0.06)
	}
	x := scale{label: unitLabel(c.Unit, log), log: log, bytes: c.Unit == "bytes", levels: xs, length: width - 75}
	x.use(&p.X, xLow, xHigh)
	responseScale(c.Response).use(&p.Y, low, high)

	band := area{colour: bandInk}
	fit := polyline{style: line(curveInk, 1.8)}
	for _, row := range c.Band {
		band.x, band.low, band.high = append(band.x, row[0]), append(band.low, row[2]), append(band.high, row[3])
		fit.x, fit.y = append(fit.x, row[0]), append(fit.y, row[1])
	}
	points := blockDots(c)
	many := crowded(points)
	p.Add(band)
	if c.Baseline != nil {
		p.Add(upright{x: *c.Baseline, style: line(baselineInk, 1.2, 4, 3)})
	}
	if c.Knee != nil && c.Knee.InsideRange {
		p.Add(upright{x: c.Knee.X, style: line(muted, 1, 1.5, 2.5)})
	}
	p.Add(fit)
	for _, set := range points {
		p.Add(set)
	}
	if many { // they would hide the curve
		p.Add(fit)
	}
	for _, f := range failed {
		p.Add(cross{x: f.x})
	}
	d.finish(p, points...)
	return d.inline(s, fmt.Sprintf("%s against %s, %s", responseName(c.Response), c.Factor, c.Workload))
}

// measured lists the distinct x of a curve in order, those that failed too.
func measured(c analyze.Curve, failed []failure) []float64 {
	var xs []float64
	for _, p := range c.Points {
		xs = append(xs, p.X)
	}
	for _, f := range failed {
		xs = append(xs, f.x)
	}
	if c.Baseline != nil {
		xs = append(xs, *c.Baseline)
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// blockDots sorts a curve's points by block, one colour each.
func blockDots(c analyze.Curve) []dots {
	byBlock := map[int]*dots{}
	var blocks []int
	for _, p := range c.Points {
		set := byBlock[p.Block]
		if set == nil {
			set = &dots{colour: blockColour(p.Block)}
			byBlock[p.Block] = set
			blocks = append(blocks, p.Block)
		}
		text := fmt.Sprintf("%s: %s at %s", p.Trial, responseValue(c.Response, p.Y), xValue(c, p.X))
		if p.Adjusted != p.Y {
			text += fmt.Sprintf(" (%s with the block's own level taken out)", responseValue(c.Response, p.Adjusted))
		}
		set.at = append(set.at, dot{x: p.X, y: p.Adjusted, text: text})
	}
	slices.Sort(blocks)
	sets := make([]dots, len(blocks))
	for i, b := range blocks {
		sets[i] = *byBlock[b]
	}
	return sets
}

// cross marks, at the foot of the plot, a value that failed.
type cross struct{ x float64 }

func (f cross) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at, r := vg.Point{X: x(f.x), Y: c.Min.Y + 8}, vg.Length(4)
	c.StrokeLine2(line(badInk, 1.8), at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line(badInk, 1.8), at.X-r, at.Y+r, at.X+r, at.Y-r)
}

func curveCaption(in view, c analyze.Curve, failed []failure) template.HTML {
	var parts []string
	model := modelName(c.Model)
	if c.LOOError != nil && c.Model != "none" {
		model += fmt.Sprintf(", leave-one-out error %s", percent(*c.LOOError))
	}
	parts = append(parts, "<b>Model:</b> "+escape(model)+".")
	outside := c.Optimum != nil && !c.Optimum.InsideRange
	if o := c.Optimum; o != nil && !(outside && c.Model == "usl") {
		best := "Best at " + xValue(c, o.X)
		if o.Low != nil && o.High != nil && *o.Low != *o.High {
			best += fmt.Sprintf(" (95 %% interval %s to %s)", xValue(c, *o.Low), xValue(c, *o.High))
		}
		if outside {
			best += ", an end of the range measured: the true best may lie beyond it"
		}
		parts = append(parts, escape(best)+".")
	}
	if k := c.Knee; k != nil && k.InsideRange {
		parts = append(parts, escape(fmt.Sprintf("Knee at %s: %s of the best throughput at %s of its latency.",
			xValue(c, k.X), percent(k.PeakShare), percent(1/k.PeakLatency))))
	}
	if c.Note != "" && (!outside || c.Model == "usl") {
		parts = append(parts, escape(sentence(c.Note)))
	}
	for _, f := range failed {
		parts = append(parts, fmt.Sprintf(`<span class="bad">✕</span> %s failed (%s; %s).`,
			escape(setting(f.value, c.Unit)), escape(f.code), escape(in.cited.list(f.trials))))
	}
	return template.HTML(strings.Join(parts, " "))
}

func modelName(model string) string {
	switch model {
	case "none":
		return "none"
	case "flat":
		return "flat"
	case "linear-log":
		return "linear in log x"
	case "quadratic-log":
		return "quadratic in log x"
	case "spline":
		return "monotone spline"
	case "usl":
		return "Universal Scalability Law"
	default:
		return model
	}
}

// breakable lets a long name break after its dots.
func breakable(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(escape(name), ".", ".<wbr>"))
}

func escape(s string) string { return template.HTMLEscapeString(s) }
