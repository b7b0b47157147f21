package analyze

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// large is a sweep of four properties and very many trials: one-at-a-time
// levels, or every variant different.
func large(trials int, distinct bool) (trial.Sweep, []trial.Record) {
	random := rand.New(rand.NewPCG(1, 1))
	names := []string{handlers, cache, "hbase.hregion.memstore.flush.size", "hbase.hregion.max.filesize"}
	base := map[string]string{}
	s := trial.Sweep{Objective: "throughput", Constraints: []string{"p99_us<=200000"}}
	for _, name := range names {
		base[name] = "100"
		s.Parameters = append(s.Parameters, trial.Parameter{Property: name, Log: true})
	}
	s.Baseline = hbaseconf.FromMap(base)
	workloads := []trial.Workload{{Name: "mixed", HitTarget: 0.3, Threads: 16}, {Name: "mixed", HitTarget: 0.9, Threads: 16}}
	var records []trial.Record
	for k := 0; len(records) < trials; k++ {
		v := trial.Variant{ID: trial.BaselineID}
		if k%12 != 0 {
			f := k % 4
			level := 20 + 20*float64(k/4%8)
			v.Settings = hbaseconf.FromMap(map[string]string{names[f]: fmt.Sprint(level)})
			v.Factor, v.ID = names[f], fmt.Sprintf("f%d-%v", f, level)
			if distinct {
				values := map[string]string{}
				for _, name := range names {
					values[name] = fmt.Sprint(20 + random.IntN(180))
				}
				v = trial.Variant{ID: fmt.Sprintf("v%d", k), Settings: hbaseconf.FromMap(values)}
			}
		}
		restart := 0.02 * random.NormFloat64()
		for _, w := range workloads {
			x := 5000 * math.Exp(restart+0.01*random.NormFloat64())
			records = append(records, trial.Record{
				Trial: trial.Trial{
					ID: fmt.Sprintf("s%d-%v", k, w.HitTarget), Session: fmt.Sprintf("s%d", k), Phase: trial.Explore,
					Block: 1 + k/12, Order: k, Variant: v, Workload: w,
				},
				Observed: s.Baseline.Merge(v.Settings),
				Measurement: &trial.Measurement{
					Threads: 16, Throughput: x, Steady: true, Operations: int64(x * 60),
					Ops: map[string]trial.Latency{"read": {Count: 1, MeanMicros: 16e6 / x, P50Micros: 3000, P95Micros: 5000, P99Micros: 9000, MaxMicros: 90000}},
					Hit: trial.Hit{DataBlocks: w.HitTarget, Lookups: 1},
				},
			})
		}
	}
	return s, records
}

func BenchmarkTenThousandTrials(b *testing.B) {
	for _, distinct := range []bool{false, true} {
		b.Run(fmt.Sprintf("distinct=%v", distinct), func(b *testing.B) {
			s, records := large(10_000, distinct)
			b.ReportAllocs()
			for b.Loop() {
				got, err := Analyze(s, records, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
