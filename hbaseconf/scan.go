package hbaseconf

import (
	"fmt"
	"strings"

	"github.com/beevik/etree"
)

// Limits of the XML parser that Hadoop uses; beyond them a daemon does not
// start either.
const (
	maxDepth      = 1000
	maxAttributes = 1000
)

// malformed is what a scanner panics with: text that is not well-formed.
type malformed struct {
	at     int
	reason string
}

// scanner reads XML strictly, as Hadoop's parser does, and keeps the place of
// every tag, which etree's own reader does not tell. It reads nothing but its
// text: an external DTD or entity is refused.
type scanner struct {
	text string
	at   int
	// What is nowhere in the text need not be looked for piece by piece.
	controls, returns, references, sections bool
	doc                                     *document
	prefixes                                map[string]int // declared where we are, how often
	declared                                []prefix       // the same in order, to forget them again
	entities                                map[string]entity
	expansions                              int // of entities, so far
	expanded                                int // bytes that entities have become
	slab                                    slab
}

type prefix struct {
	name  string
	depth int
}

// scan reads a text as one XML document. The error names the byte.
func scan(text string) (doc *document, fault *malformed) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(malformed)
			if !ok {
				panic(r)
			}
			doc, fault = nil, &m
		}
	}()
	s := &scanner{text: text, doc: &document{text: text, tree: etree.NewDocument()}, prefixes: map[string]int{}}
	s.controls = controlIn(text) >= 0
	s.returns = strings.IndexByte(text, '\r') >= 0
	s.references = strings.IndexByte(text, '&') >= 0
	s.sections = strings.Contains(text, "]]>")
	s.doc.elements = make([]element, 0, strings.Count(text, "<")/2)
	s.document()
	return s.doc, nil
}

func (s *scanner) failAt(at int, format string, args ...any) {
	panic(malformed{at, fmt.Sprintf(format, args...)})
}

func (s *scanner) fail(format string, args ...any) { s.failAt(s.at, format, args...) }

func (s *scanner) rest() string           { return s.text[s.at:] }
func (s *scanner) looking(at string) bool { return strings.HasPrefix(s.rest(), at) }
func (s *scanner) done() bool             { return s.at >= len(s.text) }
func (s *scanner) skip(text string) bool {
	if !s.looking(text) {
		return false
	}
	s.at += len(text)
	return true
}

