package hbaseconf

import (
	"strings"

	"github.com/beevik/etree"
)

// slab hands out the nodes of a tree from larger pieces of memory: a large file
// has tens of thousands of them, and one by one they cost more than all else.
type slab struct {
	elements []etree.Element
	texts    []etree.CharData
	tokens   []etree.Token
}

const slabSize = 512

// element adds an element with room for so many children to its parent.
func (s *slab) element(parent *etree.Element, tag string, children int) *etree.Element {
	if len(s.elements) == 0 {
		s.elements = make([]etree.Element, slabSize)
	}
	e := &s.elements[0]
	s.elements = s.elements[1:]
	if space, local, ok := strings.Cut(tag, ":"); ok {
		e.Space, e.Tag = space, local
	} else {
		e.Tag = tag
	}
	if children > slabSize {
		e.Child = make([]etree.Token, 0, children)
	} else {
		if len(s.tokens) < children {
			s.tokens = make([]etree.Token, slabSize)
		}
		e.Child = s.tokens[:0:children]
		s.tokens = s.tokens[children:]
	}
	parent.AddChild(e)
	return e
}

// text adds characters to an element.
func (s *slab) text(parent *etree.Element, data string) {
	if len(s.texts) == 0 {
		s.texts = make([]etree.CharData, slabSize)
	}
	t := &s.texts[0]
	s.texts = s.texts[1:]
	t.Data = data
	parent.AddChild(t)
}
