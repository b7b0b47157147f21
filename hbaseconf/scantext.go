package hbaseconf

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"
)

// declaration reads <?xml version="1.0" encoding="…" standalone="…"?>. Like
// Hadoop's parser it takes every control character in it for a blank.
func (s *scanner) declaration() {
	end := strings.Index(s.rest(), "?>")
	if end < 0 {
		s.fail("<?xml is never closed")
	}
	inst := s.text[s.at+len("<?xml") : s.at+end]
	s.doc.tree.CreateProcInst("xml", strings.TrimSpace(inst))
	limit := s.at + end
	s.at += len("<?xml")
	blank := func() bool {
		from := s.at
		for s.at < limit && s.text[s.at] <= ' ' {
			s.at++
		}
		return s.at > from
	}
	for _, key := range []string{"version", "encoding", "standalone"} {
		separate := blank()
		if !s.looking(key) {
			if key == "version" {
				s.fail("<?xml needs version=\"1.0\"")
			}
			continue
		}
		if !separate {
			s.fail("a blank is missing before %s", key)
		}
		s.at += len(key)
		blank()
		if !s.skip("=") {
			s.fail("= is missing after %s", key)
		}
		blank()
		value, _ := s.attributeValue()
		s.checkDeclared(key, value)
	}
	blank()
	if s.at != limit {
		s.fail("<?xml holds more than version, encoding and standalone")
	}
	s.at += len("?>")
}

var encodingName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)

func (s *scanner) checkDeclared(key, value string) {
	ok := true
	switch key {
	case "version":
		ok = value == "1.0" || value == "1.1"
	case "encoding":
		ok = encodingName.MatchString(value)
	case "standalone":
		ok = value == "yes" || value == "no"
	}
	if !ok {
		s.fail("<?xml has the %s %q", key, value)
	}
}

func (s *scanner) comment(parent *etree.Element) {
	at := s.at + len("<!--")
	text := s.commentText()
	s.checkCharacters(text, at)
	parent.CreateComment(text)
}

func (s *scanner) commentText() string {
	start := s.at
	s.at += len("<!--")
	end := strings.Index(s.rest(), "--")
	if end < 0 {
		s.failAt(start, "a comment is never closed")
	}
	text := s.text[s.at : s.at+end]
	s.at += end
	if !s.skip("-->") {
		s.fail("-- may not stand inside a comment")
	}
	return text
}

func (s *scanner) instruction(parent *etree.Element) {
	start := s.at
	s.at += len("<?")
	target := s.name()
	if strings.EqualFold(target, "xml") {
		if start > 0 && strings.TrimSpace(s.text[:start]) == "" {
			s.failAt(start, "blanks or empty lines before <?xml; remove them, a daemon does not start with them")
		}
		s.failAt(start, "<?xml may stand only at the very beginning")
	}
	end := strings.Index(s.rest(), "?>")
	if end < 0 {
		s.failAt(start, "<?%s is never closed", target)
	}
	inst := s.text[s.at : s.at+end]
	if inst != "" && !isSpace(inst[0]) {
		s.fail("a blank is missing after <?%s", target)
	}
	s.checkCharacters(inst, s.at)
	s.at += end + len("?>")
	parent.CreateProcInst(target, strings.TrimLeft(inst, " \t\r\n"))
}

func (s *scanner) cdata(parent *etree.Element) {
	start := s.at
	s.at += len("<![CDATA[")
	end := strings.Index(s.rest(), "]]>")
	if end < 0 {
		s.failAt(start, "a CDATA section is never closed")
	}
	text := s.text[s.at : s.at+end]
	s.checkCharacters(text, s.at)
	s.at += end + len("]]>")
	parent.CreateCData(newlines(text))
}

// characters reads text up to the next tag.
func (s *scanner) characters() string {
	start := s.at
	end := strings.IndexByte(s.rest(), '<')
	if end < 0 {
		end = len(s.rest())
	}
	text := s.text[s.at : s.at+end]
	s.checkCharacters(text, s.at)
	if s.sections {
		if i := strings.Index(text, "]]>"); i >= 0 {
			s.failAt(start+i, "]]> stands outside a CDATA section")
		}
	}
	s.at += end
	if s.returns {
		text = newlines(text)
	}
	if !s.references || strings.IndexByte(text, '&') < 0 {
		return text
	}
	var b strings.Builder
	s.replace(&b, text, start, false, nil)
	return b.String()
}

