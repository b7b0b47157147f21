package hbaseconf

import "github.com/beevik/etree"

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

	token       token
	collecting  bool // from the first <name>, <value>, … on, for good
	name, value optional
	valueIn     int
	final       bool
	property    int
	line        int // of the property

	missing, fallback bool // of the include at hand
	href              string
}

// optional is a text that may be there.
type optional struct {
	text string
	set  bool
}

// token gathers text that mostly comes in one piece.
type token struct {
	first string
	all   []byte // once there are several pieces
}

func (t *token) reset() { t.first, t.all = "", t.all[:0] }

func (t *token) add(text string) {
	switch {
	case len(t.all) > 0:
		t.all = append(t.all, text...)
	case t.first == "":
		t.first = text
	default:
		t.all = append(append(t.all, t.first...), text...)
	}
}

func (t *token) String() string {
	if len(t.all) > 0 {
		return string(t.all)
	}
	return t.first
}

// load lists what a document sets. include is asked for the items of an
// included file; false says that it does not exist.
func load(doc *document, file string, include func(href string, line int) ([]item, bool, error)) ([]item, error) {
	l := &loader{doc: doc, file: file, include: include, lines: lines{text: doc.text}}
	l.items = make([]item, 0, len(doc.root().Child))
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
				l.token.add(child.Data)
			}
		}
	}
	return l.end(e, index)
}

func (l *loader) begin(e *etree.Element, index int) error {
	switch e.Tag {
	case "property":
		l.beginProperty(e, index)
	case "include":
		return l.beginInclude(e, index)
	case "fallback":
		l.fallback = true
	default:
		if gathers(e.Tag) {
			l.collecting = true
			l.token.reset()
		}
	}
	return nil
}

// gathers tells the elements of whose text something is made.
func gathers(tag string) bool {
	switch tag {
	case "name", "value", "final", "source", "tag":
		return true
	}
	return false
}

func (l *loader) beginProperty(e *etree.Element, index int) {
	l.name, l.value, l.final, l.property, l.valueIn = optional{}, optional{}, false, index, -1
	l.line = l.lines.lineAt(l.doc.elements[index].open.start)
	for _, a := range e.Attr {
		if isNamespace(a) {
			continue
		}
		switch a.Key {
		case "name":
			l.name = optional{a.Value, true}
		case "value":
			l.value = optional{a.Value, true}
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
		if text := l.token.String(); text != "" {
			l.name = optional{trimJava(text), true}
		}
	case "value":
		if text := l.token.String(); text != "" {
			l.value, l.valueIn = optional{text, true}, index
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
	if !l.name.set || !l.missing && l.fallback {
		return
	}
	l.items = append(l.items, item{
		name: currentName(l.name.text), value: l.value.text, set: l.value.set, final: l.final,
		file: l.file, line: l.line, property: l.property, valueIn: l.valueIn,
	})
}

// trimJava cuts what String.trim of Java cuts: every character up to the space.
func trimJava(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}
