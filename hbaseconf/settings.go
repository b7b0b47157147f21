package hbaseconf

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Setting is one property with the value it is to have.
type Setting struct {
	Name  string
	Value Value
}

func (s Setting) String() string { return s.Name + "=" + string(s.Value) }

// Settings is an immutable set of settings ordered by property name. The zero
// value is the empty set, which stands for "as the target is".
type Settings struct {
	list []Setting
}

// NewSettings builds a set; where a property is named twice the later wins.
func NewSettings(settings ...Setting) Settings {
	var s Settings
	for _, one := range settings {
		s = s.With(one)
	}
	return s
}

// Len is the number of properties set.
func (s Settings) Len() int { return len(s.list) }

// All yields name and value in order of name.
func (s Settings) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, one := range s.list {
			if !yield(one.Name, one.Value) {
				return
			}
		}
	}
}

// Names lists the properties set, in order.
func (s Settings) Names() []string {
	names := make([]string, len(s.list))
	for i, one := range s.list {
		names[i] = one.Name
	}
	return names
}

// Get returns the value of a property, if it is set.
func (s Settings) Get(name string) (Value, bool) {
	i, found := s.find(name)
	if !found {
		return "", false
	}
	return s.list[i].Value, true
}

// With returns a copy in which one property is set.
func (s Settings) With(one Setting) Settings {
	i, found := s.find(one.Name)
	list := slices.Clone(s.list)
	if found {
		list[i] = one
	} else {
		list = slices.Insert(list, i, one)
	}
	return Settings{list: list}
}

// Merge returns a copy in which everything that other sets is set.
func (s Settings) Merge(other Settings) Settings {
	for _, one := range other.list {
		s = s.With(one)
	}
	return s
}

// Equal reports whether both sets hold the same properties with the same text.
func (s Settings) Equal(other Settings) bool { return slices.Equal(s.list, other.list) }

// Hash identifies the set: equal sets, and only those, have equal hashes.
func (s Settings) Hash() string {
	h := sha256.New()
	for _, one := range s.list {
		fmt.Fprintf(h, "%d:%s=%d:%s\n", len(one.Name), one.Name, len(one.Value), one.Value)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func (s Settings) String() string {
	parts := make([]string, len(s.list))
	for i, one := range s.list {
		parts[i] = one.String()
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON writes one object, name to text, in order of name.
func (s Settings) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range s.list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(string(one.Value))
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Settings) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	*s = FromMap(m)
	return nil
}

// MarshalYAML writes a mapping; YAML writers order its keys by name.
func (s Settings) MarshalYAML() (any, error) { return s.Map(), nil }

// UnmarshalYAML reads what MarshalYAML wrote. It takes the decoder as a
// function so that this package needs no YAML library.
func (s *Settings) UnmarshalYAML(decode func(any) error) error {
	var m map[string]string
	if err := decode(&m); err != nil {
		return err
	}
	*s = FromMap(m)
	return nil
}

// Map returns the settings as a fresh map.
func (s Settings) Map() map[string]string {
	m := make(map[string]string, len(s.list))
	for _, one := range s.list {
		m[one.Name] = string(one.Value)
	}
	return m
}

// FromMap builds a set out of a map whose values are canonical text.
func FromMap(m map[string]string) Settings {
	list := make([]Setting, 0, len(m))
	for name, value := range m {
		list = append(list, Setting{Name: name, Value: Value(value)})
	}
	slices.SortFunc(list, func(a, b Setting) int { return cmp.Compare(a.Name, b.Name) })
	return Settings{list: list}
}

func (s Settings) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.list, name, func(one Setting, name string) int {
		return cmp.Compare(one.Name, name)
	})
}
