// Package trial holds the pure data of a sweep: what is to be measured
// (Trial), and what became of it (Record). It knows no cluster, no file and no
// clock; sweep fills it, sweep/journal stores it, analyze reads it.
package trial

import "hbtune/hbaseconf"

// Phase says which part of a sweep a trial belongs to.
type Phase string

const (
	// Calibrate finds the working set at which the baseline reaches a hit level.
	Calibrate Phase = "calibrate"
	// Explore measures every candidate in randomized blocks.
	Explore Phase = "explore"
	// Confirm measures the winner again against the baseline on fresh restarts.
	Confirm Phase = "confirm"
)

// Variant is one configuration to be measured.
type Variant struct {
	// ID names the variant in files and tables: "baseline", "v03", "winner".
	ID string `json:"id"`
	// Factor is the property this variant moves away from the baseline; empty
	// for the baseline and for variants that move several.
	Factor string `json:"factor,omitempty"`
	// Settings holds only what differs from the target's own files, or pins what
	// the baseline has.
	Settings hbaseconf.Settings `json:"settings"`
}

// IsBaseline reports whether the variant is the sentinel.
func (v Variant) IsBaseline() bool { return v.ID == BaselineID }

// BaselineID is the ID of the configuration that candidates are compared with.
const BaselineID = "baseline"

// Trial is one measurement to be made: a variant under a workload, in a block.
// Trials with the same Session are measured one after the other on the same
// start of the server: the restart, not the trial, is the unit of replication.
type Trial struct {
	ID       string   `json:"id"`      // "b1s03h0.9": unique in a sweep
	Session  string   `json:"session"` // "b1s03"
	Phase    Phase    `json:"phase"`
	Block    int      `json:"block"` // from 1
	Order    int      `json:"order"` // place of the session in the whole plan, from 1
	Seed     uint64   `json:"seed"`
	Variant  Variant  `json:"variant"`
	Workload Workload `json:"workload"`
}
