package profiles

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hbtune/hbaseconf"
)

// Change is one property of a profile beside what the other side has.
type Change struct {
	Property string          `json:"property"`
	Have     hbaseconf.Value `json:"have,omitempty"` // empty: unset
	Want     hbaseconf.Value `json:"want,omitempty"` // empty: not in the profile
	// Default says that Have is not set there: it is the default.
	Default bool `json:"default,omitempty"`
	Same    bool `json:"same"`
}

// LeftOut is a property of a profile that the other side does not read.
type LeftOut struct {
	Property string          `json:"property"`
	Want     hbaseconf.Value `json:"want"`
	Reason   string          `json:"reason"`
}

// Diff is a profile compared with something that has values too.
type Diff struct {
	Profile string    `json:"profile"`
	Against string    `json:"against"`
	Changes []Change  `json:"changes"`
	LeftOut []LeftOut `json:"left_out"`
}

// Differences counts the properties whose values differ.
func (d Diff) Differences() int {
	n := 0
	for _, c := range d.Changes {
		if !c.Same {
			n++
		}
	}
	return n
}

// Wanted are the settings that the other side is to have.
func (d Diff) Wanted() hbaseconf.Settings {
	var settings hbaseconf.Settings
	for _, c := range d.Changes {
		if c.Want != "" {
			settings = settings.With(hbaseconf.Setting{Name: c.Property, Value: c.Want})
		}
	}
	return settings
}

// Side is what a profile can be compared with.
type Side struct {
	Name   string
	Values hbaseconf.Settings
	// Reads says whether the side reads a property at all and if not, why; nil
	// stands for a side that reads everything.
	Reads func(hbaseconf.Property) (bool, string)
	// Whole says that what the side has and the profile lacks is a difference.
	Whole bool
}

// ProfileSide makes a side of another profile.
func ProfileSide(p Profile) Side {
	return Side{Name: "profile " + p.Name, Values: p.Settings, Whole: true}
}

// SiteSide makes a side of an hbase-site.xml.
func SiteSide(path string, data []byte) (Side, error) {
	site, err := hbaseconf.ParseSite(path, data)
	if err != nil {
		return Side{}, err
	}
	reads := func(p hbaseconf.Property) (bool, string) {
		return p.InSite(), "not a property of hbase-site.xml"
	}
	return Side{Name: path, Values: hbaseconf.Load(hbaseconf.Process(), site).Settings(), Reads: reads}, nil
}

// Compare sets a profile beside a side. Where the side does not set a property
// that it reads, HBase's default counts.
func Compare(p Profile, side Side, catalogue *hbaseconf.Catalogue) Diff {
	d := Diff{Profile: p.Name, Against: side.Name, Changes: []Change{}, LeftOut: []LeftOut{}}
	for name, want := range p.Settings.All() {
		property, _ := catalogue.Lookup(name)
		if side.Reads != nil {
			if reads, reason := side.Reads(property); !reads {
				d.LeftOut = append(d.LeftOut, LeftOut{Property: name, Want: want, Reason: reason})
				continue
			}
		}
		c := Change{Property: name, Want: want}
		var set bool
		if c.Have, set = valueOf(side.Values, property); !set && !side.Whole {
			c.Have, c.Default = property.Default, property.Default != ""
		}
		c.Same = equal(catalogue, name, c.Have, want)
		d.Changes = append(d.Changes, c)
	}
	if side.Whole {
		for name, have := range side.Values.All() {
			if _, both := p.Settings.Get(name); !both {
				d.Changes = append(d.Changes, Change{Property: name, Have: have})
			}
		}
	}
	slices.SortFunc(d.Changes, func(a, b Change) int { return cmp.Compare(a.Property, b.Property) })
	return d
}

// valueOf is what is set under the property's name or, failing that, one of its
// old ones.
func valueOf(values hbaseconf.Settings, property hbaseconf.Property) (hbaseconf.Value, bool) {
	if value, set := values.Get(property.Name); set {
		return value, true
	}
	for _, alias := range property.Aliases {
		if value, set := values.Get(alias.Name); set {
			return value, true
		}
	}
	return "", false
}

// equal compares values by what HBase makes of them: 0.40 is 0.4.
func equal(catalogue *hbaseconf.Catalogue, name string, have, want hbaseconf.Value) bool {
	if have == want {
		return true
	}
	canonical, err := catalogue.Value(name, string(have))
	return err == nil && canonical == want
}

// FindSide returns the side that a person means: an hbase-site.xml by its path,
// else a profile as Store.Find takes it.
func FindSide(store *Store, ref string) (Side, error) {
	if strings.EqualFold(filepath.Ext(ref), ".xml") {
		data, err := hbaseconf.ReadFile(ref)
		if err != nil {
			return Side{}, fmt.Errorf("compare with a site file: %w", err)
		}
		return SiteSide(ref, data)
	}
	p, err := store.Find(ref)
	if err != nil {
		return Side{}, err
	}
	return ProfileSide(p), nil
}
