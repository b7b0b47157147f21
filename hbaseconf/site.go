package hbaseconf

import "bytes"

// Entry is what a site file says of one property.
type Entry struct {
	Name  string // as Hadoop keeps it
	Value string // as written, before ${…} is expanded
	Final bool   // no later file may override it
	File  string // the file that won: the site file or one that it includes
	Line  int
}

// Site is a site file as Hadoop reads it. It is immutable.
type Site struct {
	reader Reader
	path   string
	enc    encoding
	doc    *document
	items  []item
	// winner is the item that decides a property; finals what may not be
	// overridden any more, by the item that said so.
	winner, finals map[string]int
}

func newSite(r Reader, path string, enc encoding, doc *document, items []item) *Site {
	s := &Site{reader: r, path: path, enc: enc, doc: doc, items: items}
	s.winner = make(map[string]int, len(items))
	s.finals = map[string]int{}
	for i, one := range items {
		_, final := s.finals[one.name]
		if one.set && !final {
			s.winner[one.name] = i
		}
		if one.final && !final {
			s.finals[one.name] = i
		}
	}
	return s
}

// Path is where the file lies.
func (s *Site) Path() string { return s.path }

// Bytes is the file, byte for byte.
func (s *Site) Bytes() []byte { return s.enc.encode(s.doc.text) }

// Len is the number of properties that the file sets.
func (s *Site) Len() int { return len(s.winner) }

// Get says what the file, with those that it includes, sets a property to.
func (s *Site) Get(name string) (Entry, bool) {
	i, ok := s.winner[currentName(name)]
	if !ok {
		return Entry{}, false
	}
	return s.entry(i), true
}

// Entries lists the properties that the file sets, in the order of the places
// that won.
func (s *Site) Entries() []Entry {
	entries := make([]Entry, 0, len(s.winner))
	for i, one := range s.items {
		if at, ok := s.winner[one.name]; ok && at == i {
			entries = append(entries, s.entry(i))
		}
	}
	return entries
}

// Overridden is a place that sets a property without effect.
type Overridden struct {
	Entry  Entry // what it would set; without a value it sets nothing
	Winner Entry // what decides instead; its Name is empty where nothing does
}

// Overridden lists the places that have no effect: a later one, or an earlier
// final one, decides, or there is no value.
func (s *Site) Overridden() []Overridden {
	var list []Overridden
	if len(s.items) == len(s.winner) {
		return nil
	}
	for i, one := range s.items {
		at, ok := s.winner[one.name]
		if ok && at == i {
			continue
		}
		o := Overridden{Entry: s.entry(i)}
		if ok {
			o.Winner = s.entry(at)
		}
		list = append(list, o)
	}
	return list
}

func (s *Site) entry(i int) Entry {
	one := s.items[i]
	_, final := s.finals[one.name]
	return Entry{Name: one.name, Value: one.value, Final: final, File: one.file, Line: one.line}
}

// Settings is what the file sets, as written.
func (s *Site) Settings() Settings {
	m := make(map[string]string, len(s.winner))
	for name, i := range s.winner {
		m[name] = s.items[i].value
	}
	return FromMap(m)
}

// Refusal says why the file must not be rewritten though it can be read: it is
// a template, or belongs to a cluster manager. It is nil for a plain site file.
func (s *Site) Refusal() error { return refusal(s.path, s.doc) }

// Equal reports whether both files are the same bytes.
func (s *Site) Equal(other *Site) bool { return bytes.Equal(s.Bytes(), other.Bytes()) }
