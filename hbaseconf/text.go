package hbaseconf

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode"
)

// UnknownError says that no property has that name.
type UnknownError struct {
	Name       string
	Suggestion string // a name that may have been meant, or empty
	Untuned    bool   // HBase has the property, the catalogue has not
}

func (e *UnknownError) Error() string {
	if e.Untuned {
		return fmt.Sprintf("%s is a property of HBase, but none that is tuned; `hbtune params` lists those that are", e.Name)
	}
	if e.Suggestion == "" {
		return fmt.Sprintf("unknown property %q; `hbtune params` lists those known", e.Name)
	}
	return fmt.Sprintf("unknown property %q; did you mean %s?", e.Name, e.Suggestion)
}

// ValueError says that a text is no value of a property.
type ValueError struct {
	Property string
	Text     string
	Reason   string // what is wrong and what is accepted
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s: %q %s", e.Property, e.Text, e.Reason)
}

// Value turns what a person wrote ("128MB", "10s", "40%") into the text that
// HBase reads, and checks it against the property's type and range. The error
// is an *UnknownError or a *ValueError.
func (c *Catalogue) Value(name, text string) (Value, error) {
	p, ok := c.Lookup(name)
	if !ok {
		return "", c.Unknown(name)
	}
	value, reason := p.canonical(strings.TrimSpace(text))
	if reason != "" {
		return "", &ValueError{Property: name, Text: text, Reason: reason}
	}
	return value, nil
}

// Unknown is the error for a name that Lookup does not find.
func (c *Catalogue) Unknown(name string) *UnknownError {
	if c.Known(name) {
		return &UnknownError{Name: name, Untuned: true}
	}
	return &UnknownError{Name: name, Suggestion: c.Suggest(name)}
}

// canonical returns the value, or what is wrong with the text.
func (p Property) canonical(text string) (Value, string) {
	if text == "" {
		return "", "is empty; " + p.accepted()
	}
	switch p.Kind {
	case Bool:
		switch lower := strings.ToLower(text); lower {
		case "true", "false":
			return Value(lower), ""
		}
		return "", "is neither true nor false; HBase would silently take the default"
	case List:
		return p.canonicalList(text)
	case Int, Long, Float, Double, Size:
		return p.canonicalNumber(text)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", "holds a control character"
	}
	if p.Kind == Class && strings.ContainsFunc(text, unicode.IsSpace) {
		return "", "is not the name of a Java class"
	}
	if len(p.Range.Words) > 0 {
		word, ok := p.Range.word(text)
		if !ok {
			return "", "is not known to HBase; " + p.accepted()
		}
		return Value(word), ""
	}
	return Value(text), ""
}

func (p Property) canonicalList(text string) (Value, string) {
	var values []string
	for part := range strings.SplitSeq(text, ",") {
		value, reason := p.canonicalNumber(strings.TrimSpace(part))
		if reason != "" {
			return "", reason
		}
		values = append(values, string(value))
	}
	return Value(strings.Join(values, ",")), ""
}

var numberText = regexp.MustCompile(`^([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*(.*)$`)

func (p Property) canonicalNumber(text string) (Value, string) {
	m := numberText.FindStringSubmatch(text)
	if m == nil {
		return "", "is not a number; " + p.accepted()
	}
	x, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return "", "is not a number; " + p.accepted()
	}
	if m[2] != "" {
		factor, ok := p.unitFactor(m[2])
		if !ok {
			return "", fmt.Sprintf("has the unit %q; %s", m[2], p.accepted())
		}
		x.Mul(x, factor)
	}
	return p.fromNumber(x)
}

// fromNumber checks kind and range and writes the number down.
func (p Property) fromNumber(x *big.Rat) (Value, string) {
	near, _ := x.Float64()
	if p.Kind == Float || p.Kind == Double {
		if !p.Range.Contains(near) {
			return "", "is out of range; " + p.accepted()
		}
		return Value(number(near)), ""
	}
	if !x.IsInt() {
		return "", "is not a whole number of " + p.unitName() + "; " + p.accepted()
	}
	bits := 63
	if p.Kind == Int || p.Kind == List {
		bits = 31
	}
	if x.Num().BitLen() > bits || !p.Range.Contains(near) {
		return "", "is out of range; " + p.accepted()
	}
	return Value(x.Num().String()), ""
}

// accepted says what the property takes, with an example in its unit.
func (p Property) accepted() string {
	limits := ""
	if p.Range.Bounded() {
		limits = ", " + p.Range.String()
	}
	switch {
	case p.Kind == Bool:
		return "give true or false"
	case len(p.Range.Words) > 0:
		return "give " + p.Range.String()
	case p.Kind == Class:
		return "give the name of a Java class"
	case p.Kind == Text, p.Kind == Path:
		return "give a text"
	case p.Kind == List:
		return "give whole numbers of " + p.unitName() + " with commas between" + limits
	case p.Fraction():
		return "give a " + p.Unit + " such as 0.4 or 40%" + limits
	}
	example := ""
	if e := unitExample(p.Unit); e != "" {
		example = ", or with a unit such as " + e
	}
	if p.Kind == Float || p.Kind == Double {
		return strings.TrimSpace("give a number "+ofUnit(p.Unit)) + example + limits
	}
	return strings.TrimSpace("give a whole number "+ofUnit(p.Unit)) + example + limits
}

func ofUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return "of " + unit
}

func (p Property) unitName() string {
	if p.Unit == "" {
		return "units"
	}
	return p.Unit
}
