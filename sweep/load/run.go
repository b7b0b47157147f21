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

	remote   remote // of operations that are timed elsewhere; nil otherwise
	shared   *shared
	recorder *recorder
	samples  samples
	replies  chan reply

	before *trial.State // the servers' when the load began
	told   int          // seconds reported to cfg.Second
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
	if r.before, err = AwaitQuiet(ctx, r.metrics, r.quietCap()); err != nil {
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
	want := ShapeOf(w, 1, 0)
	if r.cfg.reads() {
		if readShape, err = loadedShape(ctx, r.cluster, w.Table, want); err != nil {
			return
		}
	}
	if r.cfg.writes() {
		writeShape, err = loadedShape(ctx, r.cluster, r.cfg.writeTable(), want)
	}
	if err == nil && w.Queue && writeShape.Regions != w.Threads {
		err = &NotLoadedError{r.cfg.writeTable(), fmt.Sprintf("has %d partitions, not one for each of %d threads: make it again", writeShape.Regions, w.Threads)}
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
	r.recorder = newRecorder()
	start := time.Now()
	count, err := r.lanes(start)
	if err != nil {
		return err
	}
	r.shared = newShared(count)
	r.replies = make(chan reply, 1)
	plan := newPlan(&r.cfg, r.cluster, readShape, writeShape)
	if err := r.beforeInserts(ctx, writeShape); err != nil {
		return err
	}
	workers := make([]*worker, count)
	for i := range workers {
		shares := plan.operations(i)
		var coin *Draw
		if len(shares) > 1 {
			coin = NewDraw(^r.cfg.Seed, uint64(i), 1)
		}
		workers[i] = newWorker(r.shared, shares, coin)
		workers[i].ahead = r.remote != nil
	}
	if rate := r.cfg.Workload.Rate; rate > 0 {
		r.recorder.open = true
		r.shared.tickets = make(chan int64, waitingStarts)
	}

	r.shared.start = start
	var polling, working sync.WaitGroup
	polling.Go(func() { r.poll(ctx) })
	for _, w := range workers {
		working.Go(func() { w.run(ctx) })
	}
	if r.shared.tickets != nil {
		polling.Go(func() { r.dispatch(ctx) })
	}
	err = r.steer(ctx)
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
	if err != nil {
		return err
	}
	return r.adopt(parent)
}

// quietCap is how long the load waits for the servers to have nothing to do.
func (r *run) quietCap() time.Duration {
	if r.cfg.DebtDone {
		return quietCap
	}
	return 0
}

// beforeInserts takes back the mark that a table is as it was filled, where the
// load will add rows to it: the next one is to fill it again.
func (r *run) beforeInserts(ctx context.Context, shape Shape) error {
	if r.cfg.Workload.Shares().Insert == 0 || r.cfg.Workload.Queue {
		return nil
	}
	if err := mark(ctx, plain(r.cluster).Table(r.cfg.writeTable(), shape.normal().Columns, 0), "inserted into"); err != nil {
		return fmt.Errorf("mark table %s as changed: %w", r.cfg.writeTable(), err)
	}
	return nil
}

// cores is the number of cores that this process may use.
func cores() float64 { return float64(runtime.GOMAXPROCS(0)) }
