package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// shape says what simulated sweep to make.
type shape struct {
	blocks, confirm int
	values          int     // values a parameter, 2 to 4, or more for big sweeps
	gain            float64 // what more handlers bring
	fail            bool    // add a variant that doesn't start
	seconds         int     // measured window
}

var usual = shape{blocks: 2, confirm: 4, values: 4, gain: 0.22, fail: true, seconds: 45}

const (
	handlers  = "hbase.regionserver.handler.count"
	flushSize = "hbase.hregion.memstore.flush.size"
	cacheSize = "hfile.block.cache.size"
	fileSize  = "hbase.hregion.max.filesize"
	memstore  = "hbase.regionserver.global.memstore.size"
)

var began = time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)

// simulated makes the journal of a sweep that could have been: the truth has a
// saturating effect of the handlers, a linear one of the cache, none of the
// two others, noise between restarts and within.
func simulated(s shape) (trial.Sweep, []trial.Record, []journal.Event) {
	g := &generator{shape: s, rng: rand.New(rand.NewPCG(1, 2)), clock: began}
	g.sweep = g.plan()
	for block := 1; block <= s.blocks; block++ {
		g.block(block)
	}
	g.confirmation()
	events := []journal.Event{
		{Time: began, Code: "phase", Message: "calibrating the working set"},
		{Time: began.Add(4 * time.Minute), Code: "phase", Message: "exploring"},
		{Time: g.clock, Code: "done", Message: "all was measured; the target is as it was"},
	}
	return g.sweep, g.records, events
}

type generator struct {
	shape
	rng     *rand.Rand
	clock   time.Time
	sweep   trial.Sweep
	records []trial.Record
	order   int
}

func (g *generator) plan() trial.Sweep {
	grow := func(values []string) []hbaseconf.Value {
		var out []hbaseconf.Value
		for _, v := range values[:min(g.values, len(values))] {
			out = append(out, hbaseconf.Value(v))
		}
		return out
	}
	handlerValues := []string{"30", "8", "64", "128"}
	for n := 10; len(handlerValues) < g.values; n += 7 {
		handlerValues = append(handlerValues, fmt.Sprint(n))
	}
	work := func(hit float64, rows int64) trial.Workload {
		return trial.Workload{
			Name: "mixed", Table: "hbtune_read", WriteTable: "hbtune_write", Rows: 400000, ValueBytes: 1000,
			ReadShare: 0.9, Threads: 16, HitTarget: hit, WorkingSet: rows,
		}
	}
	return trial.Sweep{
		ID: "sweep-20260304-0930", Created: began, Target: "local", HBaseVersion: "2.6.4-hadoop3",
		Host:      trial.Host{OS: "linux/amd64", Cores: 2, MemoryBytes: 8 << 30},
		Objective: "throughput", Constraints: []string{"p99_us<=20000"}, Equivalence: 0.03,
		Baseline: hbaseconf.FromMap(map[string]string{
			handlers: "30", flushSize: "134217728", cacheSize: "0.4", fileSize: "10737418240", memstore: "0.4",
		}),
		Parameters: []trial.Parameter{
			{Property: handlers, Values: grow(handlerValues), Log: true, Unit: "threads"},
			{Property: flushSize, Values: grow([]string{"134217728", "33554432", "67108864", "268435456"}), Log: true, Unit: "bytes"},
			{Property: cacheSize, Values: grow([]string{"0.4", "0.2", "0.3", "0.5"}), Unit: "fraction of max heap", Complement: memstore, ComplementTotal: 0.8},
			{Property: fileSize, Values: grow([]string{"10737418240", "1073741824", "5368709120", "21474836480"}), Log: true, Unit: "bytes"},
		},
		Workloads: []trial.Workload{work(0.3, 310000), work(0.9, 92000)},
		Blocks:    g.blocks, Confirm: g.confirm, Seed: 20260304,
	}
}

func (g *generator) variants() []trial.Variant {
	var out []trial.Variant
	for _, p := range g.sweep.Parameters {
		for _, v := range p.Values[1:] {
			set := hbaseconf.NewSettings(hbaseconf.Setting{Name: p.Property, Value: v})
			if p.Complement != "" {
				x, _ := v.Number()
				set = set.With(hbaseconf.Setting{Name: p.Complement, Value: hbaseconf.Value(fmt.Sprintf("%.1f", p.ComplementTotal-x))})
			}
			out = append(out, trial.Variant{ID: fmt.Sprintf("v%02d", len(out)+1), Factor: p.Property, Settings: set})
		}
	}
	if g.fail {
		out = append(out, trial.Variant{
			ID: fmt.Sprintf("v%02d", len(out)+1), Factor: cacheSize,
			Settings: hbaseconf.NewSettings(hbaseconf.Setting{Name: cacheSize, Value: "0.7"}),
		})
	}
	return out
}

func (g *generator) block(block int) {
	plan := g.variants()
	g.rng.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	base := trial.Variant{ID: trial.BaselineID, Settings: hbaseconf.Settings{}}
	plan = append(append([]trial.Variant{base}, plan...), base)
	for i, v := range plan {
		g.session(trial.Explore, block, fmt.Sprintf("b%ds%02d", block, i+1), v)
	}
}

