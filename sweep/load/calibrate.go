package load

import (
	"context"
	"fmt"
	"math"
	"time"

	"hbtune/sweep/trial"
)

const (
	// hitTolerance is how near the measured hit rate must come to the target.
	hitTolerance = 0.02
	// hitAim ends the search early; between the two the best probe is taken once
	// the probes are used up.
	hitAim = 0.01
	// maxProbes bounds the search.
	maxProbes = 8
	// restless is how many probes may pass without a steady one.
	restless = 3
	// A probe measures, once its hit rate is flat, over probeLookups reads, whose
	// hit rate has a standard error of 0.006 at most; within probeWindow and
	// probeLongest.
	probeLookups = 6000
	probeWindow  = 2 * time.Second
	probeLongest = 20 * time.Second
	// cacheFill is how full HBase keeps its cache: it makes room in steps, from
	// nearly full down to 95 %.
	cacheFill = 0.96
	// probeCap ends a probe whose hit rate does not become flat.
	probeCap = 30 * time.Second
)

// probing is the criterion of a probe: the hit rate alone matters, and it may
// settle long before the throughput does.
func probing() Criterion {
	return Criterion{Tail: 3, ThroughputDrift: math.Inf(1), HitDrift: 0.01}
}

// Calibration is a working set and how it was found.
type Calibration struct {
	Target     float64
	WorkingSet int64   // rows
	Achieved   float64 // data-block hit rate measured over it
	// CachedRows is how many rows the cache was found to hold. It is where the
	// calibration for another target of the same server may begin.
	CachedRows float64
	Probes     []Probe
}

// Probe is one measurement of a calibration.
type Probe struct {
	WorkingSet int64
	Hit        float64
	Steady     bool
}

// HitOutOfReachError says that no working set gives the hit rate wanted.
type HitOutOfReachError struct {
	Target float64
	Why    string
}

func (e *HitOutOfReachError) Error() string {
	return fmt.Sprintf("a data-block hit rate of %g is out of reach: %s", e.Target, e.Why)
}

// Calibrate finds the working set over which uniform reads hit the block cache
// at w.HitTarget, on the server as it runs now. w tells the table and the
// threads; it drives reads only, whatever its share of them. cachedRows may
// carry over CachedRows of an earlier calibration; 0 takes the server's word for
// the size of its cache. progress, if set, is told of each probe.
func Calibrate(ctx context.Context, c Cluster, m Metrics, w trial.Workload, seed uint64, cachedRows float64, progress func(Probe)) (*Calibration, error) {
	w.WriteTable, w.ReadShare, w.Mix, w.Rate, w.Batch = "", 1, trial.Mix{}, 0, 0
	search := newSearch(w.HitTarget, w.Rows, ShapeOf(w, 1, 0).rowBytes())
	if err := search.validate(); err != nil {
		return nil, err
	}
	if cachedRows <= 0 {
		reading, err := m.Read(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the block cache's size: %w", err)
		}
		if reading.CacheBytes <= 0 {
			return nil, &HitOutOfReachError{w.HitTarget, "the server has no block cache; give it a share of the heap"}
		}
		cachedRows = cacheFill * float64(reading.CacheBytes) / search.rowBytes
	}
	search.capacity, search.cached = cachedRows, cachedRows
	for len(search.probes) < maxProbes {
		w.WorkingSet = search.next()
		hit, steady, err := probe(ctx, c, m, w, seed+uint64(len(search.probes)))
		if err != nil {
			return nil, err
		}
		p := Probe{WorkingSet: w.WorkingSet, Hit: hit, Steady: steady}
		if progress != nil {
			progress(p)
		}
		finished, err := search.learn(p)
		if err != nil {
			return nil, err
		}
		if finished || len(search.probes) >= restless && !search.best().Steady {
			break
		}
	}
	return search.result()
}

// probe measures the hit rate over one working set.
func probe(ctx context.Context, c Cluster, m Metrics, w trial.Workload, seed uint64) (hit float64, steady bool, err error) {
	cfg := Config{Workload: w, Seed: seed, Duration: probeWindow, WarmupCap: probeCap}
	if err := cfg.Validate(); err != nil {
		return 0, false, err
	}
	r := &run{cfg: cfg, criterion: probing(), cluster: c, metrics: m, lookups: probeLookups, longest: probeLongest}
	result, err := r.run(ctx)
	if err != nil {
		return 0, false, fmt.Errorf("probe of %d rows: %w", w.WorkingSet, err)
	}
	if result.NotFound > 0 {
		return 0, false, &NotLoadedError{w.Table, fmt.Sprintf("lacks rows: %d of %d reads found nothing; load it again", result.NotFound, result.Operations)}
	}
	if result.Hit.Lookups == 0 {
		return 0, false, fmt.Errorf("probe of %d rows: the servers counted no lookup of a data block", w.WorkingSet)
	}
	return result.Hit.DataBlocks, result.Steady, nil
}
