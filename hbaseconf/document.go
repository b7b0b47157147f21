package hbaseconf

import (
	"strings"

	"github.com/beevik/etree"
)

// span is a stretch of a document's text, in bytes.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// element is an element of the tree and where its tags stand in the text. An
// empty element <a/> has an empty close tag at its end.
type element struct {
	*etree.Element
	open, close span
}

// document is a well-formed XML text: the tree, and the place of every element
// in the order in which they begin.
type document struct {
	text     string
	tree     *etree.Document
	elements []element
	// attrs are the values of attributes, quotes left out, in the order of Attr:
	// few elements have any.
	attrs map[*etree.Element][]span
}

// root is the outermost element; it begins first.
func (d *document) root() *element { return &d.elements[0] }

// lineAt is the line of an offset, counted from 1.
func (d *document) lineAt(at int) int { return 1 + strings.Count(d.text[:at], "\n") }

// lines counts lines for offsets that only grow, so that a whole document costs
// one pass.
type lines struct {
	text     string
	at, line int
}

func (l *lines) lineAt(at int) int {
	if l.line == 0 {
		l.line = 1
	}
	l.line += strings.Count(l.text[l.at:at], "\n")
	l.at = at
	return l.line
}