func (g *generator) confirmation() {
	winner := trial.Variant{ID: "winner", Settings: hbaseconf.FromMap(map[string]string{handlers: "64"})}
	base := trial.Variant{ID: trial.BaselineID}
	for pair := 1; pair <= g.confirm; pair++ {
		two := []trial.Variant{base, winner}
		if pair%2 == 0 {
			two[0], two[1] = two[1], two[0]
		}
		for i, v := range two {
			g.session(trial.Confirm, g.blocks+pair, fmt.Sprintf("b%ds%02d", g.blocks+pair, i+1), v)
		}
	}
}

func (g *generator) session(phase trial.Phase, block int, id string, v trial.Variant) {
	g.order++
	restart := math.Exp(g.rng.NormFloat64() * 0.012)
	for _, w := range g.sweep.Workloads {
		r := trial.Record{
			Trial: trial.Trial{
				ID: fmt.Sprintf("%s-%s-h%.2g", id, w.Name, w.HitTarget), Session: id, Phase: phase, Block: block, Order: g.order,
				Seed: g.rng.Uint64(), Variant: v, Workload: w,
			},
			Start:    g.clock,
			Observed: g.sweep.Baseline.Merge(v.Settings),
			Receipt:  &trial.Receipt{Target: "local", StopSeconds: 2.4, StartSeconds: 13.8},
		}
		if cache, _ := v.Settings.Get(cacheSize); cache == "0.7" {
			r.Observed = hbaseconf.Settings{}
			r.Fault = &trial.Fault{
				Code: trial.FaultStart, Property: cacheSize,
				Message: "rs1 ended at start: Current heap configuration for MemStore and BlockCache exceeds the threshold required for successful cluster operation. The combined value cannot exceed 0.8.",
			}
			g.clock = g.clock.Add(9 * time.Second)
		} else {
			r.Measurement = g.measure(r, restart)
			g.clock = g.clock.Add(time.Duration(g.seconds+35) * time.Second)
		}
		r.End = g.clock
		g.records = append(g.records, r)
	}
}

func (g *generator) measure(r trial.Record, restart float64) *trial.Measurement {
	n := number(r.Observed, handlers)
	cache := number(r.Observed, cacheSize)
	w := r.Workload
	hit := math.Min(0.99, w.HitTarget*cache/0.4+g.rng.NormFloat64()*0.006)
	perOp := hit*120 + (1-hit)*260 // µs of the server's time
	tps := 1e6 / perOp * (1 + g.gain*(1-math.Exp(-(n-30)/40))) * restart * math.Exp(g.rng.NormFloat64()*0.006)
	mean := float64(w.Threads) / tps * 1e6
	tail := 4.2 + 0.006*n
	latency := func(share, scale float64) trial.Latency {
		m := mean * scale
		return trial.Latency{
			Count: int64(tps * share * float64(g.seconds)), MeanMicros: math.Round(m*10) / 10,
			P50Micros: int64(m * 0.8), P95Micros: int64(m * 2.2), P99Micros: int64(m * tail),
			P999Micros: int64(m * tail * 2.5), MaxMicros: int64(m * tail * 9),
		}
	}
	m := &trial.Measurement{
		Workload: w.Name, Driver: "native", Threads: w.Threads, Seconds: float64(g.seconds),
		Operations: int64(tps * float64(g.seconds)), Throughput: math.Round(tps*10) / 10,
		Errors: map[string]int64{},
		Ops:    map[string]trial.Latency{"read": latency(0.9, 0.97), "put": latency(0.1, 1.27)},
		Hit: trial.Hit{
			Target: w.HitTarget, DataBlocks: hit, AllBlocks: math.Min(1, hit*0.4+0.6),
			Lookups: int64(tps * 0.9 * float64(g.seconds)),
		},
		Client: trial.ClientCost{CPUShare: 0.21 + g.rng.Float64()*0.04, CPUMicrosPerOp: 11},
		Server: map[string]float64{"blockCacheDataHitCount": tps * hit, "flushQueueLength": 0},
		Steady: true, WarmupSeconds: 25, Start: r.Start.Add(25 * time.Second),
	}
	if r.Order%17 == 5 {
		m.Steady, m.Flags = false, []string{"not-steady"}
	}
	for t := range g.seconds + 25 {
		jit := 1 - 0.55*math.Exp(-float64(t)/8)
		at := trial.Second{
			T: float64(t), Throughput: math.Round(tps * jit * math.Exp(g.rng.NormFloat64()*0.03)),
			P99Micros: int64(mean * tail / jit * math.Exp(g.rng.NormFloat64()*0.08)),
			Hit:       hit * (1 - 0.3*math.Exp(-float64(t)/12)), Warmup: t < 25,
		}
		if t < 10 {
			at.Hit = -1
		}
		m.Series = append(m.Series, at)
	}
	return m
}

func number(s hbaseconf.Settings, name string) float64 {
	v, _ := s.Get(name)
	x, _ := v.Number()
	return x
}
