package load

import (
	"errors"
	"fmt"
	"math"
	"time"

	"hbtune/sweep/trial"
)

// Config says what Run is to drive.
type Config struct {
	Workload trial.Workload
	Seed     uint64
	// Duration is the length of the measured window, warm-up not counted.
	Duration time.Duration
	// Following says that the server has just served another load, so that only
	// its cache has to settle, not its compiler.
	Following bool
	// WarmupMin is the least length of the warm-up; 0 leaves it to the criterion.
	WarmupMin time.Duration
	// WarmupCap ends a warm-up that has not become steady; 0 means
	// DefaultWarmupCap, or FollowingWarmupCap after another load.
	WarmupCap time.Duration
	// Verify compares every byte of every value read, not only length and ends.
	Verify bool
	// DebtDone waits, before the load begins, until flushes and compactions that
	// an earlier one left are done.
	DebtDone bool
	// Second, if set, is told of each second as it ends. It is called from the
	// load's own goroutine and must return at once.
	Second func(trial.Second)

	// nap replaces the open loop's sleep in tests.
	nap func(time.Duration)
}

// Caps of the warm-up.
const (
	DefaultWarmupCap   = 90 * time.Second
	FollowingWarmupCap = 45 * time.Second
)

// MaxThreads bounds the workers of one load.
const MaxThreads = 10_000

func (c *Config) warmupCap() time.Duration {
	switch {
	case c.WarmupCap > 0:
		return c.WarmupCap
	case c.Following:
		return FollowingWarmupCap
	default:
		return DefaultWarmupCap
	}
}

func (c *Config) criterion() Criterion {
	if c.Following {
		return following()
	}
	return fresh()
}

// workingSet is the number of rows that reads are drawn from.
func (c *Config) workingSet() int64 {
	if c.Workload.WorkingSet > 0 {
		return c.Workload.WorkingSet
	}
	return c.Workload.Rows
}

// writeTable is the table that takes the puts.
func (c *Config) writeTable() string {
	if c.Workload.WriteTable != "" {
		return c.Workload.WriteTable
	}
	return c.Workload.Table
}

// reads tells whether rows are read that were loaded before.
func (c *Config) reads() bool {
	mix := c.Workload.Shares()
	return !c.Workload.Queue && mix.Read+mix.Scan+mix.ReadModifyWrite > 0
}

func (c *Config) writes() bool {
	mix := c.Workload.Shares()
	return c.Workload.Queue || mix.Update+mix.Insert+mix.ReadModifyWrite > 0
}

// Validate lists every fault of the configuration, a line each.
func (c *Config) Validate() error {
	var f faults
	f.workload(c.Workload)
	f.require(c.Duration > 0, "duration: %v is not positive", c.Duration)
	f.require(c.WarmupMin <= c.warmupCap(), "warm-up: its least length %v is over its cap %v", c.WarmupMin, c.warmupCap())
	return errors.Join(f...)
}

// ValidateWorkload lists every fault of a workload, a line each.
func ValidateWorkload(w trial.Workload) error {
	var f faults
	f.workload(w)
	return errors.Join(f...)
}

type faults []error

