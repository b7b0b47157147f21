package load

import "hbtune/sweep/trial"

// share gives an operation its part of the mix: it is the one whose range of
// 64-bit draws a draw falls into, the last taking what is left.
type share struct {
	kind  uint8
	below uint64
	op    operation
	timed timed
}

// timed is a Table that knows better than its caller how long calls take.
type timed interface {
	// Begin says what the next call is for, and when it should have started in
	// nanoseconds since the load began; a negative time stands for when whoever
	// does it has done the last one.
	Begin(kind uint8, intended int64)
	// Took is when the last call ended, since the load began, how long after its
	// intended start that is, and how long it took; ok is false where no answer
	// came.
	Took() (ended, response, service int64, ok bool)
}

// plan is what the workers of one load are made from.
type plan struct {
	cfg         *Config
	cluster     Cluster
	read, write Shape
	common      *common
	queue       *queue
}

func newPlan(cfg *Config, cluster Cluster, read, write Shape) *plan {
	p := &plan{cfg: cfg, cluster: cluster, read: read, write: write, common: new(common)}
	p.common.inserts.begin(cfg.Workload.Rows, cfg.Workload.Batch)
	if cfg.Workload.Queue {
		p.queue = newQueue(cfg.Workload.Threads)
	}
	return p
}

// workers is how many there are.
func (c *Config) workers() int {
	if c.Workload.Queue {
		return c.Workload.Threads + c.Workload.Followers
	}
	return c.Workload.Threads
}

// operations builds a worker's share of the mix: reads over the working set of
// one table, puts over all rows of the other.
func (p *plan) operations(worker int) []share {
	if p.queue != nil {
		return []share{p.queueOperation(worker)}
	}
	w := p.cfg.Workload
	mix := w.Shares()
	var shares []share
	sum := 0.0
	add := func(part float64, kind uint8, make func() operation) {
		if part > 0 {
			sum += part
			op := make()
			shares = append(shares, share{kind, threshold(sum), op, timedBy(op)})
		}
	}
	batch := max(w.Batch, 1)
	add(mix.Read, kindRead, func() operation {
		if batch > 1 {
			return newReadAll(p.source(worker), batch)
		}
		return &read{source: p.source(worker)}
	})
	add(mix.Scan, kindScan, func() operation { return p.scan(worker) })
	add(mix.Update, kindPut, func() operation { return &put{p.sink(worker, batch), p.putRows(worker)} })
	add(mix.Insert, kindInsert, func() operation {
		return &insert{sink: p.sink(worker, batch), inserts: &p.common.inserts, all: Columns{0, p.write.normal().Columns}}
	})
	add(mix.ReadModifyWrite, kindReadModifyWrite, func() operation {
		return &readModifyWrite{from: read{source: p.source(worker)}, to: p.sink(worker, 1)}
	})
	return shares
}

func (p *plan) source(worker int) source {
	w := p.cfg.Workload
	columns := p.read.normal().Columns
	return source{
		table:   p.cluster.Table(w.Table, columns, worker),
		rows:    newChooser(w.Keys, p.cfg.Seed, 2*uint64(worker), p.cfg.workingSet(), p.common),
		keys:    p.read.keys(),
		values:  p.read.values(),
		columns: newColumnDraw(columns, w.ReadColumns, mix(p.cfg.Seed), 2*uint64(worker)),
		verify:  p.cfg.Verify,
	}
}

func (p *plan) sink(worker, batch int) sink {
	w := p.cfg.Workload
	columns := p.write.normal().Columns
	return newSink(p.cluster.Table(p.cfg.writeTable(), columns, worker), p.write,
		newColumnDraw(columns, w.WriteColumns, mix(p.cfg.Seed), 2*uint64(worker)+1), batch)
}

// putRows draws the rows of puts: where they go to the table that is read, those
// that reads are drawn from.
func (p *plan) putRows(worker int) chooser {
	rows := p.cfg.Workload.Rows
	if p.cfg.writeTable() == p.cfg.Workload.Table {
		rows = p.cfg.workingSet()
	}
	return newChooser(p.cfg.Workload.Keys, p.cfg.Seed, 2*uint64(worker)+1, rows, p.common)
}

func (p *plan) scan(worker int) operation {
	w := p.cfg.Workload
	least := int64(max(w.Scan.Min, 1))
	s := &scan{source: p.source(worker), least: least, loaded: w.Rows}
	span := int64(max(w.Scan.Max, w.Scan.Min, 1)) - least + 1
	s.lengths = newLengths(w.Scan.Distribution, mix(p.cfg.Seed+1), uint64(worker), span)
	if w.Shares().Insert > 0 && p.cfg.writeTable() == w.Table {
		s.inserts = &p.common.inserts
	}
	s.each = s.see
	return s
}

func (p *plan) queueOperation(worker int) share {
	w := p.cfg.Workload
	batch := max(w.Batch, 1)
	if worker < w.Threads {
		all := Columns{0, p.write.normal().Columns}
		a := &appendBatch{sink: p.sink(worker, batch), queue: p.queue, partition: worker, all: all}
		return share{kindAppend, threshold(1), a, timedBy(a)}
	}
	columns := p.write.normal().Columns
	f := &follow{queue: p.queue, partition: (worker - w.Threads) % w.Threads, batch: int64(batch), source: source{
		table: p.cluster.Table(p.cfg.writeTable(), columns, worker), keys: p.write.keys(), values: p.write.values(),
		columns: newColumnDraw(columns, 0, 0, 0), verify: p.cfg.Verify,
	}}
	f.each = f.see
	return share{kindFollow, threshold(1), f, timedBy(f)}
}

// timedBy is the table of an operation that makes one call of it, if the table
// times calls by itself.
func timedBy(op operation) timed {
	single, ok := op.(interface{ handle() Table })
	if !ok {
		return nil
	}
	t, _ := single.handle().(timed)
	return t
}

func (s *source) handle() Table { return s.table }
func (s *sink) handle() Table   { return s.table }

// newLengths draws lengths of scans from 0 on.
func newLengths(kind string, seed, worker uint64, span int64) chooser {
	draw := NewDraw(seed, worker, span)
	if kind == trial.Zipfian {
		return &ranked{*draw, newZipf(span)}
	}
	return draw
}

// ranked draws ranks by Zipf's law: low numbers often.
type ranked struct {
	Draw
	law zipf
}

func (r *ranked) Row() int64 { return r.law.rank(r.unit()) }

// threshold turns a probability into a bound on 64-bit draws.
func threshold(p float64) uint64 {
	if p >= 1-1e-12 {
		return ^uint64(0)
	}
	return uint64(p * (1 << 63) * 2)
}

// workloadName is how results call the workload if it has no name.
func workloadName(w trial.Workload) string {
	mix := w.Shares()
	switch {
	case w.Name != "":
		return w.Name
	case w.Queue:
		return "log"
	case mix.Read >= 1:
		return "get"
	case mix.Update >= 1:
		return "put"
	default:
		return "mixed"
	}
}
