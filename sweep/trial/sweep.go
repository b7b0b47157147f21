package trial

import (
	"time"

	"hbtune/hbaseconf"
)

// Sweep is what a whole sweep was asked to do, as its journal's first line
// keeps it: enough, with the records, to analyse it anywhere.
type Sweep struct {
	ID           string    `json:"id"`
	Created      time.Time `json:"created"`
	Target       string    `json:"target"` // "local"
	HBaseVersion string    `json:"hbase_version"`
	Host         Host      `json:"host"`
	// Objective is "throughput", "mean_us", "p50_us", "p95_us" or "p99_us".
	Objective string `json:"objective"`
	// Constraints are bounds such as "p99_us<=20000".
	Constraints []string `json:"constraints,omitempty"`
	// Equivalence is the half width of the band inside which two variants are
	// taken as equal: 0.03 means ±3 %.
	Equivalence float64 `json:"equivalence"`
	// Baseline holds the effective values of every swept property before the
	// sweep, as read from the running servers.
	Baseline   hbaseconf.Settings `json:"baseline"`
	Parameters []Parameter        `json:"parameters"`
	Workloads  []Workload         `json:"workloads"`
	Blocks     int                `json:"blocks"`
	Confirm    int                `json:"confirm"` // pairs of restarts in the confirmation
	Seed       uint64             `json:"seed"`
}

// Parameter is one property with the values to try, the baseline's included.
type Parameter struct {
	Property string            `json:"property"`
	Values   []hbaseconf.Value `json:"values"`
	// Log says that distances are judged on a logarithmic scale.
	Log bool `json:"log"`
	// Unit is for axes: "bytes", "threads", "fraction of max heap", …
	Unit string `json:"unit,omitempty"`
	// Complement names a property that gives what this one takes: it is set to
	// ComplementTotal − value (memstore and block cache share 0.8 of the heap).
	Complement      string  `json:"complement,omitempty"`
	ComplementTotal float64 `json:"complement_total,omitempty"`
}

// Host is the machine the load ran on.
type Host struct {
	OS          string `json:"os"`
	Cores       int    `json:"cores"`
	MemoryBytes int64  `json:"memory_bytes"`
}
