package lint

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// newest is the version that is taken where none is given.
const newest = "2.6.4"

// facts are what the rules look at.
type facts struct {
	in        Input
	version   string
	line      string // of releases, such as 2.6
	lineKnown bool   // names in its code are known
	role      Role
	java      int
	catalogue *hbaseconf.Catalogue
	below     hbaseconf.Settings // defaults
	conf      *hbaseconf.Configuration
	names     []string          // of the properties that are set
	known     []string          // those of them that are in the catalogue, be it by an old name
	others    []string          // those that are only in the code of HBase
	unknown   []string          // and the rest
	values    map[string]string // of these, with ${…} expanded
	// unreadable are those that a daemon fails to read as their type, unexpanded
	// those of them of which it cannot even expand the text.
	unreadable []string
	unexpanded map[string]error
	// refusal says why the site file is none that a daemon reads, nil if it is one.
	refusal *hbaseconf.SiteError
	// conflicts are what HBase itself would refuse.
	conflicts []hbaseconf.Conflict

	flags  []envfile.Flag // of the Java machine; none that is uncertain
	memory envfile.Memory
	heap   hbaseconf.Bytes // 0 if unknown
	shares hbaseconf.Heap
	shared bool // shares could be computed
}

func newFacts(in Input) *facts {
	f := &facts{
		in: in, catalogue: hbaseconf.Builtin(),
		version: cmp.Or(in.Version, newest), role: cmp.Or(in.Role, RegionServer),
	}
	parts := strings.SplitN(f.version, ".", 3)
	f.line = strings.Join(parts[:min(len(parts), 2)], ".")
	f.lineKnown = slices.Contains([]string{"2.4", "2.5", "2.6", "3.0"}, f.line)
	f.java = cmp.Or(in.Java, javaOf(in.Env), javaFor(f.version))
	f.readEnv()
	env := in.Environment
	f.below = defaults(f.version)
	env.Defaults = f.below
	env.System = f.systemProperty(env.System)
	switch {
	case in.Site != nil:
		f.conf = hbaseconf.Load(env, in.Site)
		errors.As(in.Site.Refusal(), &f.refusal)
	default:
		f.conf = hbaseconf.LoadSettings(env, in.Server, in.Running)
	}
	f.readValues()
	if shares, err := hbaseconf.HeapOf(f.get, int64(f.heap)); err == nil {
		f.shares, f.shared = shares, true
	}
	f.conflicts = f.refused()
	return f
}

// readValues expands every value once, and sorts the names by what is known of
// them.
func (f *facts) readValues() {
	f.names = f.conf.Names()
	f.values = make(map[string]string, len(f.names))
	f.unexpanded = map[string]error{}
	for _, name := range f.names {
		value, err := f.conf.Expanded(name)
		if err != nil {
			entry, _ := f.conf.Entry(name)
			value = entry.Value
			f.unexpanded[name] = err
		}
		f.values[name] = value
		p, ok := f.catalogue.Lookup(name)
		switch {
		case ok:
			f.known = append(f.known, name)
			if err == nil {
				err = p.Readable(value)
			}
		case hbaseconf.InHBase(name):
			f.others = append(f.others, name)
		default:
			f.unknown = append(f.unknown, name)
		}
		if err != nil {
			f.unreadable = append(f.unreadable, name)
		}
	}
}

var javaHome = regexp.MustCompile(`(?:jdk|java|jre)-?(?:1\.)?([0-9]{1,2})(?:[^0-9]|$)`)

// javaOf is the major version that JAVA_HOME is named after, 0 if it is not.
func javaOf(env *envfile.File) int {
	if env == nil {
		return 0
	}
	home, ok := env.Last("JAVA_HOME")
	found := javaHome.FindStringSubmatch(home.Text)
	if !ok || home.Maybe || found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1])
	return major
}

