package load

import (
	"context"
	"fmt"

	"hbtune/sweep/trial"
)

// CacheState says what is done about the block cache before a load.
type CacheState string

// Cache states. The empty one is KeepCache.
const (
	KeepCache  CacheState = "keep"
	ClearCache CacheState = "clear"
	WarmCache  CacheState = "warm" // the working set is read once
)

// Job is a load from an empty cluster to the measurement: what Fill,
// ResetWriteTable, Calibrate and Run do, in that order.
type Job struct {
	Config Config
	Shape  Shape
	// OwnWrites says that puts go to Config.Workload.WriteTable, made afresh.
	OwnWrites bool
	Cache     CacheState
	// Filling hears how the loading goes on, Tell of everything else, a line each.
	Filling func(done, total int64)
	Tell    func(line string)
}

// Run makes the tables what the workload assumes, and measures.
func (j *Job) Run(ctx context.Context, c Cluster, m Metrics) (*trial.Measurement, error) {
	w := &j.Config.Workload
	if w.Queue {
		if err := ResetWriteTable(ctx, c, j.Config.writeTable(), j.Shape); err != nil {
			return nil, err
		}
		return Run(ctx, c, m, j.Config)
	}
	if j.Config.reads() || !j.OwnWrites {
		filled, err := Fill(ctx, c, w.Table, j.Shape, FillOptions{Progress: j.Filling})
		if err != nil {
			return nil, err
		}
		if filled.Reused {
			j.Tell(fmt.Sprintf("table %s holds %d rows already", w.Table, filled.Rows))
		} else {
			j.Tell(fmt.Sprintf("loaded %d rows in %.1f s, settled in %.1f s", filled.Rows, filled.Loading.Seconds(), filled.Settled.Seconds()))
		}
	}
	if j.OwnWrites && j.Config.writes() {
		if err := ResetWriteTable(ctx, c, j.Config.writeTable(), j.Shape); err != nil {
			return nil, err
		}
	}
	if w.HitTarget > 0 && w.WorkingSet == 0 {
		found, err := Calibrate(ctx, c, m, *w, j.Config.Seed, 0, func(p Probe) {
			j.Tell(fmt.Sprintf("hit rate %.3f over %d rows", p.Hit, p.WorkingSet))
		})
		if err != nil {
			return nil, err
		}
		w.WorkingSet = found.WorkingSet
		j.Tell(fmt.Sprintf("calibrated: --working-set %d reads from the same rows again", found.WorkingSet))
	}
	if err := j.prepareCache(ctx, c); err != nil {
		return nil, err
	}
	return Run(ctx, c, m, j.Config)
}

func (j *Job) prepareCache(ctx context.Context, c Cluster) error {
	w := j.Config.Workload
	switch j.Cache {
	case ClearCache:
		if err := c.ClearCache(ctx, w.Table); err != nil {
			return fmt.Errorf("clear the block cache of %s: %w", w.Table, err)
		}
	case WarmCache:
		rows, err := Warm(ctx, c, w)
		if err != nil {
			return err
		}
		j.Tell(fmt.Sprintf("read %d rows to warm the block cache", rows))
	}
	return nil
}
