// Package profiles keeps settings together with the evidence for them, detached
// from the sweep that found them: something to show, compare with a file or a
// running cluster, export, put on a target and take off again.
//
// A profile comes from a sweep (FromSweep), from a file (Parse), from the store
// (Store) or ships with hbtune (Builtin). Diff compares it, Export writes it for
// other tools, Ledger puts it on a target through sweep/apply and remembers how
// to take it off. The vocabulary is hbaseconf's; sweep and analyze are not known
// here, cmd hands their results over.
package profiles

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// FormatVersion is the version of the profile files that this package reads
// and writes.
const FormatVersion = 1

// Profile is a set of settings and why to believe in it.
type Profile struct {
	Version  int                `json:"v"`
	Name     string             `json:"name"`
	Summary  string             `json:"summary,omitempty"` // one line
	Settings hbaseconf.Settings `json:"settings"`
	Evidence Evidence           `json:"evidence"`
}

// Origins of a profile.
const (
	OriginSweep     = "sweep"     // measured by hbtune
	OriginPublished = "published" // measured by others, who published it
	OriginOperator  = "operator"  // written by hand
)

// Evidence says where settings come from and under which conditions they were
// measured. Fields that are not known are left out.
type Evidence struct {
	Origin string `json:"origin" yaml:"origin"`
	// Source is the sweep's folder or the publication.
	Source  string    `json:"source,omitempty" yaml:"source,omitempty"`
	Created time.Time `json:"created,omitzero" yaml:"created,omitempty"`
	Sweep   string    `json:"sweep,omitempty" yaml:"sweep,omitempty"` // its ID
	Target  string    `json:"target,omitempty" yaml:"target,omitempty"`

	HBaseVersion string `json:"hbase_version,omitempty" yaml:"hbase_version,omitempty"`
	// HeapBytes is the maximum heap of a RegionServer.
	HeapBytes int64 `json:"heap_bytes,omitempty" yaml:"heap_bytes,omitempty"`
	Host      *Host `json:"host,omitempty" yaml:"host,omitempty"`

	Objective   string   `json:"objective,omitempty" yaml:"objective,omitempty"`
	Constraints []string `json:"constraints,omitempty" yaml:"constraints,omitempty"`
	// Verdict is analyze's: "improves", "no-detectable-gain", "insufficient-data".
	Verdict string  `json:"verdict,omitempty" yaml:"verdict,omitempty"`
	Effect  *Effect `json:"effect,omitempty" yaml:"effect,omitempty"`
	// Baseline holds the values that the effect is relative to.
	Baseline  hbaseconf.Settings `json:"baseline,omitzero" yaml:"-"`
	Workloads []Workload         `json:"workloads,omitempty" yaml:"workloads,omitempty"`
	Notes     []string           `json:"notes,omitempty" yaml:"notes,omitempty"`
}

// Host is the machine the measurements were made on.
type Host struct {
	OS          string `json:"os,omitempty" yaml:"os,omitempty"`
	Cores       int    `json:"cores,omitempty" yaml:"cores,omitempty"`
	MemoryBytes int64  `json:"memory_bytes,omitempty" yaml:"memory_bytes,omitempty"`
}

// Effect is the objective under the settings over that under the baseline,
// with the bounds of its interval where one is known.
type Effect struct {
	Ratio     float64  `json:"ratio" yaml:"ratio"`
	Low       *float64 `json:"low,omitempty" yaml:"low,omitempty"`
	High      *float64 `json:"high,omitempty" yaml:"high,omitempty"`
	Confirmed bool     `json:"confirmed" yaml:"confirmed"`
	Trials    []string `json:"trials,omitempty" yaml:"trials,omitempty,flow"`
}

// Workload is what a profile was measured under.
type Workload struct {
	Name       string  `json:"name" yaml:"name"`
	Rows       int64   `json:"rows,omitempty" yaml:"rows,omitempty"`
	ValueBytes int     `json:"value_bytes,omitempty" yaml:"value_bytes,omitempty"`
	ReadShare  float64 `json:"read_share" yaml:"read_share"`
	Threads    int     `json:"threads,omitempty" yaml:"threads,omitempty"`
	HitTarget  float64 `json:"hit_target,omitempty" yaml:"hit_target,omitempty"`
	WorkingSet int64   `json:"working_set,omitempty" yaml:"working_set,omitempty"`
}

// Outcome is what an analysis adds to a sweep to make a profile of it.
type Outcome struct {
	Settings  hbaseconf.Settings
	Summary   string
	Verdict   string
	Effect    *Effect
	HeapBytes int64
	Source    string // the sweep's folder
	Notes     []string
}

// FromSweep makes the profile of a sweep's recommendation. Properties without a
// value, which have a computed default, are none of its settings.
func FromSweep(name string, s trial.Sweep, o Outcome) Profile {
	p := Profile{
		Version: FormatVersion, Name: name, Summary: o.Summary, Settings: set(o.Settings),
		Evidence: Evidence{
			Origin: OriginSweep, Source: o.Source, Created: s.Created, Sweep: s.ID, Target: s.Target,
			HBaseVersion: s.HBaseVersion, HeapBytes: o.HeapBytes,
			Host:      &Host{OS: s.Host.OS, Cores: s.Host.Cores, MemoryBytes: s.Host.MemoryBytes},
			Objective: s.Objective, Constraints: s.Constraints,
			Verdict: o.Verdict, Effect: o.Effect, Baseline: s.Baseline, Notes: o.Notes,
		},
	}
	for _, w := range s.Workloads {
		p.Evidence.Workloads = append(p.Evidence.Workloads, Workload{
			Name: w.Name, Rows: w.Rows, ValueBytes: w.ValueBytes, ReadShare: w.ReadShare,
			Threads: w.Threads, HitTarget: w.HitTarget, WorkingSet: w.WorkingSet,
		})
	}
	return p
}

// Names are those of files too, on every system.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckName refuses names that profiles can't be kept under.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("profile name %q: use up to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit", name)
	}
	return nil
}

// validate reports every fault of what is not in Settings.
func (p Profile) validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := CheckName(p.Name); err != nil {
		faults = append(faults, err)
	}
	switch p.Evidence.Origin {
	case OriginSweep, OriginPublished, OriginOperator:
	default:
		bad("evidence.origin: %q is none of %s, %s, %s", p.Evidence.Origin, OriginSweep, OriginPublished, OriginOperator)
	}
	if p.Evidence.HeapBytes < 0 {
		bad("evidence.heap_bytes: %d is negative", p.Evidence.HeapBytes)
	}
	if e := p.Evidence.Effect; e != nil {
		low, high := e.Ratio, e.Ratio
		if e.Low != nil {
			low = *e.Low
		}
		if e.High != nil {
			high = *e.High
		}
		// Written so that a NaN fails too.
		if !(e.Ratio > 0 && low <= e.Ratio && e.Ratio <= high) {
			bad("evidence.effect: a ratio of %v with the interval %v to %v makes no sense", e.Ratio, low, high)
		}
	}
	for i, w := range p.Evidence.Workloads {
		if !(w.ReadShare >= 0 && w.ReadShare <= 1) {
			bad("evidence.workloads[%d].read_share: %v is outside 0 to 1", i, w.ReadShare)
		}
		if !(w.HitTarget >= 0 && w.HitTarget <= 1) {
			bad("evidence.workloads[%d].hit_target: %v is outside 0 to 1", i, w.HitTarget)
		}
	}
	return errors.Join(faults...)
}
