package hbaseconf

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Scopes lists who may read a property.
func Scopes() []Scope {
	return []Scope{RegionServer, Master, Client, Table, Family, JVM, ZooKeeper, HDFS}
}

// Known reports whether the scope is one of Scopes.
func (s Scope) Known() bool { return s.text() != "" }

func (s Scope) text() string {
	switch s {
	case RegionServer:
		return "RegionServer"
	case Master:
		return "Master"
	case Client:
		return "client"
	case Table:
		return "table attribute"
	case Family:
		return "family attribute"
	case JVM:
		return "Java machine"
	case ZooKeeper:
		return "ZooKeeper run by HBase"
	case HDFS:
		return "HDFS client"
	}
	return ""
}

// ScopeText says in words who reads the property.
func (p Property) ScopeText() string {
	words := make([]string, len(p.Scope))
	for i, s := range p.Scope {
		words[i] = s.text()
	}
	return strings.Join(words, ", ")
}

// DefaultText says what the default is in a version, the newest 2.x if it is
// empty.
func (p Property) DefaultText(version string) string {
	value := p.Default
	if version != "" {
		if !p.ReadIn(version) {
			return "not read"
		}
		value, _ = p.DefaultIn(version)
	}
	switch {
	case value != "":
		return string(value)
	case p.Computed != "":
		return p.Computed
	}
	return "none"
}

// Describe writes all that is known of the property, with the default of a
// version, the newest 2.x if it is empty.
func (p Property) Describe(out io.Writer, version string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %s\t%s\n", what, text)
		}
	}
	fmt.Fprintf(w, "%s\n", p.Name)
	for _, part := range wrap(p.Doc, 76) {
		fmt.Fprintf(w, "  %s\n", part)
	}
	fmt.Fprintln(w)
	line("read by", p.ScopeText())
	line("value", strings.TrimPrefix(p.accepted(), "give "))
	line("default", p.DefaultText(version))
	for _, old := range p.history.old {
		line("", either(old.below, "before ", "from ")+old.at.String()+": "+string(old.value))
	}
	line("read", p.history.String())
	line("takes effect", p.EffectText())
	for _, alias := range p.Aliases {
		line("other name", alias.Name+either(alias.Renamed, ", renamed by Hadoop", ", read where this one is not set"))
	}
	line("replaced by", p.ReplacedBy)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("describe %s: %w", p.Name, err)
	}
	return nil
}

// wrap breaks a text into lines of at most so many characters.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// String says which versions read the property; empty means all.
func (h history) String() string {
	var parts []string
	for _, since := range h.since {
		parts = append(parts, "since "+since.String())
	}
	if h.until != nil {
		parts = append(parts, "no longer in "+h.until.String())
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON writes {"min","max","above","below"} or {"words"}: above and
// below are bounds that are not allowed themselves.
func (r Range) MarshalJSON() ([]byte, error) {
	m := map[string]any{}
	if len(r.Words) > 0 {
		m["words"] = r.Words
		m["any_case"] = r.FoldCase
	}
	if r.interval && !math.IsInf(r.Min, 0) {
		m[either(r.MinOpen, "above", "min")] = r.Min
	}
	if r.interval && !math.IsInf(r.Max, 0) {
		m[either(r.MaxOpen, "below", "max")] = r.Max
	}
	return json.Marshal(m)
}
