package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/mem"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/hbase"
	"hbtune/sweep/journal"
	"hbtune/sweep/load"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// The tables of a sweep. Reads go to one that no sweep changes; writes go to
// another, made afresh for every session.
const (
	readTable  = "hbtune_read"
	writeTable = "hbtune_write"
)

// rig is the cluster under test with all that is needed to tune it.
type rig struct {
	spec    Spec
	options Options
	cluster *local.Cluster
	target  *apply.Local
	client  *hbase.Client
	tables  load.Cluster
	metrics load.Metrics
	// gaveUp says that the target could not be restored, and why was told.
	gaveUp  bool
	clients *clients
	sides   *sides // set while trials are measured
}

// openRig brings the target up and connects to it. It locks the target but
// changes nothing of it.
func openRig(ctx context.Context, spec Spec, o Options) (*rig, error) {
	r := &rig{spec: spec, options: o}
	if err := r.open(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *rig) open(ctx context.Context) (err error) {
	spec, o := r.spec, r.options
	o.Events.Stage(fmt.Sprintf("HBase %s on this machine: install, start, wait until it serves", spec.Target.Version))
	r.cluster, err = local.Up(ctx, local.Config{
		Home: o.Home, Version: spec.Target.Version, RegionServers: spec.Target.RegionServers,
		HeapMB: int(spec.Target.Heap >> 20), Storage: spec.Target.Storage,
	}, io.Discard)
	if err != nil {
		return fmt.Errorf("bring up the local HBase: %w", err)
	}
	if r.target, err = newTarget(r.cluster, spec, o); err != nil {
		return err
	}
	if err := r.target.Lock(); err != nil {
		return err
	}
	// What the target runs with is the baseline only if it is its own.
	if err := r.target.Free(); err != nil {
		return err
	}
	if r.client, err = hbase.Dial(ctx, hbase.Config{Quorum: r.cluster.ZooKeeper()}); err != nil {
		return fmt.Errorf("connect to the local HBase: %w", err)
	}
	r.tables, r.metrics = load.OpenHBase(r.client, r.infoURLs())
	r.clients = &clients{
		dir: o.Dir, quorum: r.cluster.ZooKeeper(), plain: r.tables,
		swept: slices.ContainsFunc(spec.observed(), func(name string) bool {
			p, _ := o.Catalogue.Lookup(name)
			return p.In(hbaseconf.Client)
		}),
	}
	r.clients.program, err = r.compileJava(ctx)
	return err
}

func newTarget(cluster *local.Cluster, spec Spec, o Options) (*apply.Local, error) {
	return apply.NewLocal(cluster, o.Dir, o.Catalogue, apply.Options{
		Observe: spec.observedOf(o.Catalogue, false), Force: o.Force, Unchecked: spec.Target.Unchecked, Undo: "hbtune sweep restore " + o.Dir,
	})
}

// observed names every property that the sweep moves.
func (s Spec) observed() []string {
	var names []string
	for _, p := range s.Parameters {
		names = append(names, p.Property)
		if p.Complement != "" {
			names = append(names, p.Complement)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// observedOf names those that only clients read, or all others.
func (s Spec) observedOf(catalogue *hbaseconf.Catalogue, clients bool) []string {
	return slices.DeleteFunc(s.observed(), func(name string) bool { return clientOnly(catalogue, name) != clients })
}

func (r *rig) infoURLs() []string {
	var urls []string
	for _, n := range r.cluster.RegionServers() {
		urls = append(urls, n.InfoURL)
	}
	return urls
}

func (r *rig) close() {
	if r.clients != nil {
		r.clients.close()
	}
	if r.client != nil {
		r.client.Close()
	}
	if r.target != nil {
		_ = r.target.Close() // only gives the lock back
	}
}

// start begins a new sweep's journal: it loads the table, takes the baseline
// from the running servers and calibrates the working sets on it.
func (r *rig) start(ctx context.Context, now time.Time) (*journal.Journal, *journal.Content, error) {
	s, err := r.spec.sweep(r.options.Catalogue)
	if err != nil {
		return nil, nil, err
	}
	s.ID, s.Created, s.Host = now.UTC().Format("20060102-150405"), now.UTC(), host()
	if err := r.fill(ctx); err != nil {
		return nil, nil, err
	}
	if s.Baseline, err = r.target.Effective(ctx, r.spec.observedOf(r.options.Catalogue, false)); err != nil {
		return nil, nil, fmt.Errorf("read the baseline from the running servers: %w", err)
	}
	// Clients have the defaults: nobody else's file is read.
	for _, name := range r.spec.observedOf(r.options.Catalogue, true) {
		p, _ := r.options.Catalogue.Lookup(name)
		value, _ := p.DefaultIn(r.spec.Target.Version)
		s.Baseline = s.Baseline.With(hbaseconf.Setting{Name: name, Value: value})
	}
	for i, p := range s.Parameters {
		if value, ok := s.Baseline.Get(p.Property); ok && !slices.ContainsFunc(p.Values, func(v hbaseconf.Value) bool { return sameValue(v, value) }) {
			s.Parameters[i].Values = append(p.Values, value)
			slices.SortFunc(s.Parameters[i].Values, compareValues)
		}
	}
	events, err := r.calibrate(ctx, &s)
	if err != nil {
		return nil, nil, err
	}
	j, err := journal.Create(r.options.Dir, s)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range events {
		if err := j.AppendEvent(e); err != nil {
			return nil, nil, errors.Join(err, j.Close())
		}
	}
	return j, &journal.Content{Sweep: s, Events: events}, nil
}

// fill makes sure that the tables that are read hold their rows.
func (r *rig) fill(ctx context.Context) error {
	filled := map[string]bool{}
	for _, p := range r.spec.placed() {
		if !reads(p.Workload) || filled[p.Table] {
			continue
		}
		filled[p.Table] = true
		r.options.Events.Stage(fmt.Sprintf("table %s: %v in %d regions", p.Table, p.shape, p.shape.Regions))
		if _, err := load.Fill(ctx, r.tables, p.Table, p.shape, load.FillOptions{}); err != nil {
			return r.explain(ctx, err)
		}
	}
	return nil
}

// calibrate fixes, on the baseline as it runs, the working set of every
// workload with a hit level; it then holds for all variants.
func (r *rig) calibrate(ctx context.Context, s *trial.Sweep) ([]journal.Event, error) {
	var events []journal.Event
	type level struct {
		table string
		hit   float64
	}
	found := map[level]*load.Calibration{}
	cachedRows := map[string]float64{} // by table, as rows differ in size
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if w.HitTarget == 0 {
			continue
		}
		at := level{w.Table, w.HitTarget}
		c := found[at]
		if c == nil {
			r.options.Events.Stage(fmt.Sprintf("calibrate the working set for a data-block hit rate of %.2g", w.HitTarget))
			var err error
			if c, err = load.Calibrate(ctx, r.tables, r.metrics, *w, s.Seed, cachedRows[w.Table], nil); err != nil {
				return nil, fmt.Errorf("calibrate workload %s: %w", w.Name, r.explain(ctx, err))
			}
			found[at], cachedRows[w.Table] = c, c.CachedRows
			events = append(events, journal.Event{Time: time.Now().UTC(), Code: "calibrated", Message: fmt.Sprintf(
				"on the baseline reads over %d of %d rows hit the block cache for %.3f of the data blocks (wanted %.2g, %d probes)",
				c.WorkingSet, w.Rows, c.Achieved, w.HitTarget, len(c.Probes))})
		}
		w.WorkingSet = c.WorkingSet
	}
	return events, nil
}

// Begin makes the tables for writes afresh, and loads again those that an earlier
// session's inserts went into.
func (r *rig) Begin(ctx context.Context) error {
	fresh := map[string]bool{}
	for _, p := range r.spec.placed() {
		table := p.WriteTable
		switch {
		case grows(p.Workload):
			if _, err := load.Fill(ctx, r.tables, p.Table, p.shape, load.FillOptions{}); err != nil {
				return err
			}
			continue
		case p.Queue:
			table = p.Table
		}
		if table == "" || fresh[table] {
			continue
		}
		fresh[table] = true
		if err := load.ResetWriteTable(ctx, r.tables, table, p.shape); err != nil {
			return err
		}
	}
	return nil
}

// Measure drives one trial.
func (r *rig) Measure(ctx context.Context, t trial.Trial, warm bool) (*trial.Measurement, error) {
	cap := r.spec.Measure.WarmupCap
	if warm {
		cap = r.spec.Measure.SettleCap
	}
	driver, err := r.clients.of(ctx, t.Workload.Driver)
	if err != nil {
		return nil, err
	}
	m, err := load.Run(ctx, driver, r.metrics, load.Config{
		Workload: t.Workload, Seed: t.Seed, Duration: r.spec.Measure.Window, Following: warm, WarmupCap: cap,
		Verify: r.spec.verifies(t.Workload.Name),
	})
	if err != nil {
		r.sides.doubt()
	}
	return m, r.explain(ctx, err)
}

// explain says of a load that failed which server ended under it and why, by
// that server's own log; otherwise the error stays as it is.
func (r *rig) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	look, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var ended *local.StartError
	if errors.As(r.cluster.WaitServing(look), &ended) {
		return fmt.Errorf("%s ended under the load: %s (log: %s)", ended.Daemon, ended.Reason, ended.LogFile)
	}
	return err
}

func host() trial.Host {
	h := trial.Host{OS: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU()}
	if m, err := mem.VirtualMemory(); err == nil {
		h.MemoryBytes = int64(m.Total)
	}
	return h
}
