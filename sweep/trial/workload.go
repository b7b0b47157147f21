package trial

// Workload is a load as one trial drives it, held fixed over all variants. The
// fields below WorkingSet are for loads other than gets and puts of whole rows
// in a closed loop; their zero values stand for just that.
type Workload struct {
	Name  string `json:"name"`
	Table string `json:"table"` // holds the rows that are read
	// WriteTable takes the puts and is made afresh for every session, so that no
	// trial inherits the store files of the one before it; empty means Table.
	WriteTable string  `json:"write_table,omitempty"`
	Rows       int64   `json:"rows"`        // rows loaded
	ValueBytes int     `json:"value_bytes"` // size of each column's value
	ReadShare  float64 `json:"read_share"`  // 1: gets only, 0: puts only; see Mix
	Threads    int     `json:"threads"`     // operations under way at most
	// HitTarget is the share of data blocks that the *baseline* finds in its
	// block cache; 0 asks for no control.
	HitTarget float64 `json:"hit_target,omitempty"`
	// WorkingSet is the number of rows that keys are drawn from, as calibrated
	// for HitTarget; 0 means all rows.
	WorkingSet int64 `json:"working_set,omitempty"`

	// Mix holds the shares of all kinds of operation; where it is zero,
	// ReadShare says it.
	Mix Mix `json:"mix,omitzero"`
	// Columns of a row; 0 means 1.
	Columns int `json:"columns,omitempty"`
	// ReadColumns and WriteColumns are how many of them an operation touches: 0
	// all, 1 one drawn at random, more the first ones.
	ReadColumns  int `json:"read_columns,omitempty"`
	WriteColumns int `json:"write_columns,omitempty"`
	// Lengths says how long values are: Constant, or Uniform or Zipfian between
	// MinValueBytes (0 means 1) and ValueBytes.
	Lengths       string `json:"value_lengths,omitempty"`
	MinValueBytes int    `json:"min_value_bytes,omitempty"`
	// Keys says how the rows of operations are drawn; Hashed, that a row's place
	// in the key space is a hash of its number.
	Keys   Distribution `json:"keys,omitzero"`
	Hashed bool         `json:"hashed,omitempty"`
	// Scan is how many rows a scan asks for.
	Scan ScanRows `json:"scan,omitzero"`
	// Batch is the number of rows that a read, put or insert handles in one call;
	// 0 means 1.
	Batch int `json:"batch,omitempty"`
	// Rate is the number of operations to start in a second, whether or not the
	// ones before have ended (an open loop); 0 starts each when the one before it
	// has ended. Poisson spaces them at random instead of evenly.
	Rate    float64 `json:"rate,omitempty"`
	Poisson bool    `json:"poisson,omitempty"`
	// Queue makes the load a message queue's: each thread appends batches to a
	// partition of its own, and Followers more threads read them.
	Queue     bool `json:"queue,omitempty"`
	Followers int  `json:"followers,omitempty"`
	// Driver is who does the operations: empty for the native client, else "java/"
	// and the interface of HBase's own client.
	Driver string `json:"driver,omitempty"`
}

// Mix holds the share of each kind of operation; together they are 1.
type Mix struct {
	Read            float64 `json:"read,omitempty"`
	Update          float64 `json:"update,omitempty"`
	Insert          float64 `json:"insert,omitempty"`
	Scan            float64 `json:"scan,omitempty"`
	ReadModifyWrite float64 `json:"read_modify_write,omitempty"`
}

// Names of distributions.
const (
	Constant    = "constant"
	Uniform     = "uniform"
	Zipfian     = "zipfian"
	Latest      = "latest"
	Hotspot     = "hotspot"
	Sequential  = "sequential"
	Exponential = "exponential"
)

// Distribution says how rows are drawn.
type Distribution struct {
	// Kind is Uniform (also where it is empty), Zipfian, Latest, Hotspot,
	// Sequential or Exponential.
	Kind string `json:"kind,omitempty"`
	// HotRows is the share of rows that a hotspot's HotDraws of all draws go to.
	HotRows  float64 `json:"hot_rows,omitempty"`
	HotDraws float64 `json:"hot_draws,omitempty"`
	// An exponential distribution has Percent of its draws within the latest
	// Within of all rows.
	Percent float64 `json:"percent,omitempty"`
	Within  float64 `json:"within,omitempty"`
}

// ScanRows is how many rows scans ask for: Uniform or Zipfian over Min…Max.
type ScanRows struct {
	Min          int    `json:"min,omitempty"`
	Max          int    `json:"max,omitempty"`
	Distribution string `json:"distribution,omitempty"`
}

// Shares are the shares of the kinds of operation, wherever they are said.
func (w Workload) Shares() Mix {
	if w.Mix != (Mix{}) {
		return w.Mix
	}
	return Mix{Read: w.ReadShare, Update: 1 - w.ReadShare}
}
