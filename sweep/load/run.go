package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"hbtune/sweep/trial"
)

const (
	// pollEvery is how often the servers' counters are read.
	pollEvery = time.Second
	// lookAfter is how long after a second's end its count is looked at: by then
	// every worker but one that hangs has reported.
	lookAfter = 150 * time.Millisecond
	// spanGrace is how long a load goes on after its window, waiting for the
	// counters to step once more: a little over their usual refresh of 10 s.
	spanGrace = 12 * time.Second
	// silentAfter is how long the servers may leave the question for their metrics
	// unanswered: longer than the gaps that HBase leaves after regions opened.
	silentAfter = 15 * time.Second
	// stopGrace is how long calls may go on once the load is stopped.
	stopGrace = time.Second
	// deadAfter is the number of seconds without one success after which a load
	// is given up: longer than a RegionServer pauses to collect garbage.
	deadAfter = 30
)

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

	shared   *shared
	recorder *recorder
	samples  samples
	replies  chan reply

	told   int // seconds reported to cfg.Second
	steady bool
	// What this process had used at the window's ends.
	cpuFrom, cpuTo cpuMark
}

// lastSample is when the metrics were last read, or the load's start.
func (r *run) lastSample() time.Time {
	if n := len(r.samples); n > 0 {
		return r.samples[n-1].At
	}
	return r.shared.start
}

// reply is what came of reading the metrics once.
type reply struct {
	sample
	err error
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

// poll reads the servers' counters every second.
func (r *run) poll(ctx context.Context) {
	defer close(r.replies)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		reading, err := r.read(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case r.replies <- reply{sample{time.Since(r.shared.start).Seconds(), reading}, err}:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *run) read(ctx context.Context) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, silentAfter)
	defer cancel()
	return r.metrics.Read(ctx)
}

// steer receives batches and readings, decides when the warm-up is over and
// when enough has been seen.
func (r *run) steer(ctx context.Context) error {
	wake := time.NewTimer(time.Second + lookAfter)
	defer wake.Stop()
	for {
		select {
		case b := <-r.shared.full:
			r.take(b)
		case a := <-r.replies:
			if err := r.sample(a); err != nil {
				return err
			}
		case <-wake.C:
			finished, err := r.look(time.Since(r.shared.start))
			if finished || err != nil {
				return err
			}
			wake.Reset(r.nextLook(time.Since(r.shared.start)))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *run) take(b *batch) {
	r.recorder.take(b)
	r.shared.empty <- b
}

// sample keeps a reading. A failure to get one is normal for a moment after
// tables were made; it counts only if it lasts.
func (r *run) sample(a reply) error {
	if a.err != nil {
		if time.Since(r.lastSample()) >= silentAfter {
			return fmt.Errorf("the servers' metrics could not be read for %v: %w", silentAfter, a.err)
		}
		return nil
	}
	if n := len(r.samples); n > 0 && r.samples[n-1].Start != a.Start {
		return errors.New("a RegionServer was restarted during the load: its counters began anew, so nothing can be measured")
	}
	r.samples = append(r.samples, a.sample)
	return nil
}

// look is called shortly after each second's end, and at both ends of the
// measured window.
func (r *run) look(now time.Duration) (finished bool, err error) {
	if r.cpuFrom.at == 0 && int64(now) >= r.recorder.from {
		r.cpuFrom = cpuMark{now, processCPU()}
	}
	if r.cpuTo.at == 0 && int64(now) >= r.recorder.to {
		r.cpuTo = cpuMark{now, processCPU()}
	}
	complete := int((now - lookAfter) / time.Second)
	r.tell(complete)
	if err := r.dead(complete); err != nil {
		return false, err
	}
	if r.recorder.from == maxTime {
		return false, r.decide(complete, now)
	}
	if int64(now) < r.recorder.to {
		return false, nil
	}
	from, to := r.window()
	_, _, known := r.samples.span(from, to, pollEvery.Seconds())
	return known || now.Seconds() > to+spanGrace.Seconds(), nil
}

// window in seconds since the load began.
func (r *run) window() (from, to float64) {
	return time.Duration(r.recorder.from).Seconds(), time.Duration(r.recorder.to).Seconds()
}

// decide ends the warm-up where it is over. The window begins with the next
// whole second: ahead of time, so that no event of it has been counted yet.
func (r *run) decide(complete int, now time.Duration) error {
	if complete < int(r.cfg.WarmupMin/time.Second) {
		return nil
	}
	if n := len(r.samples); n > 0 && r.cfg.reads() {
		r.criterion.Turnover = r.samples[n-1].CacheBlocks
	}
	_, r.steady = r.criterion.Steady(r.windows(complete))
	if !r.steady && now < r.cfg.warmupCap() {
		return nil
	}
	from := now.Truncate(time.Second) + time.Second
	r.recorder.from, r.recorder.to = int64(from), int64(from+r.cfg.Duration)
	return nil
}

// nextLook is how long to wait: until shortly after the second's end, or until
// the window's begin or end if that is sooner.
func (r *run) nextLook(now time.Duration) time.Duration {
	next := (now - lookAfter).Truncate(time.Second) + time.Second + lookAfter
	for _, edge := range []int64{r.recorder.from, r.recorder.to} {
		if e := time.Duration(edge); e > now && e < next {
			next = e
		}
	}
	return next - now
}

// windows are the first n seconds as the criterion sees them.
func (r *run) windows(n int) []Window {
	hits, misses := r.samples.hitSeries(n)
	series := make([]Window, n)
	for k := range series {
		series[k] = Window{Throughput: float64(r.recorder.second(k).operations), Hit: -1}
		if r.cfg.reads() {
			series[k].Hit, series[k].Misses = hits[k], misses[k]
		}
	}
	return series
}

// dead ends a load in which nothing succeeds.
func (r *run) dead(complete int) error {
	if complete < deadAfter {
		return nil
	}
	for k := complete - deadAfter; k < complete; k++ {
		if r.recorder.second(k).operations > 0 {
			return nil
		}
	}
	if err := r.shared.last(); err != nil {
		return fmt.Errorf("no operation succeeded in %d s: %w", deadAfter, err)
	}
	return fmt.Errorf("no operation ended in %d s: the servers hang", deadAfter)
}

// tell reports the seconds that ended.
func (r *run) tell(complete int) {
	if r.cfg.Second == nil || complete <= r.told {
		return
	}
	series := r.series(complete)
	for ; r.told < complete; r.told++ {
		r.cfg.Second(series[r.told])
	}
}

// series is the record of the first n seconds.
func (r *run) series(n int) []trial.Second {
	hits, _ := r.samples.hitSeries(n)
	out := make([]trial.Second, n)
	last := -1.0
	for k := range out {
		if hits[k] >= 0 {
			last = hits[k]
		}
		s := r.recorder.second(k)
		out[k] = trial.Second{
			T:          float64(k),
			Throughput: float64(s.operations),
			P99Micros:  s.p99Now(),
			Hit:        last,
			Warmup:     int64(k)*int64(time.Second) < r.recorder.from,
		}
	}
	return out
}

// cores is the number of cores that this process may use.
func cores() float64 { return float64(runtime.GOMAXPROCS(0)) }
