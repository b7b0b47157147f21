package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hbtune/sweep/trial"
)

// panelPoints bounds the points of one line in a panel; longer series show the
// lowest and the highest second of each slice, so that no stall is hidden.
const panelPoints = 240

// lane is one quantity of a panel.
type lane struct {
	name   string
	height vg.Length
	top    float64 // of the axis, which begins at 0
	tick   func(float64) string
	colour role
	value  func(trial.Second) float64 // NaN where unknown
}

// seriesPanel draws how one trial went: throughput, p99 and data-block hit
// rate by the second, the warm-up shaded up to the cut. top is the highest
// throughput of the condition, whose panels have one scale.
func seriesPanel(s *styles, m *trial.Measurement, top float64) template.HTML {
	const (
		width, left, right = vg.Length(280), vg.Length(50), vg.Length(6)
		gap, foot          = vg.Length(10), vg.Length(27)
	)
	lanes := seriesLanes(m.Series, top)
	height := foot + 4
	for _, l := range lanes {
		height += l.height + gap
	}
	d := newDrawing(width, height)
	end := max(m.Series[len(m.Series)-1].T, 1)
	x := func(t float64) vg.Length { return left + vg.Length(t/end)*(width-left-right) }
	cut := cutTime(m.Series)

	edge := height - 4
	for _, l := range lanes {
		low := edge - l.height
		y := func(v float64) vg.Length { return low + vg.Length(math.Min(v/l.top, 1))*l.height }
		if cut > 0 {
			d.fill(bandInk, x(0), low, x(cut), edge)
		}
		d.StrokeLine2(line(rule, 0.6), x(0), low, x(end), low)
		d.FillText(textStyle(9.5, muted, draw.XRight, draw.YCenter), vg.Point{X: left - 4, Y: edge - 3}, l.tick(l.top))
		d.FillText(textStyle(9.5, muted, draw.XRight, draw.YCenter), vg.Point{X: left - 4, Y: low + 2}, l.tick(0))
		d.FillText(textStyle(9.5, ink, draw.XRight, draw.YCenter), vg.Point{X: left - 4, Y: low + l.height/2}, l.name)
		d.trace(line(l.colour, 1), decimate(m.Series, l.value), x, y)
		edge = low - gap
	}
	bottom := foot + gap
	if cut > 0 {
		d.StrokeLine2(line(ink, 0.8, 3, 2), x(cut), bottom, x(cut), height-4)
	}
	for _, t := range steps(0, end, 6, 10) {
		d.StrokeLine2(line(rule, 0.6), x(t), bottom, x(t), bottom-3)
		d.FillText(textStyle(9.5, muted, draw.XCenter, draw.YTop), vg.Point{X: x(t), Y: bottom - 4}, quantity(t))
	}
	d.FillText(textStyle(9.5, muted, draw.XCenter, draw.YTop), vg.Point{X: x(end / 2), Y: bottom - 16}, "seconds since the load began")
	return d.inline(s, fmt.Sprintf("Throughput, p99 and hit rate by second; measured at %s operations a second after %.0f s of warm-up", quantity(m.Throughput), m.WarmupSeconds))
}

func seriesLanes(series []trial.Second, top float64) []lane {
	p99 := func(s trial.Second) float64 { return float64(s.P99Micros) }
	hit := func(s trial.Second) float64 {
		if s.Hit < 0 {
			return math.NaN()
		}
		return s.Hit
	}
	return []lane{
		{name: "ops/s", height: 52, top: roundUp(top), tick: quantity, colour: curveInk, value: perSecond},
		{name: "p99 ms", height: 34, top: roundUp(highest(series, p99)), tick: func(us float64) string { return strconv.FormatFloat(us/1000, 'g', 4, 64) }, colour: badInk, value: p99},
		{name: "hit", height: 34, top: 1, tick: func(x float64) string { return fmt.Sprintf("%.0f %%", x*100) }, colour: goodInk, value: hit},
	}
}

// cutTime is when the measured window began, 0 if there was no warm-up.
func cutTime(series []trial.Second) float64 {
	i := slices.IndexFunc(series, func(s trial.Second) bool { return !s.Warmup })
	switch {
	case i > 0:
		return series[i].T
	case i < 0:
		return series[len(series)-1].T
	default:
		return 0
	}
}

func perSecond(s trial.Second) float64 { return s.Throughput }

func highest(series []trial.Second, value func(trial.Second) float64) float64 {
	top := 0.0
	for _, s := range series {
		if v := value(s); v > top {
			top = v
		}
	}
	return top
}

// roundUp is the next 1, 1.2, 1.5, 2, … times a power of ten: the end of an axis.
func roundUp(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if m*ten >= x {
			return m * ten
		}
	}
	return 10 * ten
}

// decimate returns the points to draw, in order of time.
func decimate(series []trial.Second, value func(trial.Second) float64) []dot {
	slice := max(1, (2*len(series)+panelPoints-1)/panelPoints)
	if len(series) <= panelPoints {
		slice = 1
	}
	var out []dot
	for from := 0; from < len(series); from += slice {
		part := series[from:min(from+slice, len(series))]
		low, high := 0, 0
		for i, s := range part {
			if value(s) < value(part[low]) {
				low = i
			}
			if value(s) > value(part[high]) {
				high = i
			}
		}
		first, last := min(low, high), max(low, high)
		out = append(out, dot{x: part[first].T, y: value(part[first])})
		if last != first {
			out = append(out, dot{x: part[last].T, y: value(part[last])})
		}
	}
	return out
}

// trace strokes a line through points, broken where y is unknown.
func (d *drawing) trace(style draw.LineStyle, points []dot, x, y func(float64) vg.Length) {
	var path vg.Path
	broken := true
	for _, p := range points {
		if math.IsNaN(p.y) {
			broken = true
			continue
		}
		at := vg.Point{X: x(p.x), Y: y(p.y)}
		if broken {
			path.Move(at)
		} else {
			path.Line(at)
		}
		broken = false
	}
	if len(path) > 0 {
		d.SetLineStyle(style)
		d.Stroke(path)
	}
}

func (d *drawing) fill(c role, x0, y0, x1, y1 vg.Length) {
	d.SetColor(c)
	d.Fill(vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}.Path())
}
