package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// hitFigures draws throughput and p99 against the measured data-block hit rate.
func hitFigures(s *styles, r *analyze.Result) []figure {
	var figures []figure
	for _, h := range r.HitRate {
		if len(h.Points) == 0 {
			continue
		}
		figures = append(figures, figure{
			Title: breakable("throughput, " + h.Workload), SVG: hitChart(s, h, "throughput"), Caption: template.HTML(escape(hitCaption(h))),
		})
		if slices.ContainsFunc(h.Points, func(p analyze.HitPoint) bool { return p.P99Micros > 0 }) {
			figures = append(figures, figure{
				Title: breakable("p99 latency, " + h.Workload), SVG: hitChart(s, h, "p99_us"),
				Caption: template.HTML(escape("The p99 of the slowest kind of operation, same measurements." + freeCaption(h, "p99_us"))),
			})
		}
	}
	return figures
}

func hitCaption(h analyze.HitChart) string {
	text := fmt.Sprintf("%s.", plural(len(h.Points), "measurement", "measurements"))
	if h.HitMicros != nil && h.MissMicros != nil {
		text += fmt.Sprintf(" Line: 1/throughput = hit·a + (1−hit)·b with a = %s µs for an operation that finds its block in the cache and b = %s µs for one that does not",
			quantity(*h.HitMicros), quantity(*h.MissMicros))
		if h.Error != nil {
			text += fmt.Sprintf("; it misses the points by %s", percent(*h.Error))
		}
		text += "."
	}
	text += freeCaption(h, "throughput")
	if h.Note != "" {
		text += " " + sentence(h.Note)
	}
	return text
}

// free is the curve that the data choose by themselves.
func free(h analyze.HitChart, response string) (analyze.HitFit, bool) {
	i := slices.IndexFunc(h.Free, func(f analyze.HitFit) bool { return f.Response == response })
	if i < 0 || len(h.Free[i].Band) == 0 {
		return analyze.HitFit{}, false
	}
	return h.Free[i], true
}

func freeCaption(h analyze.HitChart, response string) string {
	f, ok := free(h, response)
	if !ok {
		return ""
	}
	text := " Dashed: the free fit, " + modelName(f.Model)
	if f.LOOError != nil {
		text += ", leave-one-out error " + percent(*f.LOOError)
	}
	return text + "."
}

// hitTargets lists the hit levels asked for, in order; their place gives the
// colour of their points.
func hitTargets(r *analyze.Result) []float64 {
	var targets []float64
	for _, h := range r.HitRate {
		for _, p := range h.Points {
			if !slices.Contains(targets, p.Target) {
				targets = append(targets, p.Target)
			}
		}
	}
	slices.Sort(targets)
	return targets
}

func hitChart(s *styles, h analyze.HitChart, response string) template.HTML {
	d := newDrawing(480, 270)
	p := newPlot()
	targets := hitTargets(&analyze.Result{HitRate: []analyze.HitChart{h}})
	xLow, xHigh, yLow, yHigh := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	base, others := make([]dots, len(targets)), make([]dots, len(targets))
	for _, at := range h.Points {
		y := at.Throughput
		if response != "throughput" {
			y = at.P99Micros
		}
		xLow, xHigh = min(xLow, at.Hit), max(xHigh, at.Hit)
		yLow, yHigh = min(yLow, y), max(yHigh, y)
		i := slices.Index(targets, at.Target)
		set := &others[i]
		if at.Variant == trial.BaselineID {
			set = &base[i]
		}
		set.colour, set.hollow = blockColour(i+1), at.Variant != trial.BaselineID
		set.at = append(set.at, dot{x: at.Hit, y: y, text: fmt.Sprintf("%s (%s): %s at %s hits", at.Trial, at.Variant, responseValue(response, y), percent(at.Hit))})
	}
	band, fit := area{colour: bandInk}, polyline{style: line(curveInk, 1.8)}
	for _, row := range h.Band {
		if response != "throughput" {
			break // the line is one through throughput
		}
		yLow, yHigh = min(yLow, row[1]), max(yHigh, row[1])
		band.x, band.low, band.high = append(band.x, row[0]), append(band.low, row[2]), append(band.high, row[3])
		fit.x, fit.y = append(fit.x, row[0]), append(fit.y, row[1])
	}
	own := polyline{style: line(curveInk, 1.2, 5, 3)}
	if f, ok := free(h, response); ok {
		for _, row := range f.Band {
			own.x, own.y = append(own.x, row[0]), append(own.y, row[1])
			yLow, yHigh = min(yLow, row[1]), max(yHigh, row[1])
			if response != "throughput" {
				band.x, band.low, band.high = append(band.x, row[0]), append(band.low, row[2]), append(band.high, row[3])
			}
		}
	}
	xLow, xHigh = widen(xLow, xHigh, false, 0.05)
	yLow, yHigh = widen(yLow, yHigh, false, 0.1)
	scale{
		label: "measured data-block hit rate", most: 8, length: 410,
		format: func(x float64) string { return fmt.Sprintf("%.3g %%", x*100) },
	}.use(&p.X, max(xLow, 0), min(xHigh, 1))
	responseScale(response).use(&p.Y, yLow, yHigh)
	points := append(others, base...)
	many := crowded(points)
	p.Add(band, fit, own)
	for _, set := range points {
		p.Add(set)
	}
	if many {
		p.Add(fit, own)
	}
	d.finish(p, points...)
	return d.inline(s, responseName(response)+" against the measured data-block hit rate, "+h.Workload)
}

