package hbaseconf

import (
	"strings"

	"github.com/beevik/etree"
)

// item is one setting as Hadoop's parser hands it over: what a <property>, here
// or in an included file, sets.
type item struct {
	name  string // the new name, where Hadoop renames
	value string
	set   bool // false: no value, which leaves the property alone
	final bool
	file  string
	line  int
	// property is the element in this file's document, or -1 for an item that an
	// include brought; valueIn the <value> that won in it, or -1 where an
	// attribute did or none is there.
	property, valueIn int
}

// loader turns a document into items in the way of Hadoop's Configuration: one
// pass over tags and text, local names only, the same few variables that every
// <property> shares. Nesting therefore has the same odd results.
type loader struct {
	doc     *document
	file    string
	include func(href string, line int) ([]item, bool, error)
	lines   lines
	next    int // index of the next element that begins
	items   []item

	token       strings.Builder
	collecting  bool // from the first <name>, <value>, … on, for good
	name, value *string
	valueIn     int
	final       bool
	property    int

	missing, fallback bool // of the include at hand
	href              string
}

// load lists what a document sets. include is asked for the items of an
// included file; false says that it does not exist.
func load(doc *document, file string, include func(href string, line int) ([]item, bool, error)) ([]item, error) {
	l := &loader{doc: doc, file: file, include: include, lines: lines{text: doc.text}}
	for _, child := range doc.tree.Child {
		if e, ok := child.(*etree.Element); ok {
			if err := l.element(e); err != nil {
				return nil, err
			}
		}
	}
	return l.items, nil
}

func (l *loader) element(e *etree.Element) error {
	index := l.next
	l.next++
	if err := l.begin(e, index); err != nil {
		return err
	}
	for _, child := range e.Child {
		switch child := child.(type) {
		case *etree.Element:
			if err := l.element(child); err != nil {
				return err
			}
		case *etree.CharData:
			if l.collecting {
				l.token.WriteString(child.Data)
			}
		}
	}
	return l.end(e, index)
}

func (l *loader) begin(e *etree.Element, index int) error {
	switch e.Tag {
	case "property":
		l.beginProperty(e, index)
	case "name", "value", "final", "source", "tag":
		l.collecting = true
		l.token.Reset()
	case "include":
		return l.beginInclude(e, index)
	case "fallback":
		l.fallback = true
	}
	return nil
}

func (l *loader) beginProperty(e *etree.Element, index int) {
	l.name, l.value, l.final, l.property, l.valueIn = nil, nil, false, index, -1
	for i := range e.Attr {
		a := &e.Attr[i]
		if isNamespace(*a) {
			continue
		}
		switch a.Key {
		case "name":
			l.name = &a.Value
		case "value":
			l.value = &a.Value
		case "final":
			l.final = a.Value == "true"
		}
	}
}

func isNamespace(a etree.Attr) bool {
	return a.Space == "xmlns" || a.Space == "" && a.Key == "xmlns"
}

func (l *loader) beginInclude(e *etree.Element, index int) error {
	href := ""
	found := false
	for _, a := range e.Attr {
		if a.Key == "href" && !isNamespace(a) {
			href, found = a.Value, true
		}
	}
	if !found {
		return nil
	}
	l.href = href
	items, exists, err := l.include(href, l.lines.lineAt(l.doc.elements[index].open.start))
	if err != nil {
		return err
	}
	if !exists {
		l.missing = true
		return nil
	}
	l.items = append(l.items, items...)
	return nil
}

func (l *loader) end(e *etree.Element, index int) error {
	switch e.Tag {
	case "name":
		if l.token.Len() > 0 {
			name := trimJava(l.token.String())
			l.name = &name
		}
	case "value":
		if l.token.Len() > 0 {
			value := l.token.String()
			l.value, l.valueIn = &value, index
		}
	case "final":
		l.final = l.token.String() == "true"
	case "include":
		if l.missing && !l.fallback {
			return &SiteError{
				Path: l.file, Line: l.doc.lineAt(l.doc.elements[index].open.start), Fault: FaultInclude,
				Reason: "includes " + l.href + ", which does not exist; a daemon does not start with it: add the file or an <xi:fallback/>",
			}
		}
		l.missing, l.fallback = false, false
	case "property":
		l.endProperty()
	}
	return nil
}

func (l *loader) endProperty() {
	if l.name == nil || !l.missing && l.fallback {
		return
	}
	one := item{
		name: currentName(*l.name), final: l.final, file: l.file, property: l.property, valueIn: l.valueIn,
		line: l.lines.lineAt(l.doc.elements[l.property].open.start),
	}
	if l.value != nil {
		one.value, one.set = *l.value, true
	}
	l.items = append(l.items, one)
}

// trimJava cuts what String.trim of Java cuts: every character up to the space.
func trimJava(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}
