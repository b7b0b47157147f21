package trial

import (
	"time"

	"hbtune/hbaseconf"
)

// Record is a trial and what became of it. Either Measurement or Fault is set.
type Record struct {
	Trial
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Receipt tells how the variant was put on the target.
	Receipt *Receipt `json:"receipt,omitempty"`
	// Observed is what the servers said of themselves: the values of every
	// property of the sweep as read back from the running configuration.
	// Analysis takes x from here, never from what was asked for.
	Observed    hbaseconf.Settings `json:"observed"`
	Measurement *Measurement       `json:"measurement,omitempty"`
	Fault       *Fault             `json:"fault,omitempty"`
}

// Receipt proves what an apply did.
type Receipt struct {
	Target string `json:"target"` // "local"
	Files  []File `json:"files"`
	// ServerStart is when each RegionServer says it started, by server name.
	ServerStart map[string]time.Time `json:"server_start"`
	// StopSeconds and StartSeconds tell what a restart costs.
	StopSeconds  float64 `json:"stop_seconds"`
	StartSeconds float64 `json:"start_seconds"`
}

// File is one configuration file before and after an apply.
type File struct {
	Node   string `json:"node"`
	Path   string `json:"path"`
	Before string `json:"before_sha256"`
	After  string `json:"after_sha256"`
}

// Fault says why a trial has no measurement. Code is stable, lower-case and
// hyphenated; Message is one line, with the server's own reason where it gave
// one.
type Fault struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Property string `json:"property,omitempty"`
	File     string `json:"file,omitempty"`
}

// Fault codes.
const (
	FaultRefused      = "refused"       // infeasible: never applied
	FaultStart        = "did-not-start" // the server ended or never served
	FaultNotEffective = "not-effective" // running values differ from those wanted
	FaultLoad         = "load-failed"
	FaultInterrupted  = "interrupted"
)
