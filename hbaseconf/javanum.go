package hbaseconf

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// How Hadoop's Configuration makes numbers out of text: the same text is
// accepted and refused, with the same result.

var (
	errNotNumber = errors.New("is not a number to HBase")
	errNotSize   = errors.New("is not a size to HBase")
)

// javaInteger reads an integer of some bits: decimal, or hexadecimal after 0x,
// with blanks around. Digits may be those of any script, as in Java.
func javaInteger(text string, bits int) (int64, error) {
	text = trimJava(text)
	base := 10
	if body, negative := strings.CutPrefix(text, "-"); strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X") {
		base, text = 16, body[2:]
		if negative {
			text = "-" + text
		}
	}
	plain := strings.Map(javaDigit, text)
	n, err := strconv.ParseInt(plain, base, bits)
	if err != nil || strings.Contains(plain, "_") {
		return 0, errNotNumber
	}
	return n, nil
}

// javaDigit turns a digit of any script into an ASCII one; what is no digit
// stays as it is, as do those beyond 16 bits, which Java looks at in halves.
func javaDigit(r rune) rune {
	if r < 0x80 {
		return r
	}
	for _, run := range unicode.Nd.R16 { // tens, zero first
		if lo := rune(run.Lo); lo <= r && r <= rune(run.Hi) {
			return '0' + (r-lo)%10
		}
	}
	return r
}

var javaFloatText = regexp.MustCompile(`^[+-]?(NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?|` +
	`(?:0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?)$`)

// javaFloat reads a float (32 bits) or double (64), with blanks around and a
// suffix such as the f in 0.3f.
func javaFloat(text string, bits int) (float64, error) {
	text = trimJava(text)
	if !javaFloatText.MatchString(text) {
		return 0, errNotNumber
	}
	if !strings.HasSuffix(text, "y") && !strings.HasSuffix(text, "N") { // Infinity, NaN
		hex := strings.ContainsAny(text, "xX")
		if last := text[len(text)-1]; strings.IndexByte("fFdD", last) >= 0 && (!hex || strings.ContainsAny(text, "pP")) {
			text = text[:len(text)-1]
		}
	}
	x, err := strconv.ParseFloat(text, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNotNumber
	}
	return x, nil
}

// javaBool reads a boolean; false as second result says that HBase takes the
// default, without a word.
func javaBool(text string) (value, ok bool) {
	switch strings.ToLower(trimJava(text)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// storageSize reads a size as HBase does where it takes units: a plain count of
// bytes without blanks, or a number with b, k, m, g, t, p, e, also as kb and
// kilobytes.
func storageSize(text string) (int64, error) {
	if n, err := strconv.ParseInt(strings.Map(javaDigit, text), 10, 64); err == nil {
		return n, nil
	}
	lower := strings.ToLower(trimJava(text))
	if strings.TrimSpace(lower) == "" {
		return -1, nil
	}
	for _, unit := range []struct {
		names []string
		power int
	}{
		{[]string{"exabytes", "eb", "e"}, 60},
		{[]string{"petabytes", "pb", "p"}, 50},
		{[]string{"terabytes", "tb", "t"}, 40},
		{[]string{"gigabytes", "gb", "g"}, 30},
		{[]string{"megabytes", "mb", "m"}, 20},
		{[]string{"kilobytes", "kb", "k"}, 10},
		{[]string{"bytes", "b"}, 0},
	} {
		for _, name := range unit.names {
			if !strings.HasSuffix(lower, name) {
				continue
			}
			// HBase cuts the unit off by the length of the text with its blanks,
			// so that with blanks around the unit stays and nothing is a number.
			end := len(text) - len(name)
			if end > len(lower) {
				return 0, errNotSize
			}
			x, err := javaFloat(lower[:end], 64)
			if err != nil {
				return 0, errNotSize
			}
			if unit.power == 0 {
				return toLong(x), nil
			}
			x *= math.Pow(2, float64(unit.power))
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return 0, errNotSize
			}
			return toLong(roundTo4(x)), nil
		}
	}
	return 0, errNotSize
}

// roundTo4 keeps four decimals, as HBase does when it converts units.
func roundTo4(x float64) float64 {
	if scaled := x * 1e4; math.Abs(scaled) < 1<<53 {
		return math.Round(scaled) / 1e4
	}
	return x
}

// toLong and toInt convert as Java's casts do: cut to whole, hold at the ends.
func toLong(x float64) int64 {
	switch {
	case math.IsNaN(x):
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}

func toInt(x float32) int32 {
	return int32(min(max(toLong(float64(x)), math.MinInt32), math.MaxInt32))
}

// Readable reports whether a daemon can read a text as the kind of the property;
// the error says why not, without naming it.
func (p Property) Readable(text string) error { return p.readable(text) }

// readable reports whether a daemon can read a text as the kind of a property;
// the error says why not, without naming it.
func (p Property) readable(text string) error {
	var err error
	switch p.Kind {
	case Int:
		_, err = javaInteger(text, 32)
	case Long:
		_, err = javaInteger(text, 64)
	case Float:
		_, err = javaFloat(text, 32)
	case Double:
		_, err = javaFloat(text, 64)
	case Size:
		_, err = storageSize(text)
	case List:
		for part := range strings.SplitSeq(text, ",") {
			if part = trimJava(part); part == "" {
				continue
			}
			if _, err = javaInteger(part, 32); err != nil || strings.HasPrefix(part, "0x") {
				return errNotNumber
			}
		}
	}
	return err
}
