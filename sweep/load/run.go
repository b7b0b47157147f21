package load

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"hbtune/sweep/trial"
)

// stopGrace is how long calls may go on once the load is stopped.
const stopGrace = time.Second

// Run drives the workload in a closed loop until it is steady, and measures a
// window after that. The tables must have been made by Fill and ResetWriteTable.
func Run(ctx context.Context, c Cluster, m Metrics, cfg Config) (*trial.Measurement, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &run{cfg: cfg, criterion: cfg.criterion(), cluster: c, metrics: m}
	return r.run(ctx)
}

// run is one load under way. Its goroutine alone, which is the caller's, reads
// and writes the fields; workers and the metrics' reader talk to it over channels.
type run struct {
	cfg       Config
	criterion Criterion
	cluster   Cluster
	metrics   Metrics
	// lookups, if set, makes the window long enough for about that many reads, up
	// to longest.
	lookups float64
	longest time.Duration

	shared   *shared
	recorder *recorder
	samples  samples
	replies  chan reply

	told   int // seconds reported to cfg.Second
	steady bool
	// What this process had used at the window's ends.
	cpuFrom, cpuTo cpuMark
}

// cpuMark is the processor time used up to a moment; the zero value is none.
type cpuMark struct{ at, used time.Duration }

func (r *run) run(ctx context.Context) (*trial.Measurement, error) {
	readShape, writeShape, err := r.shapes(ctx)
	if err != nil {
		return nil, err
	}
	before, err := r.regions(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.drive(ctx, readShape, writeShape); err != nil {
		return nil, err
	}
	after, err := r.regions(ctx)
	if err != nil {
		return nil, err
	}
	return r.measurement(before != after)
}

// shapes checks that the tables are hbtune's own and hold what the workload
// assumes. For a load that only writes, the write table's shape counts.
func (r *run) shapes(ctx context.Context) (readShape, writeShape Shape, err error) {
	w := r.cfg.Workload
	if r.cfg.reads() {
		if readShape, err = loadedShape(ctx, r.cluster, w.Table, w.Rows, w.ValueBytes); err != nil {
			return
		}
	}
	if r.cfg.writes() {
		writeShape, err = loadedShape(ctx, r.cluster, r.cfg.writeTable(), w.Rows, w.ValueBytes)
	}
	return
}

// regions is a fingerprint of the tables' regions.
func (r *run) regions(ctx context.Context) (string, error) {
	var all string
	for _, table := range []string{r.cfg.Workload.Table, r.cfg.writeTable()} {
		if table == r.cfg.Workload.Table && !r.cfg.reads() && table != r.cfg.writeTable() {
			continue // named, but not used
		}
		names, err := r.cluster.Regions(ctx, table)
		if err != nil {
			return "", fmt.Errorf("list the regions of %s: %w", table, err)
		}
		all += fmt.Sprintf("%q", names)
	}
	return all, nil
}

// drive starts everything, steers until the window is measured, and stops
// everything.
func (r *run) drive(parent context.Context, readShape, writeShape Shape) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	threads := r.cfg.Workload.Threads
	r.recorder = newRecorder(len(kindNames))
	r.shared = newShared(threads)
	r.replies = make(chan reply, 1)
	workers := make([]*worker, threads)
	for i := range workers {
		shares := r.cfg.mix(r.cluster, i, readShape, writeShape)
		var coin *Draw
		if len(shares) > 1 {
			coin = NewDraw(^r.cfg.Seed, uint64(i), 1)
		}
		workers[i] = newWorker(r.shared, shares, coin)
	}

	r.shared.start = time.Now()
	var polling, working sync.WaitGroup
	polling.Go(func() { r.poll(ctx) })
	for _, w := range workers {
		working.Go(func() { w.run(ctx) })
	}
	err := r.steer(ctx)
	r.shared.stop.Store(true)
	// Calls under way need not end well: nothing that ends now is counted.
	if err == nil {
		defer time.AfterFunc(stopGrace, cancel).Stop()
	} else {
		cancel()
	}
	go func() {
		working.Wait()
		close(r.shared.full)
	}()
	for b := range r.shared.full {
		r.take(b)
	}
	cancel()
	for range r.replies { // until the reader has gone
	}
	polling.Wait()
	return err
}

// cores is the number of cores that this process may use.
func cores() float64 { return float64(runtime.GOMAXPROCS(0)) }
