package hbaseconf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// history is how a property differs between versions of HBase.
type history struct {
	since []version
	until version // first version that no longer reads it
	old   []oldDefault
}

// oldDefault is a default that holds below a version, or from one on.
type oldDefault struct {
	below bool
	at    version
	value Value
}

// version is the number of a release, as far as it was given. Flavours such as
// "-hadoop3" and "-beta-1" are left out: properties do not hang on them.
type version []int

func parseVersion(text string) version {
	var v version
	number, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), "-")
	for part := range strings.SplitSeq(number, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		v = append(v, n)
	}
	return v
}

// before compares releases; "2.5" stands before "2.5.1".
func (v version) before(other version) bool { return slices.Compare(v, other) < 0 }

// VersionBefore reports whether a version of HBase is older than another:
// "2.5.13" than "2.6".
func VersionBefore(a, b string) bool { return parseVersion(a).before(parseVersion(b)) }

// CheckVersion refuses what is no version of HBase, such as "2.6.4" or
// "3.0.0-beta-1".
func CheckVersion(text string) error {
	if len(parseVersion(text)) < 2 {
		return fmt.Errorf("%q is no version of HBase; give one such as 2.6.4", text)
	}
	return nil
}

func (v version) String() string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}

// sameLine reports whether both belong to one line of releases, such as 2.5.
func (v version) sameLine(other version) bool {
	return len(v) >= 2 && len(other) >= 2 && v[0] == other[0] && v[1] == other[1]
}

// parseHistory reads "+2.5.11 +2.6.1 -3.0 <2.0=10 >=3.0=true": read since,
// read until, default below a version, default from a version on. A property
// that came in maintenance releases has one "+" a line of releases.
func parseHistory(text string) (history, error) {
	var h history
	for item := range strings.FieldsSeq(text) {
		switch {
		case strings.HasPrefix(item, "+"):
			h.since = append(h.since, parseVersion(item[1:]))
		case strings.HasPrefix(item, "-"):
			h.until = parseVersion(item[1:])
		case strings.HasPrefix(item, "<"), strings.HasPrefix(item, ">="):
			at, value, ok := strings.Cut(strings.TrimLeft(item, "<>="), "=")
			if !ok {
				return h, fmt.Errorf("history %q: no value", item)
			}
			h.old = append(h.old, oldDefault{item[0] == '<', parseVersion(at), Value(value)})
		default:
			return h, fmt.Errorf("history %q: not understood", item)
		}
	}
	return h, nil
}

func (h history) readIn(text string) bool {
	if h.until == nil && h.since == nil {
		return true
	}
	v := parseVersion(text)
	if h.until != nil && !v.before(h.until) {
		return false
	}
	if h.since == nil {
		return true
	}
	for _, since := range h.since {
		if v.sameLine(since) {
			return !v.before(since)
		}
	}
	return slices.ContainsFunc(h.since, func(since version) bool { return !v.before(since) })
}

func (h history) defaultIn(text string, now Value) Value {
	if h.old == nil {
		return now
	}
	v := parseVersion(text)
	for _, old := range h.old {
		if v.before(old.at) == old.below {
			return old.value
		}
	}
	return now
}
