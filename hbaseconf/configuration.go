package hbaseconf

import (
	"maps"
	"os"
	"os/user"
	"slices"
)

// Environment is what ${…} may refer to beside other properties.
type Environment struct {
	// Env looks up a variable of the process, for ${env.NAME}; nil knows none.
	Env func(name string) (string, bool)
	// System looks up a system property of the Java machine, such as user.name
	// or what -D set; nil knows none.
	System func(name string) (string, bool)
	// Defaults lie below every file: Shipped, or the values of another file. Get
	// and Entry find them; Names and Settings list only what files set.
	Defaults Settings
	// NoEnv leaves ${env.NAME} as it stands, as Hadoop 2.10 does.
	NoEnv bool
}

// Process is the environment of a daemon that would run as this process does.
func Process() Environment {
	return Environment{Env: os.LookupEnv, System: func(name string) (string, bool) {
		switch name {
		case "java.io.tmpdir":
			return "/tmp", true
		case "user.name", "user.home", "user.dir":
			return userProperty(name)
		}
		return "", false
	}}
}

func userProperty(name string) (string, bool) {
	if name == "user.dir" {
		dir, err := os.Getwd()
		return dir, err == nil
	}
	u, err := user.Current()
	if err != nil {
		return "", false
	}
	return either(name == "user.name", u.Username, u.HomeDir), true
}

// Configuration is what a daemon sees that reads several files, one after the
// other: later ones override earlier ones but for what is final.
type Configuration struct {
	env    Environment
	places map[string]place
}

// place is where a property is set.
type place struct {
	site *Site
	item int
}

// Load makes the configuration of files in the order in which a daemon reads
// them, such as its defaults and then its site file.
func Load(env Environment, sites ...*Site) *Configuration {
	count := 0
	for _, site := range sites {
		count += len(site.winner)
	}
	c := &Configuration{env: env, places: make(map[string]place, count)}
	finals := map[string]bool{}
	for _, site := range sites {
		for name, i := range site.winner {
			if !finals[name] {
				c.places[name] = place{site, i}
			}
		}
		for name := range site.finals {
			finals[name] = true
		}
	}
	return c
}

// LoadSettings makes the configuration of values that were read from somewhere
// else than a file, such as a running server, which source names.
func LoadSettings(env Environment, source string, settings Settings) *Configuration {
	items := make([]item, 0, settings.Len())
	for name, value := range settings.All() {
		items = append(items, item{name: currentName(name), value: string(value), set: true, file: source})
	}
	return Load(env, newSite(Reader{}, source, encoding{}, nil, items))
}

// Names lists the properties that are set, in order.
func (c *Configuration) Names() []string {
	names := slices.AppendSeq(make([]string, 0, len(c.places)), maps.Keys(c.places))
	slices.Sort(names)
	return names
}

// Entry says where a property is set, with its text before ${…} is expanded.
// Blanks around the name are cut; a property whose own name has some, as is
// possible in an attribute, can therefore never be read.
func (c *Configuration) Entry(name string) (Entry, bool) {
	name = trimJava(name)
	at, ok := c.places[name] // nothing is kept under a name that Hadoop renames
	if !ok {
		name = currentName(name)
		at, ok = c.places[name]
	}
	if ok {
		return at.site.entry(at.item), true
	}
	value, ok := c.env.Defaults.Get(name)
	return Entry{Name: name, Value: string(value), File: "hbase-default.xml"}, ok
}

// Get is the value of a property as a daemon sees it, with ${…} expanded. Where
// a daemon would fail to expand it, it is the text as written; Unreadable then
// lists the property.
func (c *Configuration) Get(name string) (string, bool) {
	value, ok, _ := c.lookup(name)
	return value, ok
}

// Expanded is as Get, but it is an error where a daemon would fail to expand
// the value.
func (c *Configuration) Expanded(name string) (string, error) {
	return typed(c, name, "", func(text string) (string, error) { return text, nil })
}

func (c *Configuration) lookup(name string) (value string, ok bool, err error) {
	entry, ok := c.Entry(name)
	if !ok {
		return "", false, nil
	}
	value, err = c.expand(entry.Value)
	return value, true, err
}

// Settings is every property with the value that a daemon sees.
func (c *Configuration) Settings() Settings {
	m := make(map[string]string, len(c.places))
	for name := range c.places {
		if value, ok := c.Get(name); ok && name == trimJava(name) {
			m[name] = value
		}
	}
	return FromMap(m)
}

// Unreadable lists the properties that a daemon fails to read as the type that
// the catalogue gives them, in order: at first use it stops, or refuses the
// call.
func (c *Configuration) Unreadable(catalogue *Catalogue) []string {
	var names []string
	for _, name := range c.Names() {
		value, _, err := c.lookup(name)
		if p, known := catalogue.Lookup(name); known && err == nil {
			err = p.readable(value)
		}
		if err != nil {
			names = append(names, name)
		}
	}
	return names
}

// Int reads a property as a daemon reads an int; none holds where it is not
// set.
func (c *Configuration) Int(name string, none int) (int, error) {
	return typed(c, name, none, func(text string) (int, error) {
		n, err := javaInteger(text, 32)
		return int(n), err
	})
}

// Long reads a property as a daemon reads a long.
func (c *Configuration) Long(name string, none int64) (int64, error) {
	return typed(c, name, none, func(text string) (int64, error) { return javaInteger(text, 64) })
}

// Float reads a property as a daemon reads a float.
func (c *Configuration) Float(name string, none float32) (float32, error) {
	return typed(c, name, none, func(text string) (float32, error) {
		x, err := javaFloat(text, 32)
		return float32(x), err
	})
}

// Double reads a property as a daemon reads a double.
func (c *Configuration) Double(name string, none float64) (float64, error) {
	return typed(c, name, none, func(text string) (float64, error) { return javaFloat(text, 64) })
}

// Size reads a property as a daemon reads a size with or without a unit.
func (c *Configuration) Size(name string, none int64) (int64, error) {
	return typed(c, name, none, storageSize)
}

// Bool reads a property as a daemon does: what is neither true nor false is
// none, without an error.
func (c *Configuration) Bool(name string, none bool) (bool, error) {
	return typed(c, name, none, func(text string) (bool, error) {
		if value, ok := javaBool(text); ok {
			return value, nil
		}
		return none, nil
	})
}

func typed[T any](c *Configuration, name string, none T, read func(string) (T, error)) (T, error) {
	text, ok, err := c.lookup(name)
	if !ok {
		return none, nil
	}
	value := none
	if err == nil {
		value, err = read(text)
	}
	if err != nil {
		entry, _ := c.Entry(name)
		return none, &ReadError{Entry: entry, Text: text, Err: err}
	}
	return value, nil
}
