package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in charts, in the units of their viewBox: what is one CSS pixel where
// a chart is shown at its natural width.
const (
	tickText  = vg.Length(10.5)
	labelText = vg.Length(11)
	dotRadius = vg.Length(3.4)
)

// newPlot is a plot in the report's style, with room for the two axes only:
// title and legend stand in HTML, where they wrap.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = line(rule, 0.8)
		a.Padding = 3
		a.Label.Padding = 4
		a.Tick.Length = 3
		a.Tick.LineStyle = line(rule, 0.8)
	}
	p.X.Label.TextStyle = textStyle(labelText, ink, draw.XCenter, draw.YBottom)
	p.Y.Label.TextStyle = textStyle(labelText, ink, draw.XCenter, draw.YBottom)
	p.X.Tick.Label = textStyle(tickText, muted, draw.XCenter, draw.YTop)
	p.Y.Tick.Label = textStyle(tickText, muted, draw.XRight, draw.YCenter)
	p.TextHandler = text.Plain{Fonts: font.DefaultCache}
	p.Add(grid{})
	return p
}

// finish draws the plot and remembers which points answer the pointer.
func (d *drawing) finish(p *plot.Plot, points ...dots) {
	p.Draw(d.Canvas)
	if total := countDots(points); total > marksPerChart {
		return
	}
	data := p.DataCanvas(d.Canvas)
	x, y := p.Transforms(&data)
	for _, set := range points {
		for _, at := range set.at {
			d.marks = append(d.marks, mark{at: vg.Point{X: x(at.x), Y: y(at.y)}, text: at.text})
		}
	}
}

func countDots(sets []dots) int {
	n := 0
	for _, set := range sets {
		n += len(set.at)
	}
	return n
}

// grid draws a line for each tick of the y axis.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(tick.Value); c.ContainsY(at) {
			c.StrokeLine2(line(rule, 0.5), c.Min.X, at, c.Max.X, at)
		}
	}
}

// dot is one measured point.
type dot struct {
	x, y float64
	text string // the answer to the pointer: which trial, which numbers
}

// dots draws points of one colour as a single path. Hollow ones are rings.
type dots struct {
	at     []dot
	colour color.Color
	hollow bool
	tiny   bool // one of very many
}

// crowded makes dots small where there are very many of them, and tells so.
func crowded(sets []dots) bool {
	if countDots(sets) <= marksPerChart {
		return false
	}
	for i := range sets {
		sets[i].tiny = true
	}
	return true
}

func (s dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	radius := dotRadius
	if s.tiny {
		radius = 1.5
	}
	if s.hollow {
		radius -= 0.6
	}
	var path vg.Path
	for _, at := range s.at {
		path = circle(path, vg.Point{X: x(at.x), Y: y(at.y)}, radius)
	}
	if len(path) == 0 {
		return
	}
	if !s.hollow {
		c.SetColor(s.colour)
		c.Fill(path)
		return
	}
	c.SetLineStyle(line(s.colour, 1.2))
	c.Stroke(path)
}

// circle adds a full circle to a path.
func circle(path vg.Path, center vg.Point, radius vg.Length) vg.Path {
	path.Move(vg.Point{X: center.X + radius, Y: center.Y})
	path.Arc(center, radius, 0, 2*math.Pi)
	path.Close()
	return path
}

// polyline draws a line through points; where y is not a number it is broken.
type polyline struct {
	x, y  []float64
	style draw.LineStyle
}

func (l polyline) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path vg.Path
	broken := true
	for i := range l.x {
		if math.IsNaN(l.y[i]) {
			broken = true
			continue
		}
		at := vg.Point{X: x(l.x[i]), Y: clampY(c, y(l.y[i]))}
		if broken {
			path.Move(at)
		} else {
			path.Line(at)
		}
		broken = false
	}
	c.SetLineStyle(l.style)
	c.Stroke(path)
}

// area fills what lies between two lines.
type area struct {
	x, low, high []float64
	colour       color.Color
}

func (a area) Plot(c draw.Canvas, p *plot.Plot) {
	if len(a.x) < 2 {
		return
	}
	x, y := p.Transforms(&c)
	var path vg.Path
	path.Move(vg.Point{X: x(a.x[0]), Y: clampY(c, y(a.low[0]))})
	for i := 1; i < len(a.x); i++ {
		path.Line(vg.Point{X: x(a.x[i]), Y: clampY(c, y(a.low[i]))})
	}
	for i := len(a.x) - 1; i >= 0; i-- {
		path.Line(vg.Point{X: x(a.x[i]), Y: clampY(c, y(a.high[i]))})
	}
	path.Close()
	c.SetColor(a.colour)
	c.Fill(path)
}

// upright draws a vertical line through the whole plot.
type upright struct {
	x     float64
	style draw.LineStyle
}

func (u upright) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	if at := x(u.x); c.ContainsX(at) {
		c.StrokeLine2(u.style, at, c.Min.Y, at, c.Max.Y)
	}
}

// clampY keeps a line inside the frame; bands may leave the range shown.
func clampY(c draw.Canvas, y vg.Length) vg.Length {
	return min(max(y, c.Min.Y), c.Max.Y)
}
