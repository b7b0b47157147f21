package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Names of the properties that simulated sweeps move.
const (
	handlers = "hbase.regionserver.handler.count"
	cache    = "hfile.block.cache.size"
	memstore = "hbase.regionserver.global.memstore.size"
)

// simulation is a cluster whose laws are known.
type simulation struct {
	seed    uint64
	noise   float64 // between restarts, of the log
	window  float64 // within a restart
	drift   float64 // log per session
	blocks  float64 // between blocks
	effect  func(property string, x float64) float64
	random  *rand.Rand
	order   int
	records []trial.Record
}

func (m *simulation) sweep() trial.Sweep {
	base := hbaseconf.FromMap(map[string]string{handlers: "30", cache: "0.4"})
	return trial.Sweep{
		ID: "sim", Target: "local", Objective: "throughput", Equivalence: 0.03, Baseline: base,
		Parameters: []trial.Parameter{
			{Property: handlers, Values: []hbaseconf.Value{"10", "30", "60", "100"}, Log: true, Unit: "threads"},
			{Property: cache, Values: []hbaseconf.Value{"0.2", "0.4", "0.6"}, Unit: "fraction of max heap", Complement: memstore, ComplementTotal: 0.8},
		},
		Workloads: []trial.Workload{
			{Name: "mixed", Threads: 16, HitTarget: 0.3, ReadShare: 0.5, Rows: 1000},
			{Name: "mixed", Threads: 16, HitTarget: 0.9, ReadShare: 0.5, Rows: 1000},
		},
		Seed: m.seed,
	}
}

// session measures one variant at both hit levels on one start of the server.
func (m *simulation) session(phase trial.Phase, block int, blockShift float64, v trial.Variant) {
	if m.random == nil {
		m.random = source(m.seed, 1)
	}
	m.order++
	s := m.sweep()
	observed := s.Baseline.Merge(v.Settings)
	restart := m.noise*m.random.NormFloat64() + m.drift*float64(m.order) + blockShift
	for i, w := range s.Workloads {
		y := math.Log([]float64{4000, 9000}[i]) + restart + m.window*m.random.NormFloat64()
		for name, value := range observed.All() {
			if x, ok := value.Number(); ok && m.effect != nil {
				y += m.effect(name, x)
			}
		}
		session := fmt.Sprintf("%s%ds%02d", phase[:1], block, m.order)
		x := math.Exp(y)
		meanMicros := 16e6 / x
		m.records = append(m.records, trial.Record{
			Trial: trial.Trial{
				ID: session + "h" + strconv.FormatFloat(w.HitTarget, 'g', -1, 64), Session: session, Phase: phase,
				Block: block, Order: m.order, Variant: v, Workload: w,
			},
			Start: time.Unix(0, 0).UTC(), End: time.Unix(60, 0).UTC(), Observed: observed,
			Measurement: &trial.Measurement{
				Workload: w.Name, Driver: "native", Threads: 16, Seconds: 30,
				Operations: int64(x * 30), Throughput: x, Steady: true,
				Ops: map[string]trial.Latency{"read": {
					Count: int64(x * 30), MeanMicros: meanMicros, P50Micros: int64(meanMicros * 0.8),
					P95Micros: int64(meanMicros * 2), P99Micros: int64(meanMicros * 3),
					P999Micros: int64(meanMicros * 5), MaxMicros: int64(meanMicros * 20),
				}},
				Hit: trial.Hit{Target: w.HitTarget, DataBlocks: w.HitTarget + 0.01*m.random.NormFloat64()*0.5, Lookups: 10000},
			},
		})
	}
}

func baselineVariant() trial.Variant { return trial.Variant{ID: trial.BaselineID} }

func handlerVariant(n string) trial.Variant {
	return trial.Variant{ID: "h" + n, Factor: handlers, Settings: hbaseconf.FromMap(map[string]string{handlers: n})}
}

func cacheVariant(x, mem string) trial.Variant {
	return trial.Variant{ID: "c" + x, Factor: cache, Settings: hbaseconf.FromMap(map[string]string{cache: x, memstore: mem})}
}

// explore runs full randomized blocks, two sentinels each.
func (m *simulation) explore(blocks int) {
	if m.random == nil {
		m.random = source(m.seed, 1)
	}
	for b := 1; b <= blocks; b++ {
		variants := []trial.Variant{
			handlerVariant("10"), handlerVariant("60"), handlerVariant("100"),
			cacheVariant("0.2", "0.6"), cacheVariant("0.6", "0.2"),
		}
		m.random.Shuffle(len(variants), func(i, j int) { variants[i], variants[j] = variants[j], variants[i] })
		shift := m.blocks * m.random.NormFloat64()
		m.session(trial.Explore, b, shift, baselineVariant())
		for _, v := range variants {
			m.session(trial.Explore, b, shift, v)
		}
		m.session(trial.Explore, b, shift, baselineVariant())
	}
}

// confirm measures pairs on fresh restarts, alternating which comes first.
func (m *simulation) confirm(pairs int, winner trial.Variant) {
	for p := range pairs {
		order := []trial.Variant{baselineVariant(), winner}
		if p%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		for _, v := range order {
			m.session(trial.Confirm, 100+p, 0, v)
		}
	}
}
