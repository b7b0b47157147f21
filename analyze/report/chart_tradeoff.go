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
	"hbtune/sweep/trial"
)

// frontRow is a variant that no other one beats in every objective.
type frontRow struct {
	Variant string
	Moves   []string
	Changes []string
	Note    string
	Class   string
}

// frontMetrics are the objectives of the trade-off, as far as they were
// measured.
func frontMetrics(r *analyze.Result) []analyze.Metric {
	var out []analyze.Metric
	for _, m := range analyze.TradeoffMetrics() {
		if slices.ContainsFunc(r.Tradeoffs, func(t analyze.Tradeoff) bool { _, has := t.Ratios[m.String()]; return has }) {
			out = append(out, m)
		}
	}
	return out
}

// frontRows tabulates the front.
func frontRows(in view) (head []string, rows []frontRow) {
	list := frontMetrics(in.Result)
	for _, m := range list {
		head = append(head, metricName(m))
	}
	for _, t := range in.Result.Tradeoffs {
		if !t.Front && !t.Chosen {
			continue
		}
		row := frontRow{Variant: t.Variant, Moves: moves(trial.Variant{Settings: t.Settings}, in)}
		for _, m := range list {
			cell := "–"
			if x, has := t.Ratios[m.String()]; has {
				cell = change(x)
			}
			row.Changes = append(row.Changes, cell)
		}
		switch {
		case t.Chosen && t.Variant == trial.BaselineID:
			row.Note = "stays"
		case t.Chosen:
			row.Note, row.Class = "recommended", "good"
		case len(t.Breaks) > 0:
			row.Note, row.Class = "breaks "+strings.Join(t.Breaks, ", "), "bad"
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		return nil, nil
	}
	return head, rows
}

// tradeoffFigure draws throughput against p99, the front as a line.
func tradeoffFigure(s *styles, in view) []figure {
	var list []analyze.Tradeoff
	for _, t := range in.Result.Tradeoffs {
		_, x := t.Ratios[analyze.Throughput.String()]
		_, y := t.Ratios[analyze.P99.String()]
		if x && y {
			list = append(list, t)
		}
	}
	if len(list) < 3 {
		return nil
	}
	at := func(t analyze.Tradeoff) (x, y float64) {
		return t.Ratios[analyze.Throughput.String()], t.Ratios[analyze.P99.String()]
	}
	xLow, xHigh, yLow, yHigh := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	behind, front, chosen := dots{colour: muted, hollow: true}, dots{colour: curveInk}, dots{colour: goodInk}
	base := dots{colour: baselineInk}
	var labels texts
	for _, t := range list {
		x, y := at(t)
		xLow, xHigh, yLow, yHigh = min(xLow, x), max(xHigh, x), min(yLow, y), max(yHigh, y)
		one := dot{x: x, y: y, text: fmt.Sprintf("%s: throughput %s, p99 %s", t.Label, change(x), change(y))}
		switch {
		case t.Variant == trial.BaselineID:
			base.at = append(base.at, one)
		case t.Chosen:
			chosen.at = append(chosen.at, one)
		case t.Front:
			front.at = append(front.at, one)
		default:
			behind.at = append(behind.at, one)
		}
		if t.Front && t.Variant != trial.BaselineID && len(labels.at) < mostLabels {
			labels.at = append(labels.at, one)
			labels.text = append(labels.text, t.Variant)
		}
	}
	d := newDrawing(480, 270)
	p := newPlot()
	xLow, xHigh = widen(xLow, xHigh, false, 0.1)
	yLow, yHigh = widen(yLow, yHigh, false, 0.12)
	scale{label: "throughput against the baseline", most: 7, length: 410, format: changeTick}.use(&p.X, xLow, xHigh)
	scale{label: "p99 against the baseline", most: 6, format: changeTick}.use(&p.Y, yLow, yHigh)
	sets := []dots{behind, front, base, chosen}
	crowded(sets)
	for _, set := range sets {
		p.Add(set)
	}
	p.Add(labels)
	d.finish(p, sets...)
	return []figure{{
		Title: "Throughput and p99", SVG: d.inline(s, "Throughput against p99 of every variant"),
		Caption: "Better lies to the right and below. All ratios are over all conditions, from the exploration.",
	}}
}

// mostLabels is how many points of a front get their name beside them.
const mostLabels = 12

// texts writes names beside points.
type texts struct {
	at   []dot
	text []string
}

func (t texts) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, at := range t.at {
		style := textStyle(tickText, ink, 0, draw.YBottom)
		point := vg.Point{X: x(at.x) + 5, Y: y(at.y) + 3}
		if width := style.Width(t.text[i]); point.X+width > c.Max.X {
			point.X -= width + 10
		}
		c.FillText(style, point, t.text[i])
	}
}

