package report

import (
	"math"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
)

// quantity writes a number with the digits that a reader can use: thousands
// separated by a thin space, small numbers with up to three significant ones.
func quantity(x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case a >= 1000:
		return grouped(int64(math.Round(x)))
	case a >= 100 || x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a >= 0.01:
		return strconv.FormatFloat(x, 'f', 2, 64)
	default:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
}

// plain writes a number as short as three decimals allow: 0.4, not 0.40.
func plain(x float64) string {
	if math.Abs(x) >= 1000 {
		return quantity(x)
	}
	return strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
}

// tickNumber writes a number where there is little room.
func tickNumber(x float64) string {
	for _, unit := range []struct {
		size float64
		sign string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if math.Abs(x) >= unit.size {
			return strconv.FormatFloat(x/unit.size, 'g', 4, 64) + "\u00a0" + unit.sign
		}
	}
	if a := math.Abs(x); a > 0 && a < 0.01 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return plain(x)
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// byteUnits are written after sizes; a size that is no whole number of a unit
// keeps up to two decimals.
func byteSize(x float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for i < len(units)-1 && math.Abs(x) >= 1023.995 { // 1023.999 is 1024 that went through a logarithm
		x /= 1024
		i++
	}
	number := strconv.FormatFloat(x, 'f', 2, 64)
	number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	return number + "\u00a0" + units[i]
}

// millis writes microseconds as milliseconds.
func millis(micros float64) string {
	ms := micros / 1000
	switch {
	case micros == 0:
		return "0"
	case ms >= 100:
		return quantity(ms)
	case ms >= 10:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	default:
		return strconv.FormatFloat(ms, 'f', 2, 64)
	}
}

// percent writes a share of 0..1.
func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 1, 64) + " %"
}

// change writes a ratio as what it is more or less: 1.18 is "+18.0 %".
func change(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return "–"
	}
	s := strconv.FormatFloat((ratio-1)*100, 'f', 1, 64)
	if s == "-0.0" || s == "0.0" {
		return "±0.0 %"
	}
	if s[0] == '-' {
		return "−" + s[1:] + " %"
	}
	return "+" + s + " %"
}

// pValue writes a probability without promising digits it doesn't have.
func pValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "< 0.001"
	default:
		return strconv.FormatFloat(p, 'f', 3, 64)
	}
}

// setting writes a property's value for a reader: sizes with their unit.
func setting(v hbaseconf.Value, unit string) string { return settingText(string(v), unit) }

func settingText(value, unit string) string {
	x, isNumber := hbaseconf.Value(value).Number()
	if isNumber && unit == "bytes" && math.Abs(x) >= 1024 {
		return byteSize(x)
	}
	return value
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

// changeTick writes a ratio on an axis.
func changeTick(ratio float64) string {
	x := math.Round((ratio-1)*1000) / 10
	switch {
	case x == 0:
		return "0"
	case x < 0:
		return "−" + strconv.FormatFloat(-x, 'f', -1, 64) + " %"
	default:
		return "+" + strconv.FormatFloat(x, 'f', -1, 64) + " %"
	}
}

// interval writes a ratio with its interval, where there is one.
func interval(ratio float64, low, high *float64) string {
	if low == nil || high == nil {
		return change(ratio)
	}
	return change(ratio) + " (" + change(*low) + " to " + change(*high) + ")"
}
