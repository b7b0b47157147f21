package hbaseconf

import "strings"

// Difference is a property on which two configurations differ.
type Difference struct {
	Name          string
	Before, After Value
	// Added and Removed tell a property that only one of them sets.
	Added, Removed bool
}

func (d Difference) String() string {
	switch {
	case d.Added:
		return d.Name + ": not set → " + string(d.After)
	case d.Removed:
		return d.Name + ": " + string(d.Before) + " → not set"
	}
	return d.Name + ": " + string(d.Before) + " → " + string(d.After)
}

// Diff lists what differs between two configurations, in order of name. Texts
// that HBase reads as the same value, such as 0.4 and 0.40f, are no difference.
func (c *Catalogue) Diff(before, after Settings) []Difference {
	var list []Difference
	for name, value := range before.Merge(after).All() {
		old, was := before.Get(name)
		_, is := after.Get(name)
		switch {
		case !was:
			list = append(list, Difference{Name: name, After: value, Added: true})
		case !is:
			list = append(list, Difference{Name: name, Before: old, Removed: true})
		case !c.Same(name, old, value):
			list = append(list, Difference{Name: name, Before: old, After: value})
		}
	}
	return list
}

// Same reports whether HBase reads both texts as the same value of a property.
// Of a property that the catalogue does not have only the same text is the
// same.
func (c *Catalogue) Same(name string, a, b Value) bool {
	p, ok := c.Lookup(name)
	if a == b || !ok {
		return a == b
	}
	return p.meaning(string(a)) == p.meaning(string(b))
}

// meaning is what HBase makes of a text; a text that it cannot read stands for
// itself.
func (p Property) meaning(text string) any {
	var value any
	var err error
	switch p.Kind {
	case Int:
		value, err = javaInteger(text, 32)
	case Long:
		value, err = javaInteger(text, 64)
	case Float:
		value, err = javaFloat(text, 32)
	case Double:
		value, err = javaFloat(text, 64)
	case Size:
		value, err = storageSize(text)
	case Bool:
		known := false
		if value, known = javaBool(text); !known {
			return p.Default == "true" // what HBase takes then
		}
	case List:
		return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r <= ' ' }), ",")
	default:
		if word, known := p.Range.word(text); known && p.Range.FoldCase {
			return word
		}
		return text
	}
	if err != nil {
		return text
	}
	return value
}
