package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Rule is one thing that is looked for.
type Rule struct {
	Code     string
	Severity Severity // a finding may be milder
	Title    string   // what is found, as a noun phrase
	Doc      string   // why it matters and what to do
	// Bad is an example in which the rule finds something, Good one in which it
	// does not; see example for how they are written.
	Bad, Good string

	check func(*facts) []Finding
	// last stops after this rule, where what it found makes the rest
	// meaningless.
	last bool
}

// Rules lists the rules, by subject.
func Rules() []Rule {
	return slices.Concat(
		fileRules(), valueRules(), nameRules(), heapRules(), cacheRules(),
		callRules(), writeRules(), storeRules(), envRules(), memoryRules(), jvmRules(),
	)
}

// when makes the findings of a rule that finds one thing or nothing.
func when(found bool, finding func() Finding) []Finding {
	if !found {
		return nil
	}
	return []Finding{finding()}
}

// size writes a number of bytes for people: "3.5 GB", "256 bytes".
func size(bytes float64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB", "PB", "EB"}
	unit := 0
	for math.Abs(bytes) >= 1024 && unit < len(units)-1 {
		bytes /= 1024
		unit++
	}
	return figure(bytes) + " " + units[unit]
}

// figure writes a number with at most three figures and no zeros at its end.
func figure(x float64) string {
	switch {
	case math.Abs(x) >= 100:
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	case math.Abs(x) >= 10:
		return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// count writes a whole number with its noun: "1 error", "800 handlers".
func count[T ~int | ~int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(int64(n)) + " " + noun + "s"
}

// grouped separates thousands: "8,000".
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	digits := strings.TrimPrefix(text, "-")
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return text[:len(text)-len(digits)] + b.String()
}
