package analyze

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// short prints a number for a sentence: three digits, thousands set apart.
func short(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000:
		return thousands(math.Round(x))
	case a >= 100 || a == 0:
		return strconv.FormatFloat(x, 'f', 0, 64)
	default:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
}

func thousands(x float64) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	var b strings.Builder
	if x < 0 {
		b.WriteByte('-')
	}
	for i, c := range text {
		if i > 0 && (len(text)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// percent prints a share with two digits: 0.0123 is "1.2 %".
func percent(x float64) string {
	p := 100 * x
	switch a := math.Abs(p); {
	case a >= 9.95:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	case a >= 0.995:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'g', 2, 64) + " %"
	}
}

// change prints a ratio as "+12 %", "−3.4 %" or, where percents stop helping,
// "×42".
func change(ratio float64) string {
	if ratio >= 3 {
		return "×" + short(ratio)
	}
	if ratio >= 1 {
		return "+" + percent(ratio-1)
	}
	return "−" + percent(1-ratio)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
