package report

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// styles turns the style attributes that vgsvg repeats on every element into
// classes shared by all charts of a document. That keeps the file small and
// lets the style sheet exchange colours for a dark screen.
type styles struct {
	classes map[string]string
	order   []string // declarations of class g0, g1, …
}

func newStyles() *styles { return &styles{classes: map[string]string{}} }

// restyle copies SVG text with classes in place of style attributes.
func (s *styles) restyle(b *strings.Builder, text string) {
	const attribute = `style="`
	for {
		before, rest, found := strings.Cut(text, attribute)
		if !found {
			b.WriteString(text)
			return
		}
		style, after, _ := strings.Cut(rest, `"`)
		b.WriteString(strings.TrimRight(before, " \t\n"))
		b.WriteString(` class="`)
		b.WriteString(s.class(style))
		b.WriteString(`"`)
		text = after
	}
}

// class returns the class that stands for a style attribute's text.
func (s *styles) class(style string) string {
	if name, known := s.classes[style]; known {
		return name
	}
	name := fmt.Sprintf("g%d", len(s.order))
	s.classes[style] = name
	s.order = append(s.order, strings.Trim(fontFace.ReplaceAllString(style, ""), ";"))
	return name
}

// css is the rules for every class handed out so far.
func (s *styles) css() template.CSS {
	var b strings.Builder
	for i, style := range s.order {
		fmt.Fprintf(&b, ".g%d{%s}\n", i, themed(style))
	}
	return template.CSS(b.String())
}

// mark is a place in a chart that answers the pointer with a line of text:
// which trial a point is, and its numbers.
type mark struct {
	at   vg.Point
	text string
}

// marksPerChart bounds the size of a chart; beyond it points stay silent.
const marksPerChart = 250

// drawing is a chart being drawn: a canvas and what the pointer may ask.
type drawing struct {
	draw.Canvas
	svg   *vgsvg.Canvas
	marks []mark
}

func newDrawing(width, height vg.Length) *drawing {
	svg := vgsvg.New(width, height)
	return &drawing{Canvas: draw.New(svg), svg: svg}
}

// fontFace is what vgsvg says of a font; the style sheet says it once.
var fontFace = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;|font-style:normal;?|font-weight:normal;?`)

// inline ends the drawing and returns it as an element for an HTML page.
// describe is read out in place of the picture.
func (d *drawing) inline(s *styles, describe string) template.HTML {
	var raw bytes.Buffer
	if _, err := d.svg.WriteTo(&raw); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	text := raw.String()
	// What stands before the first group is vgsvg's XML header and <svg> tag,
	// which an HTML page has no use for.
	text = text[strings.Index(text, "<g "):]
	text = strings.TrimSuffix(strings.TrimSpace(text), "</svg>")

	w, h := d.svg.Size()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n",
		w.Points(), h.Points(), html.EscapeString(describe))
	s.restyle(&b, text)
	if len(d.marks) <= marksPerChart {
		for _, m := range d.marks {
			fmt.Fprintf(&b, `<circle class="mark" cx="%.1f" cy="%.1f" r="6"><title>%s</title></circle>`+"\n",
				m.at.X.Points(), (h - m.at.Y).Points(), html.EscapeString(m.text))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
