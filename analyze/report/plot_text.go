package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"hbtune/analyze"
)

// Size of a curve drawn with letters.
const (
	textWidth  = 64
	textHeight = 10
)

// CurveText draws a curve for a terminal: points as ●, the fit as ·, the ends of
// both axes written out. It is empty where no curve was fitted.
func CurveText(c analyze.Curve) string {
	if len(c.Band) < 2 || c.Model == "flat" {
		return ""
	}
	low, high := curveRange([]analyze.Curve{c})
	low = max(low, 0) // no response is below 0
	first, last := c.Band[0][0], c.Band[len(c.Band)-1][0]
	column := func(x float64) int {
		share := (x - first) / (last - first)
		if c.Log {
			share = math.Log(x/first) / math.Log(last/first)
		}
		return min(textWidth-1, max(0, int(math.Round(share*(textWidth-1)))))
	}
	row := func(y float64) int {
		return min(textHeight-1, max(0, textHeight-1-int(math.Round((y-low)/(high-low)*(textHeight-1)))))
	}
	var grid [textHeight][textWidth]rune
	for i := range grid {
		for k := range grid[i] {
			grid[i][k] = ' '
		}
	}
	for i := 1; i < len(c.Band); i++ { // the fit is straight between its points
		a, b := c.Band[i-1], c.Band[i]
		from, to := column(a[0]), column(b[0])
		for k := from; k <= to; k++ {
			share := 0.0
			if to > from {
				share = float64(k-from) / float64(to-from)
			}
			grid[row(a[1]+share*(b[1]-a[1]))][k] = '·'
		}
	}
	for _, p := range c.Points {
		grid[row(p.Adjusted)][column(p.X)] = '●'
	}
	top, bottom := responseNumber(c.Response, high), responseNumber(c.Response, low)
	if c.Response == "ratio" {
		top, bottom = fmt.Sprintf("×%.2f", high), fmt.Sprintf("×%.2f", low)
	}
	margin := max(utf8.RuneCountInString(top), utf8.RuneCountInString(bottom))
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s, %s (%s)\n", responseName(c.Response), c.Factor, c.Workload, modelName(c.Model))
	for i := range grid {
		label := ""
		switch i {
		case 0:
			label = top
		case textHeight - 1:
			label = bottom
		}
		line := strings.TrimRight(string(grid[i][:]), " ")
		fmt.Fprintf(&b, "%s%s ┤%s\n", strings.Repeat(" ", margin-utf8.RuneCountInString(label)), label, line)
	}
	from, to := xValue(c, first), xValue(c, last)
	gap := max(1, textWidth-utf8.RuneCountInString(from)-utf8.RuneCountInString(to))
	fmt.Fprintf(&b, "%s  %s%s%s\n", strings.Repeat(" ", margin), from, strings.Repeat(" ", gap), to)
	return b.String()
}