// space skips blanks and says whether there were any.
func (s *scanner) space() bool {
	from := s.at
	for !s.done() && isSpace(s.text[s.at]) {
		s.at++
	}
	return s.at > from
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// document reads prolog, root and what follows.
func (s *scanner) document() {
	if s.looking("<?xml") && len(s.text) > 5 && s.text[5] <= ' ' {
		s.declaration()
	}
	top := &s.doc.tree.Element
	doctype := false
	for {
		blank := s.at
		if s.space() {
			top.CreateText(s.text[blank:s.at])
		}
		switch {
		case s.done():
			if len(s.doc.elements) == 0 {
				s.fail("there is no element in it")
			}
			return
		case s.looking("<!--"):
			s.comment(top)
		case s.looking("<?"):
			s.instruction(top)
		case s.looking("<!DOCTYPE"):
			if doctype || len(s.doc.elements) > 0 {
				s.fail("a DOCTYPE may stand only once, before the root element")
			}
			doctype = true
			s.doctype(top)
		case s.looking("</") || !s.looking("<"):
			s.fail("text outside the root element")
		case len(s.doc.elements) > 0:
			s.fail("a second root element; put everything inside one <configuration>")
		default:
			s.content(top)
		}
	}
}

// content reads the root element with all that is in it. It keeps its own
// stack: nesting costs no stack of the machine.
func (s *scanner) content(top *etree.Element) {
	open := s.startTag(top, 1, nil)
	for len(open) > 0 {
		inner := &s.doc.elements[open[len(open)-1]]
		switch {
		case s.done():
			s.failAt(inner.open.start, "<%s> is never closed", inner.FullTag())
		case s.looking("</"):
			s.endTag(inner)
			s.leave(len(open))
			open = open[:len(open)-1]
		case s.looking("<!--"):
			s.comment(inner.Element)
		case s.looking("<![CDATA["):
			s.cdata(inner.Element)
		case s.looking("<?"):
			s.instruction(inner.Element)
		case s.looking("<"):
			if len(open) >= maxDepth {
				s.fail("elements nested more than %d deep", maxDepth)
			}
			open = s.startTag(inner.Element, len(open)+1, open)
		default:
			if text := s.characters(); !s.ignorable(text, open) {
				s.slab.text(inner.Element, text)
			}
		}
	}
}

// ignorable reports whether text means nothing to anybody: blanks directly in the
// root, or in a property there, as long as neither is what text is gathered in.
// They are most of the nodes that a tree would have.
func (s *scanner) ignorable(text string, open []int) bool {
	if len(open) > 2 || gathers(s.doc.root().Tag) || len(open) == 2 && s.doc.elements[open[1]].Tag != "property" {
		return false
	}
	return strings.TrimLeft(text, " \t\r\n") == ""
}

// leave forgets the prefixes declared at a depth.
func (s *scanner) leave(depth int) {
	for n := len(s.declared); n > 0 && s.declared[n-1].depth == depth; n-- {
		s.prefixes[s.declared[n-1].name]--
		s.declared = s.declared[:n-1]
	}
}

// startTag reads a start tag and adds the element to the stack unless it is
// empty.
func (s *scanner) startTag(parent *etree.Element, depth int, open []int) []int {
	start := s.at
	s.at++
	tag := s.name()
	children := 1
	switch {
	case depth == 1: // all that many children are the root's
		children = cap(s.doc.elements)/4 + 1
	case tag == "property":
		children = 4
	}
	e := element{Element: s.slab.element(parent, tag, children)}
	var seen map[string]bool // attributes
	for {
		blank := s.space()
		if s.skip("/>") || s.skip(">") {
			break
		}
		if s.done() {
			s.failAt(start, "<%s is never closed", tag)
		}
		if !blank {
			s.fail("a blank or > is missing in <%s", tag)
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		s.attribute(&e, depth, seen)
	}
	s.checkPrefixes(&e, start)
	e.open = span{start, s.at}
	index := len(s.doc.elements)
	if s.text[s.at-2] == '/' {
		e.close = span{s.at, s.at}
		s.doc.elements = append(s.doc.elements, e)
		s.leave(depth)
		return open
	}
	s.doc.elements = append(s.doc.elements, e)
	return append(open, index)
}

func (s *scanner) attribute(e *element, depth int, seen map[string]bool) {
	at := s.at
	key := s.name()
	s.space()
	if !s.skip("=") {
		s.fail("= is missing after the attribute %s", key)
	}
	s.space()
	value, place := s.attributeValue()
	if seen[key] {
		s.failAt(at, "the attribute %s is there twice", key)
	}
	if len(e.Attr) >= maxAttributes {
		s.failAt(at, "more than %d attributes", maxAttributes)
	}
	seen[key] = true
	space, local, prefixed := strings.Cut(key, ":")
	if !prefixed {
		space, local = "", key
	}
	e.Attr = append(e.Attr, etree.Attr{Space: space, Key: local, Value: value})
	if s.doc.attrs == nil {
		s.doc.attrs = map[*etree.Element][]span{}
	}
	s.doc.attrs[e.Element] = append(s.doc.attrs[e.Element], place)
	if space == "xmlns" {
		if value == "" {
			s.failAt(at, "the prefix %s is bound to nothing", local)
		}
		s.prefixes[local]++
		s.declared = append(s.declared, prefix{local, depth})
	}
}

// checkPrefixes refuses prefixes that no xmlns binds, as a namespace-aware
// parser does.
func (s *scanner) checkPrefixes(e *element, at int) {
	s.checkPrefix(e.Space, at)
	for _, a := range e.Attr {
		if a.Space != "xmlns" {
			s.checkPrefix(a.Space, at)
		}
	}
}

func (s *scanner) checkPrefix(name string, at int) {
	if name == "" || name == "xml" || s.prefixes[name] > 0 {
		return
	}
	s.failAt(at, "the prefix %s: is used, but no xmlns:%s declares it", name, name)
}

func (s *scanner) endTag(inner *element) {
	start := s.at
	s.at += 2
	if full := inner.FullTag(); s.looking(full) && s.text[s.at+len(full):] != "" && s.text[s.at+len(full)] == '>' {
		s.at += len(full) + 1
		inner.close = span{start, s.at}
		return
	}
	tag := s.name()
	s.space()
	if !s.skip(">") {
		s.fail("> is missing in </%s", tag)
	}
	if tag != inner.FullTag() {
		s.failAt(start, "</%s> closes nothing: <%s> of line %d is open", tag, inner.FullTag(), s.doc.lineAt(inner.open.start))
	}
	inner.close = span{start, s.at}
}
