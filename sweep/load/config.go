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
	// Second, if set, is told of each second as it ends. It is called from the
	// load's own goroutine and must return at once.
	Second func(trial.Second)
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

func (c *Config) reads() bool  { return c.Workload.ReadShare > 0 }
func (c *Config) writes() bool { return c.Workload.ReadShare < 1 }

// Validate lists every fault of the configuration, a line each.
func (c *Config) Validate() error {
	var faults []error
	fault := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	w := c.Workload
	fault(w.Table != "", "the workload names no table")
	fault(w.Rows > 0 && w.Rows <= maxRows, "rows: %d is outside 1…%d", w.Rows, maxRows)
	fault(w.ValueBytes > 0 && w.ValueBytes <= maxValueBytes, "value bytes: %d is outside 1…%d", w.ValueBytes, maxValueBytes)
	fault(w.ReadShare >= 0 && w.ReadShare <= 1, "read share: %v is outside 0…1", w.ReadShare)
	fault(w.Threads > 0 && w.Threads <= MaxThreads, "threads: %d is outside 1…%d", w.Threads, MaxThreads)
	fault(w.HitTarget >= 0 && w.HitTarget < 1 && !math.IsNaN(w.HitTarget), "hit target: %v is outside 0…1", w.HitTarget)
	fault(w.WorkingSet >= 0 && w.WorkingSet <= w.Rows, "working set: %d is outside 1…%d, the rows of the table", w.WorkingSet, w.Rows)
	fault(c.Duration > 0, "duration: %v is not positive", c.Duration)
	fault(c.WarmupMin <= c.warmupCap(), "warm-up: its least length %v is over its cap %v", c.WarmupMin, c.warmupCap())
	return errors.Join(faults...)
}

// maxValueBytes keeps a row below HBase's own bound on a cell (10 MiB), with
// room for the key.
const maxValueBytes = 10<<20 - 1<<10