// javaFor is the JDK that a version of HBase usually runs on: a newer one than
// it has is no fault of the files.
func javaFor(version string) int {
	switch {
	case hbaseconf.VersionBefore(version, "2.3"):
		return 8
	case hbaseconf.VersionBefore(version, "2.5"):
		return 11
	}
	return 17
}

// defaults are the values below the files in a version: of its hbase-default.xml
// as far as it is known. Those in the code alone are not among them, since HBase
// tells them from values that are set.
func defaults(version string) hbaseconf.Settings {
	shipped := hbaseconf.Shipped(version)
	if !hbaseconf.VersionBefore(version, "2.4") {
		return shipped
	}
	m := map[string]string{}
	for name := range shipped.All() {
		if p, ok := hbaseconf.Builtin().Lookup(name); ok {
			if value, ok := p.DefaultIn(version); ok {
				m[name] = string(value)
			}
		}
	}
	return hbaseconf.FromMap(m)
}

// defaultOf is the default of a property, be it in the code alone.
func (f *facts) defaultOf(name string) (hbaseconf.Value, bool) {
	if value, ok := f.below.Get(name); ok {
		return value, true
	}
	if p, ok := f.catalogue.Lookup(name); ok && p.Name == name {
		return p.DefaultIn(f.version)
	}
	return "", false
}

// chosen reports whether the files give a property another value than its
// default.
func (f *facts) chosen(name string) bool {
	value, _ := f.value(name)
	below, ok := f.defaultOf(name)
	return f.isSet(name) && !(ok && f.catalogue.Same(name, below, hbaseconf.Value(value)))
}

func (f *facts) readEnv() {
	f.heap = f.in.Heap
	var all []envfile.Flag
	for _, text := range f.in.Flags {
		all = append(all, envfile.Flag{Text: text})
	}
	if f.in.Env != nil {
		all = f.in.Env.Flags(f.process())
	}
	f.memory = envfile.MemoryOf(all)
	for _, flag := range all {
		if !flag.Maybe {
			f.flags = append(f.flags, flag)
		}
	}
	if f.heap == 0 && f.memory.Heap != nil {
		f.heap = f.memory.Heap.Bytes
	}
}

func (f *facts) process() envfile.Process {
	switch f.role {
	case Master:
		return envfile.Master
	case Client:
		return envfile.Client
	}
	return envfile.RegionServer
}

// systemProperty also knows what -D sets in hbase-env.sh; the last of several
// wins.
func (f *facts) systemProperty(outer func(string) (string, bool)) func(string) (string, bool) {
	set := map[string]string{}
	for _, flag := range f.flags {
		if rest, ok := strings.CutPrefix(flag.Text, "-D"); ok {
			name, value, _ := strings.Cut(rest, "=")
			set[name] = value
		}
	}
	return func(name string) (string, bool) {
		if value, ok := set[name]; ok {
			return value, true
		}
		if outer == nil {
			return "", false
		}
		return outer(name)
	}
}

// value is the text of a property, whether or not the version reads it.
func (f *facts) value(name string) (string, bool) {
	if text, ok := f.values[name]; ok {
		return text, true
	}
	return f.conf.Get(name)
}

// get is the effective text of a property that the version reads.
func (f *facts) get(name string) (string, bool) {
	if p, ok := f.catalogue.Lookup(name); ok && p.Name == name && !p.ReadIn(f.version) {
		return "", false
	}
	return f.value(name)
}

// refused lists what HBase itself would refuse. Only for 2.x all of its checks
// are known; before, the heap rule alone.
func (f *facts) refused() []hbaseconf.Conflict {
	if f.in.Site == nil && f.in.Running.Len() == 0 {
		return nil
	}
	var err error
	if hbaseconf.VersionBefore(f.version, "2.0") {
		if f.shared {
			err = f.shares.Fits()
		}
	} else {
		values := make(map[string]string, len(f.known)+len(f.others))
		for _, names := range [][]string{f.known, f.others} {
			for _, name := range names {
				if p, ok := f.catalogue.Lookup(name); !ok || p.ReadIn(f.version) {
					values[name] = f.values[name]
				}
			}
		}
		err = hbaseconf.Feasible(hbaseconf.FromMap(values), int64(f.heap))
	}
	var infeasible *hbaseconf.InfeasibleError
	if errors.As(err, &infeasible) {
		return infeasible.Conflicts
	}
	return nil
}

