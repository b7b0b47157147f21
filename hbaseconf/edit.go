package hbaseconf

import (
	"fmt"
	"strings"
)

// With returns a site file in which the settings hold for whoever reads it, and
// nothing else has changed: every byte outside of the values that had to change
// and the properties that had to be added is the same. A property that is there
// several times is changed where it wins; one that an included file sets is
// overridden here. It is an error where the file must not be rewritten, or
// where an included file has the last word.
func (s *Site) With(settings Settings) (*Site, error) {
	if err := s.Refusal(); err != nil {
		return nil, err
	}
	e := newEditor(s)
	for name, value := range settings.All() {
		if err := e.set(name, string(value)); err != nil {
			return nil, err
		}
	}
	return e.finish(settings, nil)
}

// Without returns a site file that leaves the properties alone, so that their
// defaults hold; nothing else has changed. Properties that it does not set are
// passed over.
func (s *Site) Without(names ...string) (*Site, error) {
	if err := s.Refusal(); err != nil {
		return nil, err
	}
	e := newEditor(s)
	for _, name := range names {
		if err := e.remove(name); err != nil {
			return nil, err
		}
	}
	return e.finish(Settings{}, names)
}

// editor gathers the changes to one file.
type editor struct {
	site    *Site
	changes []change
	added   []string // new properties, ready to stand in a line
}

func newEditor(s *Site) *editor { return &editor{site: s} }

func (e *editor) refuse(line int, format string, args ...any) error {
	return &SiteError{Path: e.site.path, Line: line, Fault: FaultEdit, Reason: fmt.Sprintf(format, args...)}
}

func (e *editor) set(name, value string) error {
	if err := e.checkText(name, value); err != nil {
		return err
	}
	s := e.site
	key := currentName(name)
	at, isSet := s.winner[key]
	if isSet && s.items[at].value == value {
		return nil
	}
	if final, ok := s.finals[key]; ok {
		// Only the place that said final can still be changed.
		if one := s.items[final]; one.property < 0 {
			return e.refuse(0, "%s is final in %s (line %d); change it there", name, one.file, one.line)
		}
		e.replace(final, value)
		return nil
	}
	if isSet && s.items[at].property >= 0 {
		e.replace(at, value)
		return nil
	}
	if unset, ok := e.lastUnset(key); ok && !isSet {
		e.replace(unset, value)
		return nil
	}
	e.added = append(e.added, e.site.newProperty(name, value))
	return nil
}

// lastUnset finds a property that is here, but without a value.
func (e *editor) lastUnset(name string) (int, bool) {
	for i := len(e.site.items) - 1; i >= 0; i-- {
		if one := e.site.items[i]; one.name == name && !one.set && one.property >= 0 {
			return i, true
		}
	}
	return 0, false
}

func (e *editor) checkText(name, value string) error {
	for _, text := range []string{name, value} {
		for _, r := range text {
			if !isCharacter(r) {
				return e.refuse(0, "%s: the value holds a character (U+%04X) that XML does not allow", name, r)
			}
		}
	}
	if value == "" {
		return e.refuse(0, "%s: Hadoop takes an empty value as none; leave the property out instead", name)
	}
	if name == "" || trimJava(name) != name {
		return e.refuse(0, "%q is no name of a property", name)
	}
	return nil
}

// replace changes the value of an item where it stands in this file.
func (e *editor) replace(i int, value string) {
	s, one := e.site, e.site.items[i]
	property := &s.doc.elements[one.property]
	if one.valueIn >= 0 {
		e.setContent(&s.doc.elements[one.valueIn], value)
		return
	}
	for n, a := range property.Attr {
		if a.Key == "value" && !isNamespace(a) {
			e.changes = append(e.changes, change{s.doc.attrs[property.Element][n], s.escape(value, true)})
			return
		}
	}
	// No value yet: fill the last <value/>, or put one behind the name.
	var last *element
	for n := one.property + 1; n < len(s.doc.elements) && s.doc.elements[n].open.start < property.close.start; n++ {
		if child := &s.doc.elements[n]; child.Parent() == property.Element {
			if child.Tag == "value" {
				last = child
			} else if child.Tag == "name" && (last == nil || last.Tag == "name") {
				last = child
			}
		}
	}
	switch {
	case last != nil && last.Tag == "value":
		e.setContent(last, value)
	case last != nil:
		text := s.before(last) + "<" + sibling(last, "value") + ">" + s.escape(value, false) + "</" + sibling(last, "value") + ">"
		e.changes = append(e.changes, change{span{last.close.end, last.close.end}, text})
	default: // <property name="x"/>
		at := property.open.end - 1
		if property.close.start == property.close.end {
			at--
		}
		e.changes = append(e.changes, change{span{at, at}, ` value="` + s.escape(value, true) + `"`})
	}
}

// sibling is a tag in the namespace of an element.
func sibling(e *element, tag string) string {
	if e.Space == "" {
		return tag
	}
	return e.Space + ":" + tag
}

// setContent replaces all that stands between the tags of an element.
func (e *editor) setContent(at *element, value string) {
	text := e.site.escape(value, false)
	if at.close.start == at.close.end { // <value/>
		slash := strings.LastIndexByte(at.open.of(e.site.doc.text), '/') + at.open.start
		e.changes = append(e.changes, change{span{slash, at.close.end}, ">" + text + "</" + at.FullTag() + ">"})
		return
	}
	e.changes = append(e.changes, change{span{at.open.end, at.close.start}, text})
}

func (e *editor) remove(name string) error {
	key := currentName(name)
	for _, one := range e.site.items {
		if one.name != key {
			continue
		}
		if one.property < 0 {
			return e.refuse(0, "%s comes from %s (line %d); remove it there", name, one.file, one.line)
		}
		e.changes = append(e.changes, change{e.site.wholeLines(&e.site.doc.elements[one.property]), ""})
	}
	return nil
}

// finish makes the new file and reads it again: it must say what was asked for,
// and of everything else what it said before.
func (e *editor) finish(set Settings, removed []string) (*Site, error) {
	s := e.site
	if e.added != nil {
		e.changes = append(e.changes, s.insertion(e.added))
	}
	if e.changes == nil {
		return s, nil
	}
	edited, err := s.reader.Parse(s.path, s.enc.encode(splice(s.doc.text, e.changes)))
	if err != nil {
		return nil, e.refuse(0, "the change cannot be made without breaking the file (%v); make it by hand", err)
	}
	want := s.Settings().Map()
	for name, value := range set.All() {
		want[currentName(name)] = string(value)
	}
	for _, name := range removed {
		delete(want, currentName(name))
	}
	if got := edited.Settings(); !got.Equal(FromMap(want)) {
		for name, value := range set.All() {
			if entry, _ := edited.Get(name); entry.Value != string(value) {
				before, _ := s.Get(name)
				return nil, e.refuse(before.Line, "%s stands in a form that cannot be changed safely; write it as <property><name>…</name><value>…</value></property> inside <configuration>", name)
			}
		}
		return nil, e.refuse(0, "the change would alter other properties too, because of how they are nested; make it by hand")
	}
	return edited, nil
}
