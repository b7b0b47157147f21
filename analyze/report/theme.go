package report

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A role is a colour by what it stands for. Charts are drawn in roles; the
// style sheet gives each its value, once for a light and once for a dark
// screen, under the CSS variable of the same name.
type role uint8

const (
	ink role = iota
	muted
	rule // grid lines and frames
	curveInk
	bandInk
	baselineInk
	goodInk
	badInk
	paper
	firstBlock // blocks follow, blockColours of them
)

const blockColours = 6

// roleCode marks the colours that are roles: no real colour of the report has
// this red and green.
const roleRed, roleGreen = 0xFE, 0x01

func roleNames() []string {
	names := []string{"ink", "muted", "rule", "curve", "band", "baseline", "good", "bad", "paper"}
	for i := range blockColours {
		names = append(names, fmt.Sprintf("block%d", i+1))
	}
	return names
}

// RGBA lets a role stand where gonum wants a colour; themed undoes it.
func (r role) RGBA() (red, green, blue, alpha uint32) {
	return color.RGBA{R: roleRed, G: roleGreen, B: uint8(r), A: 0xFF}.RGBA()
}

// themed puts the CSS variables in place of the roles in a style.
func themed(style string) string {
	for i, name := range roleNames() {
		style = strings.ReplaceAll(style, fmt.Sprintf("#%02X%02X%02X", roleRed, roleGreen, i), "var(--"+name+")")
	}
	return style
}

// blockColour is the colour of the sessions of one block, counted from 1.
func blockColour(block int) role {
	if block < 1 {
		return muted
	}
	return firstBlock + role((block-1)%blockColours)
}

// sans is the face that text is measured with. Browsers without Liberation
// Sans use Arial or Helvetica, whose letters are as wide.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle is a style for text in charts; plain, for html escapes it later.
func textStyle(size vg.Length, c color.Color, x draw.XAlignment, y draw.YAlignment) text.Style {
	return text.Style{
		Color:   c,
		Font:    sans(size),
		XAlign:  x,
		YAlign:  y,
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

func line(c color.Color, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}
