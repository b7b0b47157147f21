package load

import (
	"errors"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// WriteHitChart draws throughput against the measured hit rate of data blocks as
// SVG, a line for each number of threads. The working set is what was varied:
// all points are of one configuration.
func WriteHitChart(w io.Writer, points []HitPoint) error {
	if len(points) == 0 {
		return errors.New("no read was measured at a calibrated hit rate, so there is nothing to draw")
	}
	p := plot.New()
	p.X.Label.Text = "data blocks found in the block cache, %"
	p.Y.Label.Text = "gets per second"
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	byThreads := map[int]plotter.XYs{}
	var order []int
	for _, at := range points {
		if _, known := byThreads[at.Threads]; !known {
			order = append(order, at.Threads)
		}
		byThreads[at.Threads] = append(byThreads[at.Threads], plotter.XY{X: 100 * at.Hit, Y: at.Throughput})
	}
	for i, threads := range order {
		line, dots, err := plotter.NewLinePoints(byThreads[threads])
		if err != nil {
			return fmt.Errorf("draw %d threads: %w", threads, err)
		}
		line.Color, line.Width = lineColour(i), vg.Points(1.5)
		dots.Color, dots.Shape, dots.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(line, dots)
		p.Legend.Add(fmt.Sprintf("%d threads", threads), line, dots)
	}
	p.Y.Max *= 1.05
	canvas := vgsvg.New(vg.Points(560), vg.Points(340))
	p.Draw(draw.New(canvas))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	return nil
}

// lineColour takes colours that people who can't tell red from green can.
func lineColour(i int) color.Color {
	colours := []color.RGBA{
		{0x00, 0x72, 0xb2, 0xff},
		{0xd5, 0x5e, 0x00, 0xff},
		{0x00, 0x9e, 0x73, 0xff},
		{0xcc, 0x79, 0xa7, 0xff},
		{0xe6, 0x9f, 0x00, 0xff},
		{0x56, 0xb4, 0xe9, 0xff},
	}
	return colours[i%len(colours)]
}
