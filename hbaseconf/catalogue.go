package hbaseconf

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed catalogue.tsv
var catalogueTSV string

// Catalogue is the set of properties that hbtune knows. It is immutable.
type Catalogue struct {
	list    []Property
	byName  map[string]int
	byAlias map[string]int
	// candidates are made when the first name is to be guessed.
	candidates func() []candidate
}

// builtin parses the embedded data once, on first use.
var builtin = sync.OnceValue(func() *Catalogue {
	c, err := parseCatalogue(catalogueTSV)
	if err != nil {
		panic("hbaseconf: embedded catalogue: " + err.Error())
	}
	return c
})

// Builtin is the catalogue that comes with hbtune.
func Builtin() *Catalogue { return builtin() }

// All lists the properties, the much used ones first. The slice is the
// caller's.
func (c *Catalogue) All() []Property { return append([]Property(nil), c.list...) }

// Lookup finds a property by name or by one of its other names; the property
// found then has a Name other than the one asked for.
func (c *Catalogue) Lookup(name string) (Property, bool) {
	i, ok := c.byName[name]
	if !ok {
		i, ok = c.byAlias[name]
	}
	if !ok {
		return Property{}, false
	}
	return c.list[i], true
}

// ReadBy keeps of the settings what a version of HBase reads, as far as that is
// known.
func (c *Catalogue) ReadBy(version string, s Settings) Settings {
	m := s.Map()
	for name := range m {
		if p, ok := c.Lookup(name); ok && !p.ReadIn(version) {
			delete(m, name)
		}
	}
	return FromMap(m)
}

// Search lists the properties that have every one of the words, whatever their
// capitals: in a name, or at the beginning of a word of the description.
func (c *Catalogue) Search(words ...string) []Property {
	var found []Property
	for _, p := range c.list {
		if p.hasAll(words) {
			found = append(found, p)
		}
	}
	return found
}

func (p Property) hasAll(words []string) bool {
	names := strings.ToLower(p.Name)
	for _, alias := range p.Aliases {
		names += " " + strings.ToLower(alias.Name)
	}
	doc := " " + strings.ToLower(p.Doc+" "+p.Unit)
	for _, word := range words {
		word = strings.ToLower(word)
		if !strings.Contains(names, word) && !strings.Contains(doc, " "+word) {
			return false
		}
	}
	return true
}

// parseCatalogue reads one property a line, columns separated by tabs:
// name, scope, kind, unit, default, range, scale, effect, aliases, history,
// doc. A default that begins with "=" is computed and told in words; an alias
// that ends in "!" is renamed by Hadoop itself.
func parseCatalogue(tsv string) (*Catalogue, error) {
	c := &Catalogue{byName: map[string]int{}, byAlias: map[string]int{}}
	c.candidates = sync.OnceValue(c.newCandidates)
	lines := strings.Split(strings.TrimSuffix(tsv, "\n"), "\n")
	for i, line := range lines[1:] {
		p, err := parseProperty(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		if _, twice := c.byName[p.Name]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice", i+2, p.Name)
		}
		c.byName[p.Name] = len(c.list)
		c.list = append(c.list, p)
	}
	for i, p := range c.list {
		for _, alias := range p.Aliases {
			c.byAlias[alias.Name] = i
			if old, ok := c.byName[alias.Name]; ok {
				c.list[old].ReplacedBy = p.Name
			}
		}
	}
	return c, nil
}

func parseProperty(f []string) (Property, error) {
	if len(f) != 11 {
		return Property{}, fmt.Errorf("%d columns, want 11", len(f))
	}
	p := Property{Name: f[0], Kind: Kind(f[2]), Unit: f[3], Scale: Scale(f[6]), Doc: f[10]}
	for scope := range strings.SplitSeq(f[1], "+") {
		p.Scope = append(p.Scope, Scope(scope))
	}
	if computed, ok := strings.CutPrefix(f[4], "="); ok {
		p.Computed = computed
	} else {
		p.Default = Value(f[4])
	}
	for effect := range strings.SplitSeq(f[7], "+") {
		p.Effect = append(p.Effect, Effect(effect))
	}
	for name := range strings.FieldsSeq(f[8]) {
		name, renamed := strings.CutSuffix(name, "!")
		p.Aliases = append(p.Aliases, Alias{Name: name, Renamed: renamed})
	}
	var err error
	if p.Range, err = parseRange(f[5]); err != nil {
		return p, err
	}
	p.history, err = parseHistory(f[9])
	return p, err
}
