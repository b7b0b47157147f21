package trial

import "time"

// Measurement is what one load gave; it is also the document that
// `hbtune load --json` prints.
type Measurement struct {
	Workload string    `json:"workload"`
	Driver   string    `json:"driver"` // "native"
	Threads  int       `json:"threads"`
	Start    time.Time `json:"start"` // of the measured window, after warm-up
	Seconds  float64   `json:"seconds"`
	// Operations and Throughput (operations a second) count the measured window.
	Operations int64            `json:"operations"`
	Throughput float64          `json:"throughput"`
	Errors     map[string]int64 `json:"errors"` // by class
	NotFound   int64            `json:"not_found"`
	// Ops holds response times by kind of operation ("read", "put"), timed from
	// the intended start; Service the same timed from the send.
	Ops     map[string]Latency `json:"ops"`
	Service map[string]Latency `json:"service,omitempty"`
	// Rows counts, by kind, the rows that operations were about, where that is
	// not one each.
	Rows map[string]int64 `json:"rows,omitempty"`
	// Open tells of an open loop; nil for a closed one.
	Open   *OpenLoop  `json:"open,omitempty"`
	Hit    Hit        `json:"hit"`
	Client ClientCost `json:"client"`
	// Server holds deltas of the servers' counters over the window and gauges at
	// its end, of all RegionServers together, by the names of sweep/metrics.
	Server map[string]float64 `json:"server"`
	// Gauges tells how the gauges stood during the window; nil in measurements
	// of before it was kept.
	Gauges *Gauges `json:"gauges,omitempty"`
	// Steady is false where warm-up ended by its cap.
	Steady        bool     `json:"steady"`
	WarmupSeconds float64  `json:"warmup_seconds"`
	Series        []Second `json:"series"`
	// Before and After are the servers' state when the load began and ended.
	Before *State `json:"before,omitempty"`
	After  *State `json:"after,omitempty"`
	// Flags name what makes the measurement doubtful: "not-steady",
	// "client-bound", "errors", "not-found", "regions-changed",
	// "littles-law", "growing-debt", "rate-not-reached".
	Flags []string `json:"flags,omitempty"`
}

// Kinds of operation that look for single rows.
const (
	OpRead            = "read"
	OpReadModifyWrite = "read-modify-write"
)

// Gauges is how gauges stood at the beginning of a window, on average, and at
// most, by the names of sweep/metrics.
type Gauges struct {
	First map[string]float64 `json:"first"`
	Mean  map[string]float64 `json:"mean"`
	Max   map[string]float64 `json:"max"`
}

// How the operations of an open loop are spaced.
const (
	ArrivalsConstant = "constant"
	ArrivalsPoisson  = "poisson"
)

// OpenLoop is how well an open loop kept its schedule.
type OpenLoop struct {
	Rate     float64 `json:"rate"` // operations a second that were to start
	Arrivals string  `json:"arrivals"`
	Reached  float64 `json:"reached"` // share of Rate that ended in the window
	// Late is by how much operations started after they should have.
	Late Latency `json:"late"`
}

// State is what work the servers have before them, and what there is of the
// tables.
type State struct {
	FlushQueue      float64 `json:"flush_queue"`
	CompactionQueue float64 `json:"compaction_queue"`
	MemstoreBytes   float64 `json:"memstore_bytes"`
	StoreFiles      float64 `json:"store_files"`
	Regions         float64 `json:"regions"`
}

// Latency sums up one histogram; times are microseconds.
type Latency struct {
	Count      int64   `json:"count"`
	MeanMicros float64 `json:"mean_us"`
	P50Micros  int64   `json:"p50_us"`
	P95Micros  int64   `json:"p95_us"`
	P99Micros  int64   `json:"p99_us"`
	P999Micros int64   `json:"p999_us"`
	MaxMicros  int64   `json:"max_us"`
	// Histogram is an HdrHistogram V2 compressed, base64.
	Histogram string `json:"histogram,omitempty"`
}

// Hit is the block cache's hit rate over the window, in 0..1, from deltas of
// counters. DataBlocks is the level that hbtune speaks of; AllBlocks counts
// index and bloom blocks too. Lookups is the number of data block lookups.
type Hit struct {
	Target     float64 `json:"target,omitempty"`
	DataBlocks float64 `json:"data_blocks"`
	AllBlocks  float64 `json:"all_blocks"`
	Lookups    int64   `json:"lookups"`
}

// ClientCost tells whether the load generator was the limit.
type ClientCost struct {
	CPUShare       float64 `json:"cpu_share"` // of the cores it may use
	CPUMicrosPerOp float64 `json:"cpu_us_per_op"`
}

// Second is one second of a run, warm-up included.
type Second struct {
	T          float64 `json:"t"` // seconds since the load began
	Throughput float64 `json:"throughput"`
	P99Micros  int64   `json:"p99_us"`
	// Hit is the data-block hit rate over the last metric period; negative where
	// it is not known yet.
	Hit    float64 `json:"hit"`
	Warmup bool    `json:"warmup,omitempty"`
	// Flushes and Compactions wait in the servers' queues.
	Flushes     float64 `json:"flush_queue,omitempty"`
	Compactions float64 `json:"compaction_queue,omitempty"`
}
