package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// confirmFigures draws, for each condition, the pairs of the confirmation: the
// baseline and the candidate of each pair, joined.
func confirmFigures(s *styles, in view, samples []analyze.Sample) []figure {
	var figures []figure
	for _, condition := range in.Result.Conditions {
		var list []analyze.Sample
		for _, one := range samples {
			if one.Phase == trial.Confirm && one.Condition == condition.Name {
				list = append(list, one)
			}
		}
		if len(list) == 0 {
			continue
		}
		figures = append(figures, figure{Title: breakable(condition.Name), SVG: confirmChart(s, in.Result.Objective, condition.Name, list)})
	}
	return figures
}

func confirmChart(s *styles, objective, condition string, list []analyze.Sample) template.HTML {
	metric, err := analyze.ParseMetric(objective)
	if err != nil {
		metric = analyze.Throughput
	}
	d := newDrawing(480, 240)
	p := newPlot()
	numbers := pairNumbers(list)
	pairs := map[int]*pair{}
	base, candidate := dots{colour: baselineInk, hollow: true}, dots{colour: curveInk}
	low, high, last := math.Inf(1), math.Inf(-1), 1
	for _, one := range list {
		y := one.Metrics[metric]
		if math.IsNaN(y) {
			continue
		}
		number := numbers[one.Block]
		if pairs[number] == nil {
			pairs[number] = &pair{x: float64(number)}
		}
		low, high, last = min(low, y), max(high, y), max(last, number)
		at := dot{x: float64(number) - 0.12, y: y, text: fmt.Sprintf("%s (%s): %s", one.ID, one.Arm, responseValue(objective, y))}
		if one.Arm == trial.BaselineID {
			base.at = append(base.at, at)
			pairs[number].from = append(pairs[number].from, y)
			continue
		}
		at.x += 0.24
		candidate.at = append(candidate.at, at)
		pairs[number].to = append(pairs[number].to, y)
	}
	if low > high {
		low, high = 0, 1
	}
	low, high = widen(low, high, false, 0.12)
	scale{label: "pair of fresh restarts", most: 12, whole: true}.use(&p.X, 0.5, float64(last)+0.5)
	responseScale(objective).use(&p.Y, low, high)
	var blocks []int
	for b := range pairs {
		blocks = append(blocks, b)
	}
	slices.Sort(blocks)
	for _, b := range blocks {
		p.Add(pairs[b])
	}
	p.Add(base, candidate)
	d.finish(p, base, candidate)
	return d.inline(s, fmt.Sprintf("Pairs of the confirmation, %s, %s", responseName(objective), condition))
}

// pairNumbers counts the blocks of the confirmation, each of them a pair, from 1.
func pairNumbers(list []analyze.Sample) map[int]int {
	var blocks []int
	for _, one := range list {
		blocks = append(blocks, one.Block)
	}
	slices.Sort(blocks)
	numbers := map[int]int{}
	for i, b := range slices.Compact(blocks) {
		numbers[b] = i + 1
	}
	return numbers
}

// pair joins the measurements of one pair.
type pair struct {
	x        float64
	from, to []float64
}

func (l *pair) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range min(len(l.from), len(l.to)) {
		c.StrokeLine2(line(muted, 1), x(l.x-0.12), y(l.from[i]), x(l.x+0.12), y(l.to[i]))
	}
}

// swatch is the sign of one entry of a legend.
func swatch(draw func(d *drawing), s *styles) template.HTML {
	d := newDrawing(vg.Length(22), vg.Length(12))
	draw(d)
	return d.inline(s, "")
}

// legendEntry explains one sign of a chart.
type legendEntry struct {
	Swatch template.HTML
	Text   string
}

func dotSwatch(s *styles, c role, hollow bool) template.HTML {
	return swatch(func(d *drawing) {
		path := circle(nil, vg.Point{X: 11, Y: 6}, 4)
		if hollow {
			d.SetLineStyle(line(c, 1.4))
			d.Stroke(path)
			return
		}
		d.SetColor(c)
		d.Fill(path)
	}, s)
}

func lineSwatch(s *styles, style draw.LineStyle) template.HTML {
	return swatch(func(d *drawing) { d.StrokeLine2(style, 0, 6, 22, 6) }, s)
}

func boxSwatch(s *styles, c role) template.HTML {
	return swatch(func(d *drawing) { d.fill(c, 0, 0, 22, 12) }, s)
}