// isSet reports whether the files, not a default, give a property a value.
func (f *facts) isSet(name string) bool {
	_, found := slices.BinarySearch(f.names, name)
	return found
}

// anySet reports whether the files set one of the properties, and which.
func (f *facts) anySet(names ...string) (string, bool) {
	for _, name := range names {
		if f.isSet(name) {
			return name, true
		}
	}
	return names[0], false
}

// long, float and text are effective values, be it by a default in the code;
// none holds where there is neither, or HBase cannot read the value.
func (f *facts) long(name string, none int64) int64 {
	if !f.has(name) {
		return valueOr(f, name, none, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
	}
	n, err := f.conf.Long(name, none)
	if err != nil {
		return none
	}
	return n
}

func (f *facts) float(name string, none float64) float64 {
	if !f.has(name) {
		return valueOr(f, name, none, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	}
	x, err := f.conf.Double(name, none)
	if err != nil {
		return none
	}
	return x
}

// has reports whether the files or hbase-default.xml give a value.
func (f *facts) has(name string) bool {
	_, ok := f.get(name)
	return ok
}

func valueOr[T any](f *facts, name string, none T, read func(string) (T, error)) T {
	if below, ok := f.defaultOf(name); ok {
		if value, err := read(string(below)); err == nil {
			return value
		}
	}
	return none
}

func (f *facts) text(name string) string {
	if value, ok := f.get(name); ok {
		return value
	}
	below, _ := f.defaultOf(name)
	return string(below)
}

// shown is the value of a property as it may be printed.
func (f *facts) shown(name string) string {
	value, _ := f.value(name)
	return hbaseconf.Masked(name, value)
}

// globalMemstore is how much all memstores of a RegionServer may hold; false
// where the heap is not known.
func (f *facts) globalMemstore() (float64, bool) {
	if f.heap <= 0 || !f.shared || f.role != RegionServer {
		return 0, false
	}
	return float64(f.heap) * float64(f.shares.Memstore), true
}

// at is a finding about a property: where it is set, or else the file as a
// whole.
func (f *facts) at(name, format string, args ...any) Finding {
	x := Finding{Property: name, Message: fmt.Sprintf(format, args...)}
	if entry, ok := f.conf.Entry(name); ok && f.isSet(entry.Name) {
		x.File, x.Line = entry.File, entry.Line
	} else if order := f.order(); len(order) > 0 {
		x.File = order[0]
	} else {
		x.File = f.in.Server
	}
	return x
}

// inEnv is a finding about a line of hbase-env.sh, or about the flags of a
// running server.
func (f *facts) inEnv(variable string, line int, format string, args ...any) Finding {
	file := f.in.Server
	if f.in.Env != nil {
		file = f.in.Env.Path()
	}
	return Finding{File: file, Line: line, Property: variable, Message: fmt.Sprintf(format, args...)}
}

func (x Finding) as(s Severity) Finding {
	x.Severity = s
	return x
}

// write says what to write instead.
func (x Finding) write(format string, args ...any) Finding {
	x.Fix = fmt.Sprintf(format, args...)
	return x
}

// set is a safe change of the property to a value.
func (x Finding) set(value string) Finding {
	x.edit = &edit{x.Property, value}
	return x.write("%s=%s", x.Property, value)
}

// drop is a safe removal of the property.
func (x Finding) drop() Finding {
	x.edit = &edit{name: x.Property}
	return x.write("remove %s", x.Property)
}