func tradeoffLegend(s *styles) []legendEntry {
	return []legendEntry{
		{dotSwatch(s, baselineInk, false), "baseline"},
		{dotSwatch(s, goodInk, false), "recommended"},
		{dotSwatch(s, curveInk, false), "on the front: nothing beats it in every objective"},
		{dotSwatch(s, muted, true), "behind the front"},
	}
}

// effectFigures draws the main effects of the surface.
func effectFigures(s *styles, in view) []figure {
	u := in.Result.Surface
	if u == nil || len(u.Effects) == 0 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range u.Effects {
		for _, p := range e.Points {
			low, high = min(low, p[1]), max(high, p[1])
		}
	}
	low, high = widen(min(low, 0.97), max(high, 1.03), false, 0.15)
	var out []figure
	for _, e := range u.Effects {
		d := newDrawing(300, 215)
		p := newPlot()
		band, fit := area{colour: bandInk}, polyline{style: line(curveInk, 1.8)}
		for _, row := range e.Points {
			band.x, band.low, band.high = append(band.x, row[0]), append(band.low, row[2]), append(band.high, row[3])
			fit.x, fit.y = append(fit.x, row[0]), append(fit.y, row[1])
		}
		xLow, xHigh := widen(e.Points[0][0], e.Points[len(e.Points)-1][0], e.Log, 0.06)
		scale{label: unitLabel(e.Unit, e.Log), log: e.Log, bytes: e.Unit == "bytes", length: 225}.use(&p.X, xLow, xHigh)
		scale{label: "ratio to the baseline", most: 6, format: changeTick}.use(&p.Y, low, high)
		p.Add(band, upright{x: e.Baseline, style: line(baselineInk, 1.2, 4, 3)}, fit)
		d.finish(p)
		out = append(out, figure{
			Title: breakable(e.Factor), SVG: d.inline(s, "Main effect of "+e.Factor),
			Caption: template.HTML(escape(effectCaption(in.Result, e))),
		})
	}
	return out
}

func effectCaption(r *analyze.Result, e analyze.MainEffect) string {
	objective, err := analyze.ParseObjective(r.Objective)
	up := err == nil && objective.HigherIsBetter()
	best := e.Points[0]
	for _, p := range e.Points {
		if up && p[1] > best[1] || !up && p[1] < best[1] {
			best = p
		}
	}
	return fmt.Sprintf("Best at %s: %s (%s to %s).", settingText(quantity(best[0]), e.Unit), change(best[1]), change(best[2]), change(best[3]))
}

// surfaceNotes says what the surface is and what it proposes.
func surfaceNotes(in view) []string {
	u := in.Result.Surface
	if u == nil {
		return nil
	}
	model := map[string]string{"gaussian-process": "Gaussian process", "random-forest": "random forest", "constant": "none"}[u.Model]
	text := fmt.Sprintf("Model: %s, over %s", model, plural(u.Settings, "distinct setting", "distinct settings"))
	if u.LOOError != nil {
		text += fmt.Sprintf("; leave-one-out error %s", percent(*u.LOOError))
	}
	if u.Censored > 0 {
		text += fmt.Sprintf("; %d where the true value may be better (censored)", u.Censored)
	}
	if u.Failed > 0 {
		text += fmt.Sprintf("; %s that did not serve kept away from", plural(u.Failed, "setting", "settings"))
	}
	out := []string{text + "."}
	if u.Note != "" {
		out = append(out, sentence(u.Note))
	}
	for _, i := range u.Interactions {
		if i.Low > 1 || i.High < 1 {
			out = append(out, fmt.Sprintf("%s and %s together: %s beyond what each brings alone (95 %% interval %s to %s).",
				shortName(i.A), shortName(i.B), change(i.Ratio), change(i.Low), change(i.High)))
		}
	}
	if len(u.Interactions) > 0 && len(out) == 1 {
		out = append(out, "No pair of properties does detectably more or less together than the two alone.")
	}
	if p := u.Proposal; p != nil {
		text := fmt.Sprintf("Best lower bound: %s (%s).", settingsText(in, p.Settings.Map()), p.Reason)
		for _, name := range p.Kept {
			text += fmt.Sprintf(" Moving %s as well gains nothing detectable.", shortName(name))
		}
		out = append(out, text)
	}
	return out
}