func (f *faults) require(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

func (f *faults) workload(w trial.Workload) {
	f.require(w.Table != "", "the workload names no table")
	f.require(w.Rows > 0 && w.Rows <= maxRows, "rows: %d is outside 1…%d", w.Rows, maxRows)
	f.require(w.ValueBytes > 0 && w.ValueBytes <= maxValueBytes, "value bytes: %d is outside 1…%d", w.ValueBytes, maxValueBytes)
	f.require(w.ReadShare >= 0 && w.ReadShare <= 1, "read share: %v is outside 0…1", w.ReadShare)
	f.require(w.Threads > 0 && w.Threads <= MaxThreads, "threads: %d is outside 1…%d", w.Threads, MaxThreads)
	f.require(w.HitTarget >= 0 && w.HitTarget < 1, "hit target: %v is outside 0…1", w.HitTarget)
	f.require(w.WorkingSet >= 0 && w.WorkingSet <= w.Rows, "working set: %d is outside 1…%d, the rows of the table", w.WorkingSet, w.Rows)
	f.mix(w.Mix)
	f.require(w.Columns >= 0 && w.Columns <= maxColumns, "columns: %d is outside 1…%d", w.Columns, maxColumns)
	f.require(w.ReadColumns >= 0 && w.ReadColumns <= max(w.Columns, 1), "read columns: %d is outside 1…%d, the columns of a row", w.ReadColumns, max(w.Columns, 1))
	f.require(w.WriteColumns >= 0 && w.WriteColumns <= max(w.Columns, 1), "write columns: %d is outside 1…%d, the columns of a row", w.WriteColumns, max(w.Columns, 1))
	f.require(w.Lengths == "" || w.Lengths == trial.Constant || w.Lengths == trial.Uniform || w.Lengths == trial.Zipfian,
		"value lengths: %q is neither constant, uniform nor zipfian", w.Lengths)
	f.require(w.MinValueBytes >= 0 && w.MinValueBytes <= w.ValueBytes, "least value bytes: %d is outside 1…%d", w.MinValueBytes, w.ValueBytes)
	f.keys(w.Keys)
	f.require(w.Scan.Distribution == "" || w.Scan.Distribution == trial.Uniform || w.Scan.Distribution == trial.Zipfian,
		"rows of a scan: %q is neither uniform nor zipfian", w.Scan.Distribution)
	f.require(w.Scan.Min >= 0 && w.Scan.Min <= max(w.Scan.Max, 1), "rows of a scan: the least, %d, is outside 1…%d", w.Scan.Min, max(w.Scan.Max, 1))
	f.require(w.Scan.Max >= 0 && w.Scan.Max <= maxScan, "rows of a scan: %d is outside 1…%d", w.Scan.Max, maxScan)
	f.require(w.Batch >= 0 && w.Batch <= maxBatch, "batch: %d is outside 1…%d", w.Batch, maxBatch)
	f.require(w.Batch <= 1 || w.Shares().ReadModifyWrite == 0, "batch: %d with read-modify-write, which is about one row", w.Batch)
	f.require(w.Rate >= 0 && !math.IsInf(w.Rate, 0), "rate: %v is not a number of operations a second", w.Rate)
	f.require(w.Followers >= 0 && w.Followers <= MaxThreads, "followers: %d is outside 0…%d", w.Followers, MaxThreads)
	f.require(!w.Queue || w.Rate == 0, "rate: a message queue is driven in a closed loop")
	f.require(!w.Queue || !w.Hashed && w.Threads <= maxRegions, "a message queue has a partition for each thread, %d at most, and no hashed keys", maxRegions)
	f.require(w.Shares().Insert == 0 || w.WriteTable == "" || w.WriteTable == w.Table || w.Keys.Kind != trial.Latest && w.Keys.Kind != trial.Exponential,
		"keys: %s reads follow inserts, which go to a table of their own", w.Keys.Kind)
	f.require(w.HitTarget == 0 || !w.Hashed, "hit target: hashed keys strew every working set over all blocks; keep rows in order (insertorder=ordered)")
	f.require(w.HitTarget == 0 || w.Keys.Kind == "" || w.Keys.Kind == trial.Uniform,
		"hit target: the working set is calibrated for uniform draws, not %s ones", w.Keys.Kind)
}

func (f *faults) mix(m trial.Mix) {
	if m == (trial.Mix{}) {
		return
	}
	sum := 0.0
	for _, part := range []struct {
		name  string
		share float64
	}{{"reads", m.Read}, {"updates", m.Update}, {"inserts", m.Insert}, {"scans", m.Scan}, {"read-modify-writes", m.ReadModifyWrite}} {
		f.require(part.share >= 0 && part.share <= 1, "share of %s: %v is outside 0…1", part.name, part.share)
		sum += part.share
	}
	f.require(math.Abs(sum-1) <= shareTolerance, "the shares of the operations add up to %.4g, not 1", sum)
}

func (f *faults) keys(d trial.Distribution) {
	switch d.Kind {
	case "", trial.Uniform, trial.Zipfian, trial.Latest, trial.Sequential:
	case trial.Hotspot:
		f.require(d.HotRows > 0 && d.HotRows <= 1, "hotspot: its share of rows, %v, is outside 0…1", d.HotRows)
		f.require(d.HotDraws >= 0 && d.HotDraws <= 1, "hotspot: its share of operations, %v, is outside 0…1", d.HotDraws)
	case trial.Exponential:
		f.require(d.Percent > 0 && d.Percent < 100, "exponential: %v %% of the operations is outside 0…100 %%", d.Percent)
		f.require(d.Within > 0 && d.Within <= 1, "exponential: %v of the rows is outside 0…1", d.Within)
	default:
		f.require(false, "keys: %q is none of uniform, zipfian, latest, hotspot, sequential, exponential", d.Kind)
	}
}

const (
	// shareTolerance forgives what rounding does to proportions such as 0.333.
	shareTolerance = 0.005
	maxBatch       = 100_000
	maxScan        = 10_000_000
)

// maxValueBytes keeps a row below HBase's own bound on a cell (10 MiB), with
// room for the key.
const maxValueBytes = 10<<20 - 1<<10