// forestAxis is the scale that all rows of the comparison share.
type forestAxis struct{ low, high float64 }

// newForestAxis spans the intervals of the comparisons, the band of
// equivalence and, so that an outlier does not press the others flat, no more
// than a factor of three each way.
func newForestAxis(list []analyze.Comparison, band float64) forestAxis {
	a := forestAxis{low: 1 / (1 + 2*band), high: 1 + 2*band}
	for _, c := range list {
		for _, x := range []*float64{&c.Ratio, c.Low, c.High} {
			if x != nil && *x > 0 && !math.IsInf(*x, 0) {
				a.low, a.high = min(a.low, *x), max(a.high, *x)
			}
		}
	}
	a.low, a.high = max(a.low, 1.0/3), min(a.high, 3)
	a.low, a.high = widen(a.low, a.high, true, 0.05)
	return a
}

const forestWidth, forestHeight = vg.Length(210), vg.Length(20)

func (a forestAxis) x(ratio float64) vg.Length {
	share := (math.Log(ratio) - math.Log(a.low)) / (math.Log(a.high) - math.Log(a.low))
	return 6 + vg.Length(min(max(share, 0), 1))*(forestWidth-12)
}

// row draws one interval; rows stand under each other in a table, where they
// make up a forest plot.
func (a forestAxis) row(s *styles, c analyze.Comparison) template.HTML {
	d := newDrawing(forestWidth, forestHeight)
	colour := ink
	switch c.Verdict {
	case "better":
		colour = goodInk
	case "worse":
		colour = badInk
	case "too-few", "not-detectable":
		colour = muted
	}
	middle := forestHeight / 2
	if c.Low != nil && c.High != nil {
		d.StrokeLine2(line(colour, 1.6), a.x(*c.Low), middle, a.x(*c.High), middle)
		for _, end := range []float64{*c.Low, *c.High} {
			if end >= a.low && end <= a.high {
				d.StrokeLine2(line(colour, 1.6), a.x(end), middle-3.5, a.x(end), middle+3.5)
			}
		}
	}
	d.SetColor(colour)
	d.Fill(circle(nil, vg.Point{X: a.x(c.Ratio), Y: middle}, 3.4))
	return d.inline(s, interval(c.Ratio, c.Low, c.High))
}

// ground gives the style sheet the places of the band of equivalence and of no
// change: they run through all rows, which have different heights.
func (a forestAxis) ground(band float64) template.CSS {
	share := func(ratio float64) float64 { return float64(a.x(ratio)/forestWidth) * 100 }
	return template.CSS(fmt.Sprintf("--low:%.2f%%;--one:%.2f%%;--high:%.2f%%", share(1/(1+band)), share(1), share(1+band)))
}

// axis draws the scale for the head of the table.
func (a forestAxis) axis(s *styles) template.HTML {
	d := newDrawing(forestWidth, 30)
	style := textStyle(tickText, muted, 0, 0)
	ticks := scale{most: 6, length: forestWidth - 12, format: changeTick}.Ticks(a.low, a.high)
	for _, t := range ticks {
		d.StrokeLine2(line(muted, 0.8), a.x(t.Value), 0, a.x(t.Value), 4)
		half := style.Width(t.Label) / 2
		at := min(max(a.x(t.Value), half), forestWidth-half)
		d.FillText(style, vg.Point{X: at - half, Y: 7}, t.Label)
	}
	return d.inline(s, "Change against the baseline")
}
