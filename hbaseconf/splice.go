package hbaseconf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// change replaces a stretch of a text.
type change struct {
	span
	text string
}

// splice applies changes; where two overlap, the later to begin is dropped, as
// it lies inside of what the earlier has replaced.
func splice(text string, changes []change) string {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, c := range changes {
		if c.start < at {
			continue
		}
		b.WriteString(text[at:c.start])
		b.WriteString(c.text)
		at = c.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// escape writes a value so that XML and the file's encoding keep it.
func (s *Site) escape(value string, attribute bool) string {
	var b strings.Builder
	for _, r := range value {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"' && attribute:
			b.WriteString("&quot;")
		case r == '\'' && attribute:
			b.WriteString("&apos;")
		case r == '\r', attribute && (r == '\n' || r == '\t'), !s.enc.has(r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// newline is how the file ends its lines.
func (s *Site) newline() string {
	if i := strings.IndexByte(s.doc.text, '\n'); i > 0 && s.doc.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// before is the blank space in front of an element on its own line, its line
// end included; empty where something else stands there.
func (s *Site) before(e *element) string {
	text := s.doc.text[:e.open.start]
	blank := text[len(strings.TrimRight(text, " \t\r\n")):]
	if i := strings.LastIndexByte(blank, '\n'); i >= 0 {
		if i > 0 && blank[i-1] == '\r' {
			i--
		}
		return blank[i:]
	}
	return ""
}

// wholeLines is the element with the blank space in front of it, so that no
// empty line stays behind.
func (s *Site) wholeLines(e *element) span {
	return span{e.open.start - len(s.before(e)), e.close.end}
}

// newProperty writes a property in the layout of the last plain one of the
// file: on one line or several, with the same indentation and line ends.
func (s *Site) newProperty(name, value string) string {
	name, value = s.escape(name, false), s.escape(value, false)
	if model, n, v := s.model(); model != nil {
		text := s.doc.text
		return s.before(model) + text[model.open.start:n.open.end] + name +
			text[n.close.start:v.open.end] + value + text[v.close.start:model.close.end]
	}
	nl, tag := s.newline(), func(t string) string { return sibling(s.doc.root(), t) }
	return fmt.Sprintf("%[1]s  <%[2]s>%[1]s    <%[3]s>%[5]s</%[3]s>%[1]s    <%[4]s>%[6]s</%[4]s>%[1]s  </%[2]s>",
		nl, tag("property"), tag("name"), tag("value"), name, value)
}

// model finds the last property that is just a name and a value, child of the
// root, with its two elements.
func (s *Site) model() (property, name, value *element) {
	elements := s.doc.elements
	for i := len(elements) - 1; i > 0; i-- {
		p := &elements[i]
		if p.Tag != "property" || p.Parent() != s.doc.root().Element || len(p.Attr) > 0 || !plain(p.Element) {
			continue
		}
		n, v := &elements[i+1], &elements[i+2]
		if n.close.start > n.open.end && v.close.start > v.open.end {
			return p, n, v
		}
	}
	return nil, nil, nil
}

// plain reports whether a property holds a name, then a value, and blanks.
func plain(property *etree.Element) bool {
	var tags []string
	for _, child := range property.Child {
		switch child := child.(type) {
		case *etree.CharData:
			if strings.TrimSpace(child.Data) != "" {
				return false
			}
		case *etree.Element:
			if len(child.Attr) > 0 || len(child.ChildElements()) > 0 {
				return false
			}
			tags = append(tags, child.Tag)
		default:
			return false
		}
	}
	return slices.Equal(tags, []string{"name", "value"})
}

// insertion puts new properties behind everything that the root holds, so that
// they win over what is included above.
func (s *Site) insertion(properties []string) change {
	root, text := s.doc.root(), strings.Join(properties, "")
	if root.close.start == root.close.end { // <configuration/>
		slash := strings.LastIndexByte(root.open.of(s.doc.text), '/') + root.open.start
		return change{span{slash, root.close.end}, ">" + text + s.newline() + "</" + root.FullTag() + ">"}
	}
	inside := s.doc.text[root.open.end:root.close.start]
	at := root.open.end + len(strings.TrimRight(inside, " \t\r\n"))
	if strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r") {
		if !strings.Contains(s.doc.text[at:root.close.start], "\n") {
			text += s.newline()
		}
	}
	return change{span{at, at}, text}
}
