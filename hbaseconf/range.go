package hbaseconf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Range is what values a property may have: an interval of numbers, or a list
// of words. The zero Range allows everything.
type Range struct {
	interval         bool
	Min, Max         float64
	MinOpen, MaxOpen bool // the bound itself is not allowed
	// Words are the texts allowed; one that ends in "*" allows what begins so.
	Words []string
	// FoldCase is true where HBase does not mind capitals.
	FoldCase bool
}

// parseRange reads "[1,)", "(0,0.8]", "a|b|c" and "~a|b" (any case).
func parseRange(text string) (Range, error) {
	if text == "" {
		return Range{}, nil
	}
	if text[0] != '[' && text[0] != '(' {
		words, fold := strings.CutPrefix(text, "~")
		return Range{Words: strings.Split(words, "|"), FoldCase: fold}, nil
	}
	r := Range{interval: true, MinOpen: text[0] == '(', MaxOpen: text[len(text)-1] == ')'}
	low, high, ok := strings.Cut(text[1:len(text)-1], ",")
	var err error
	if r.Min, err = bound(low, math.Inf(-1)); err == nil {
		r.Max, err = bound(high, math.Inf(1))
	}
	if err != nil || !ok {
		return r, fmt.Errorf("range %q: not understood", text)
	}
	return r, nil
}

func bound(text string, none float64) (float64, error) {
	if text == "" {
		return none, nil
	}
	return strconv.ParseFloat(text, 64)
}

// Bounded reports whether the range is an interval of numbers.
func (r Range) Bounded() bool { return r.interval }

// Contains reports whether a number lies in the range.
func (r Range) Contains(x float64) bool {
	if !r.interval {
		return true
	}
	if x < r.Min || x > r.Max || math.IsNaN(x) {
		return false
	}
	return !(r.MinOpen && x == r.Min) && !(r.MaxOpen && x == r.Max)
}

// word returns the spelling that HBase knows for a text, if it is allowed.
func (r Range) word(text string) (string, bool) {
	for _, word := range r.Words {
		if prefix, open := strings.CutSuffix(word, "*"); open {
			if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
				return prefix + text[len(prefix):], true
			}
		} else if strings.EqualFold(word, text) {
			return word, true
		}
	}
	return "", false
}

// String says what is allowed, for messages: "at least 1", "fifo, codel or …".
func (r Range) String() string {
	if len(r.Words) > 0 {
		words := make([]string, len(r.Words))
		for i, word := range r.Words {
			switch prefix, open := strings.CutSuffix(word, "*"); {
			case word == "*":
				words[i] = "the name of a class"
			case open:
				words[i] = prefix + "…"
			default:
				words[i] = word
			}
		}
		return orList(words)
	}
	if !r.interval {
		return "anything"
	}
	var parts []string
	if !math.IsInf(r.Min, 0) {
		parts = append(parts, either(r.MinOpen, "more than ", "at least ")+number(r.Min))
	}
	if !math.IsInf(r.Max, 0) {
		parts = append(parts, either(r.MaxOpen, "less than ", "at most ")+number(r.Max))
	}
	return strings.Join(parts, " and ")
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
