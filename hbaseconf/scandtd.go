package hbaseconf

import (
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// What entities may become at most; beyond it they are an attack, not a
// configuration.
const (
	maxExpansions    = 100_000
	maxExpandedBytes = 4 << 20
	maxEntityDepth   = 100
)

// entity is a general entity of the internal DTD.
type entity struct {
	text     string
	external bool
}

// doctype reads <!DOCTYPE name [ … ]>. Of the internal subset only general
// entities matter; an external one is refused, since reading it could reach
// any file or host.
func (s *scanner) doctype(top *etree.Element) {
	start := s.at
	s.at += len("<!DOCTYPE")
	if !s.space() {
		s.fail("a blank is missing after <!DOCTYPE")
	}
	s.name()
	s.space()
	if s.looking("SYSTEM") || s.looking("PUBLIC") {
		s.fail("the DOCTYPE refers to an external DTD, which is not read; remove the DOCTYPE")
	}
	s.entities = map[string]entity{}
	if s.skip("[") {
		for s.space(); !s.skip("]"); s.space() {
			s.markupDeclaration()
		}
		s.space()
	}
	if !s.skip(">") {
		s.failAt(start, "the DOCTYPE is never closed")
	}
	top.CreateDirective(s.text[start+len("<!") : s.at-1])
}

func (s *scanner) markupDeclaration() {
	switch {
	case s.done():
		s.fail("the DOCTYPE is never closed")
	case s.looking("<!--"):
		s.commentText() // any character may stand in it
	case s.looking("<?"):
		s.instruction(etree.NewElement("dtd"))
	case s.looking("%"):
		s.fail("parameter entities are not supported; write out what they stand for")
	case s.skip("<!ENTITY"):
		s.entityDeclaration()
	case s.looking("<!ELEMENT"), s.looking("<!ATTLIST"), s.looking("<!NOTATION"):
		s.skipDeclaration()
	default:
		s.fail("not understood inside the DOCTYPE")
	}
}

func (s *scanner) entityDeclaration() {
	start := s.at
	s.space()
	if s.looking("%") {
		s.fail("parameter entities are not supported; write out what they stand for")
	}
	name := s.name()
	s.space()
	var e entity
	if s.looking("SYSTEM") || s.looking("PUBLIC") {
		e.external = true
		s.skipDeclaration()
	} else {
		e.text = s.entityValue(start)
		s.space()
		if !s.skip(">") {
			s.failAt(start, "the entity %s is never closed", name)
		}
	}
	if _, twice := s.entities[name]; !twice {
		s.entities[name] = e
	}
}

// entityValue reads the text of an entity; references to characters are
// replaced at once, those to entities when it is used.
func (s *scanner) entityValue(start int) string {
	if s.done() || (s.text[s.at] != '"' && s.text[s.at] != '\'') {
		s.failAt(start, "an entity needs a value in quotes")
	}
	quote := s.text[s.at]
	s.at++
	end := strings.IndexByte(s.rest(), quote)
	if end < 0 {
		s.failAt(start, "a quote is never closed")
	}
	raw := newlines(s.text[s.at : s.at+end])
	s.checkCharacters(raw, s.at)
	if strings.Contains(raw, "%") {
		s.fail("parameter entities are not supported; write out what they stand for")
	}
	s.at += end + 1
	var b strings.Builder
	for {
		before, after, found := strings.Cut(raw, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, ok := strings.Cut(after, ";")
		if code, isCode := strings.CutPrefix(name, "#"); ok && isCode {
			b.WriteRune(s.character(code, start))
		} else if ok && (name == "" || isName(name)) { // Hadoop's parser looks closer only where it is used
			b.WriteString("&" + name + ";")
		} else {
			s.failAt(start, "& stands alone; write &amp;")
		}
		raw = rest
	}
}

// isName reports whether a text is one name.
func isName(text string) bool {
	for i, r := range text {
		if !nameStart(r) && (i == 0 || !namePart(r) && r != ':') {
			return false
		}
	}
	return text != ""
}

// skipDeclaration skips to the > that ends a declaration, past quotes.
func (s *scanner) skipDeclaration() {
	start := s.at
	for !s.done() {
		c := s.text[s.at]
		s.at++
		switch c {
		case '>':
			return
		case '"', '\'':
			end := strings.IndexByte(s.rest(), c)
			if end < 0 {
				s.failAt(start, "a quote is never closed")
			}
			s.at += end + 1
		}
	}
	s.failAt(start, "a declaration in the DOCTYPE is never closed")
}

// entity returns the text that a reference stands for.
func (s *scanner) entity(name string, at int, within []string) string {
	e, ok := s.entities[name]
	switch {
	case !ok:
		s.failAt(at, "&%s; is not declared; write &amp; for a plain &", name)
	case e.external:
		s.failAt(at, "&%s; is an external entity, which is not read", name)
	case slices.Contains(within, name):
		s.failAt(at, "&%s; refers to itself", name)
	case len(within) >= maxEntityDepth:
		s.failAt(at, "entities refer to each other more than %d deep", maxEntityDepth)
	case strings.Contains(e.text, "<"):
		s.failAt(at, "&%s; holds markup, which is not supported; write it out", name)
	}
	s.expansions++
	s.expanded += len(e.text)
	if s.expansions > maxExpansions || s.expanded > maxExpandedBytes {
		s.failAt(at, "entities expand without end; remove the DOCTYPE")
	}
	return e.text
}
