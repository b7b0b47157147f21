package hbaseconf

import (
	"slices"
	"strings"
)

// Kind is the type HBase reads a property as.
type Kind string

// The kinds of properties.
const (
	Int    Kind = "int"    // 32 bits
	Long   Kind = "long"   // 64 bits
	Float  Kind = "float"  // 32 bits
	Double Kind = "double" // 64 bits
	Bool   Kind = "bool"
	Enum   Kind = "enum"
	Class  Kind = "class" // name of a Java class
	Text   Kind = "text"
	Path   Kind = "path"
	List   Kind = "list" // integers with commas between
	Size   Kind = "size" // bytes, HBase itself takes units here
)

// Number reports whether values of the kind are single numbers.
func (k Kind) Number() bool {
	switch k {
	case Int, Long, Float, Double, Size:
		return true
	}
	return false
}

// Scope is who reads a property.
type Scope string

// The scopes of properties.
const (
	RegionServer Scope = "rs"
	Master       Scope = "master"
	Client       Scope = "client"
	Table        Scope = "table"  // also, or only, an attribute of a table
	Family       Scope = "family" // also, or only, an attribute of a column family
	JVM          Scope = "jvm"    // a flag of the Java machine, set in hbase-env.sh
	ZooKeeper    Scope = "zk"
	HDFS         Scope = "hdfs"
)

// Effect is how a changed value comes to work.
type Effect string

// The ways a value takes effect.
const (
	RestartRegionServer Effect = "restart-rs"
	RestartMaster       Effect = "restart-master"
	RestartClient       Effect = "restart-client"
	RestartZooKeeper    Effect = "restart-zk"
	Online              Effect = "online" // after update_config
	Reopen              Effect = "reopen" // after update_config, in regions opened since
	Alter               Effect = "alter"  // as attribute of a table or family
	NoEffect            Effect = "none"   // no version at hand reads it
)

// Scale is the scale on which distances between values are judged.
type Scale string

// The scales.
const (
	Linear Scale = "linear"
	Log    Scale = "log"
)

// Alias is another name of a property.
type Alias struct {
	Name string `json:"name"`
	// Renamed is true where Hadoop itself turns the name into the new one when
	// it loads a file; otherwise HBase reads it where the new name is not set.
	Renamed bool `json:"renamed_by_hadoop"`
}

// Property is one entry of the catalogue.
type Property struct {
	Name  string
	Scope []Scope
	Kind  Kind
	// Unit is what a bare number counts: "bytes", "MB", "ms", "threads",
	// "fraction of max heap", …; empty for a bare ratio and for text.
	Unit string
	// Default is the value of the newest 2.x; empty where there is none or where
	// it is computed, which Computed then tells in words.
	Default  Value
	Computed string
	Range    Range
	Scale    Scale
	Effect   []Effect
	Aliases  []Alias
	// ReplacedBy is the new name, if this entry is an old one.
	ReplacedBy string
	// Doc says in a line or two what the property does.
	Doc string

	history history
}

// In reports whether the property has the scope.
func (p Property) In(s Scope) bool { return slices.Contains(p.Scope, s) }

// InSite reports whether the property is set in hbase-site.xml, not only as
// attribute of a table or flag of the Java machine.
func (p Property) InSite() bool {
	return strings.Contains(p.Name, ".") && !p.In(JVM)
}

// Takes reports whether a value takes effect that way.
func (p Property) Takes(e Effect) bool { return slices.Contains(p.Effect, e) }

// EffectText says in words how a value takes effect.
func (p Property) EffectText() string {
	words := make([]string, len(p.Effect))
	for i, e := range p.Effect {
		words[i] = e.text()
	}
	return strings.Join(words, "; or ")
}

func (e Effect) text() string {
	switch e {
	case RestartRegionServer:
		return "after a restart of the RegionServers"
	case RestartMaster:
		return "after a restart of the Master"
	case RestartClient:
		return "after a restart of the client"
	case RestartZooKeeper:
		return "after a restart of ZooKeeper"
	case Online:
		return "at once, by update_config"
	case Reopen:
		return "by update_config, in regions that are opened after it"
	case Alter:
		return "by altering the table"
	}
	return "never: nothing reads it"
}

// Fraction reports whether the property is a share of something, so that "40%"
// means 0.4.
func (p Property) Fraction() bool { return strings.HasPrefix(p.Unit, "fraction") }

// DefaultIn is the default in a version of HBase; false where there is none or
// where it is computed.
func (p Property) DefaultIn(version string) (Value, bool) {
	if !p.ReadIn(version) {
		return "", false
	}
	value := p.history.defaultIn(version, p.Default)
	return value, value != ""
}

// Gone reports whether a version of HBase no longer reads the property.
func (p Property) Gone(version string) bool {
	return p.history.until != nil && !parseVersion(version).before(p.history.until)
}

// Versions says in words which versions of HBase read the property; it is empty
// where all do.
func (p Property) Versions() string { return p.history.String() }

// ReadIn reports whether a version of HBase reads the property.
func (p Property) ReadIn(version string) bool { return p.history.readIn(version) }
