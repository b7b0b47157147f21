package hbaseconf

import "testing"

// Names, types and defaults of the catalogue agree with the hbase-default.xml
// of every line of releases; where that leaves a property without a value, the
// catalogue knows the one in the code.
func TestCatalogueAgreesWithWhatIsShipped(t *testing.T) {
	in := map[string]bool{}
	for _, version := range []string{"2.4.18", "2.5.13", "2.6.4", "3.0.0"} {
		values := Shipped(version)
		compared := 0
		for _, p := range Builtin().All() {
			text, ok := values.Get(p.Name)
			if _, known := shipped().values[p.Name]; known {
				in[p.Name] = true
			}
			if !ok {
				continue
			}
			compared++
			if !p.ReadIn(version) {
				t.Errorf("%s: %s ships it, the catalogue says it does not read it", p.Name, version)
			}
			if err := p.readable(string(text)); err != nil {
				t.Errorf("%s: %s ships %q, which %v of kind %s", p.Name, version, text, err, p.Kind)
			}
			want, _ := p.DefaultIn(version)
			if !sameValue(p, want, text) {
				t.Errorf("%s: %s ships %q, the catalogue has %q", p.Name, version, text, want)
			}
		}
		if compared < 70 {
			t.Errorf("%s: only %d properties compared", version, compared)
		}
	}
	if len(in) < 80 {
		t.Errorf("only %d properties of the catalogue are in any hbase-default.xml", len(in))
	}
}

// sameValue compares texts as HBase reads them: 1.2F is 1.2.
func sameValue(p Property, a, b Value) bool {
	if a == b || !p.Kind.Number() {
		return a == b
	}
	x, errX := javaFloat(string(a), 64)
	y, errY := javaFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}

func TestShipped(t *testing.T) {
	for _, c := range []struct{ version, name, want string }{
		{"", HandlerCount, "30"},
		{"2.6.4-hadoop3", "hbase.regions.slop", "0.2"},
		{"2.4.18", "hbase.regions.slop", "0.001"},
		{"1.7.2", "hbase.regions.slop", "0.001"}, // the oldest that is known
		{"3.0.0-alpha-4", "hbase.hregion.split.overallfiles", "true"},
		{"2.6.4", BucketSize, ""},
		{"2.4.18", BlockCacheBytes, ""},
	} {
		if got, _ := Shipped(c.version).Get(c.name); string(got) != c.want {
			t.Errorf("%s in %q: %q, want %q", c.name, c.version, got, c.want)
		}
	}
}

// Renames that Hadoop makes stand with the property, if the catalogue has it.
func TestRenamesAgreeWithTheCatalogue(t *testing.T) {
	for old, now := range renames() {
		p, ok := Builtin().Lookup(now)
		if !ok {
			continue
		}
		found := false
		for _, alias := range p.Aliases {
			found = found || alias == Alias{old, true}
		}
		if !found {
			t.Errorf("%s: the catalogue does not say that Hadoop renames %s", now, old)
		}
	}
	for _, p := range Builtin().All() {
		for _, alias := range p.Aliases {
			if alias.Renamed && currentName(alias.Name) != p.Name {
				t.Errorf("%s: Hadoop does not rename %s", p.Name, alias.Name)
			}
		}
	}
}

func TestReleaseLine(t *testing.T) {
	for _, c := range []struct {
		version, line string
		belongs       bool
	}{
		{"", "2.6", true},
		{"2.4.18", "2.4", true},
		{"2.5.13-hadoop3", "2.5", true},
		{"3.0.0-alpha-4", "3.0", true},
		{"1.7.2", "2.4", false},
		{"2.3.7", "2.4", false},
		{"2.7.0", "2.6", false},
		{"9.9", "3.0", false},
	} {
		if line, belongs := ReleaseLine(c.version); line != c.line || belongs != c.belongs {
			t.Errorf("ReleaseLine(%q) = %s, %v; want %s, %v", c.version, line, belongs, c.line, c.belongs)
		}
	}
}
