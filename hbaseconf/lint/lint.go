package lint

import (
	"cmp"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // a daemon does not start, or does what cannot have been meant
	Warning Severity = "warning" // it costs performance or safety, or has no effect though it was meant to
	Info    Severity = "info"    // worth knowing
)

// rank orders severities, the worst first.
func (s Severity) rank() int {
	return slices.Index([]Severity{Error, Warning, Info}, s)
}

// Finding is one thing to say about a configuration.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`     // 0 where no line is to blame
	Property string   `json:"property"` // also a variable of hbase-env.sh; empty for the whole file
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Message  string   `json:"message"` // what it is, and what it does here
	Fix      string   `json:"fix"`     // what to write instead; empty where that is for a person to decide

	edit *edit
}

// edit is a change that is safe: no daemon can have relied on what was there.
type edit struct {
	name, value string // no value: the property is removed
}

// Role is the process whose configuration is judged.
type Role string

// The roles.
const (
	RegionServer Role = "regionserver"
	Master       Role = "master"
	Client       Role = "client"
)

// Options are what the files do not say.
type Options struct {
	Version string // of HBase; empty is the newest 2.x
	Role    Role   // empty is RegionServer
	// Heap is the maximum of the heap, 0 if only hbase-env.sh may say.
	Heap hbaseconf.Bytes
	// Java is the major version of the JDK; 0 is the one usual for the version.
	Java int
	// Regions is how many regions one server holds, 0 if unknown.
	Regions int
	// IncludeOutside allows Paths to read included files from outside of the
	// folder of the site file.
	IncludeOutside bool
}

// Input is one configuration.
type Input struct {
	Options
	Site *hbaseconf.Site // nil where only hbase-env.sh is at hand
	Env  *envfile.File   // nil where it is not
	// Running are the effective values of a server instead of a file, and Server
	// is its name.
	Running hbaseconf.Settings
	Server  string
	// Flags are those that the Java machine of the server was started with.
	Flags []string
	// Environment is what ${…} may refer to; its Defaults are those of the
	// version.
	Environment hbaseconf.Environment
}

// Report is what was found.
type Report struct {
	Files    []File    `json:"files"`
	Findings []Finding `json:"findings"`
}

// File is what a daemon makes of one file.
type File struct {
	Path  string `json:"path"`
	Loads bool   `json:"loads"`
	// Properties are the values after ${…} is expanded, secrets hidden.
	Properties map[string]string `json:"properties"`
	// Unreadable are those that fail to be read as their type.
	Unreadable []string `json:"unreadable"`
	HeapCheck  string   `json:"heap_check,omitempty"` // "ok" or "fails"
	Memstore   *float32 `json:"memstore,omitempty"`
	LowMark    *float32 `json:"memstore_low_mark,omitempty"`
}

// Count is the number of findings of a severity.
func (r Report) Count(s Severity) int {
	n := 0
	for _, one := range r.Findings {
		if one.Severity == s {
			n++
		}
	}
	return n
}

// Readable is the report without the files that are no configuration at all,
// for where those are told apart from findings.
func (r Report) Readable() Report {
	other := map[string]bool{}
	kept := Report{Files: []File{}, Findings: []Finding{}}
	for _, one := range r.Findings {
		if one.Code == hbaseconf.FaultNotSite || one.Code == hbaseconf.FaultTooLarge {
			other[one.File] = true
		} else {
			kept.Findings = append(kept.Findings, one)
		}
	}
	for _, file := range r.Files {
		if !other[file.Path] {
			kept.Files = append(kept.Files, file)
		}
	}
	return kept
}

// Run judges one configuration.
func Run(in Input) Report {
	f := newFacts(in)
	var r Report
	if in.Site != nil {
		r.Files = append(r.Files, f.siteFile())
	}
	if in.Env != nil {
		r.Files = append(r.Files, File{Path: in.Env.Path(), Loads: in.Env.SyntaxError() == nil, Properties: map[string]string{}, Unreadable: []string{}})
	}
	r.Findings = append([]Finding{}, f.run()...)
	return r
}

func (f *facts) run() []Finding {
	var all []Finding
	for _, rule := range Rules() {
		found := rule.check(f)
		for i := range found {
			found[i].Code = rule.Code
			found[i].Severity = cmp.Or(found[i].Severity, rule.Severity)
		}
		all = append(all, found...)
		if rule.last && len(found) > 0 {
			break
		}
	}
	order := f.order()
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.File), slices.Index(order, b.File)),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			cmp.Compare(a.Property, b.Property),
		)
	})
	return all
}

// order lists the files in the order in which findings are printed.
func (f *facts) order() []string {
	var order []string
	if f.in.Site != nil {
		order = append(order, f.in.Site.Path())
	}
	if f.in.Env != nil {
		order = append(order, f.in.Env.Path())
	}
	return order
}

// siteFile tells what a daemon makes of the site file.
func (f *facts) siteFile() File {
	file := File{Path: f.in.Site.Path(), Loads: true, Properties: make(map[string]string, len(f.values)), Unreadable: []string{}}
	for name, value := range f.values {
		if name != "" && name[0] > ' ' && name[len(name)-1] > ' ' { // else nobody can ask for it
			file.Properties[name] = hbaseconf.Masked(name, value)
		}
	}
	file.Unreadable = append(file.Unreadable, f.unreadable...)
	heap, err := hbaseconf.HeapOf(f.get, int64(f.heap))
	if err == nil {
		err = heap.Fits()
	}
	file.HeapCheck = "ok"
	if err != nil {
		file.HeapCheck = "fails"
	}
	file.Memstore, file.LowMark = &heap.Memstore, &heap.LowMark
	return file
}