// attributeValue reads a value in quotes.
func (s *scanner) attributeValue() (string, span) {
	if s.done() || (s.text[s.at] != '"' && s.text[s.at] != '\'') {
		s.fail("a value in quotes is missing")
	}
	quote := s.text[s.at]
	s.at++
	end := strings.IndexByte(s.rest(), quote)
	if end < 0 {
		s.failAt(s.at-1, "a quote is never closed")
	}
	place := span{s.at, s.at + end}
	text := place.of(s.text)
	s.checkCharacters(text, s.at)
	if i := strings.IndexByte(text, '<'); i >= 0 {
		s.failAt(s.at+i, "< stands inside an attribute; write &lt;")
	}
	s.at = place.end + 1
	if strings.ContainsAny(text, "&\t\r\n") {
		var b strings.Builder
		s.replace(&b, newlines(text), place.start, true, nil)
		text = b.String()
	}
	return text, place
}

// replace writes text with its references replaced; in attributes every blank
// becomes a space. within names the entities whose text it is.
func (s *scanner) replace(b *strings.Builder, text string, at int, attribute bool, within []string) {
	for {
		i := strings.IndexByte(text, '&')
		plain := text
		if i >= 0 {
			plain = text[:i]
		}
		if attribute {
			plain = strings.Map(func(r rune) rune {
				if r == '\t' || r == '\n' {
					return ' '
				}
				return r
			}, plain)
		}
		b.WriteString(plain)
		if i < 0 {
			return
		}
		name, rest, ok := strings.Cut(text[i+1:], ";")
		if !ok || !isName(name) && !strings.HasPrefix(name, "#") {
			s.failAt(at, "& stands alone; write &amp;")
		}
		s.reference(b, name, at, attribute, within)
		text = rest
	}
}

func (s *scanner) reference(b *strings.Builder, name string, at int, attribute bool, within []string) {
	if code, ok := strings.CutPrefix(name, "#"); ok {
		b.WriteRune(s.character(code, at))
		return
	}
	switch name {
	case "lt":
		b.WriteByte('<')
	case "gt":
		b.WriteByte('>')
	case "amp":
		b.WriteByte('&')
	case "apos":
		b.WriteByte('\'')
	case "quot":
		b.WriteByte('"')
	default:
		s.replace(b, s.entity(name, at, within), at, attribute, append(within, name))
	}
}

// character reads the number of a reference such as &#38; or &#x26;.
func (s *scanner) character(code string, at int) rune {
	digits, base := code, 10
	if hex, ok := strings.CutPrefix(code, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !isCharacter(rune(n)) {
		s.failAt(at, "&#%s; is no character", code)
	}
	return rune(n)
}

// checkCharacters refuses control characters. (Others that XML does not allow
// are refused when the bytes are decoded.)
func (s *scanner) checkCharacters(text string, at int) {
	if !s.controls {
		return
	}
	if i := controlIn(text); i >= 0 {
		s.failAt(at+i, "a control character (0x%02X); remove it", text[i])
	}
}

// controlIn finds the first control character that is no blank, or -1.
func controlIn(text string) int {
	for i := range len(text) {
		if c := text[i]; c < 0x20 && c != '\t' && c != '\n' && c != '\r' {
			return i
		}
	}
	return -1
}

func isCharacter(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || 0x20 <= r && r < 0xD800 ||
		0xE000 <= r && r < 0xFFFE || 0x10000 <= r && r <= unicode.MaxRune
}

// newlines turns CR LF and CR into LF, as XML parsers do.
func newlines(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// name reads a name with at most one prefix.
func (s *scanner) name() string {
	start := s.at
	for !s.done() && 'a' <= s.text[s.at] && s.text[s.at] <= 'z' {
		s.at++ // most names are no more than this
	}
	colon := false
	first := s.at == start
	for !s.done() {
		r, size := rune(s.text[s.at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s.rest())
		}
		if r == ':' && !first && !colon {
			colon, first = true, true
		} else if nameStart(r) || !first && namePart(r) {
			first = false
		} else {
			break
		}
		s.at += size
	}
	if first {
		s.failAt(start, "a name is missing; write &lt; for < in text")
	}
	return s.text[start:s.at]
}

func nameStart(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r >= 0x80 && unicode.IsLetter(r)
}

func namePart(r rune) bool {
	return '0' <= r && r <= '9' || r == '-' || r == '.' || r == 0xB7 || r >= 0x80 && (unicode.IsDigit(r) || unicode.IsMark(r))
}
