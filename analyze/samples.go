package analyze

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Sample is one measurement, a trial's or an imported row.
type Sample struct {
	ID      string // trial ID, or "row 7"
	File    string // imported from
	Row     int    // line in File, header included; 0 for trials
	Session string // measured on the same start of the server
	Phase   trial.Phase
	Block   int
	Order   int
	// Arm names the variant; Moved is the factor it moves, if just one.
	Arm   string
	Moved string
	// Values are those of Set.Factors, as observed; "" is unknown.
	Values    []hbaseconf.Value
	Workload  string
	Condition string
	Target    float64 // hit rate asked for
	Hit       float64 // data-block hit rate measured, NaN unknown
	Metrics   [metricCount]float64
	// Threads, Batch, MessageBytes and MegabytesPerSecond feed the audit; NaN
	// where unknown.
	Threads, Batch, MessageBytes, MegabytesPerSecond float64
	// MegabytesDecimals is how many decimals the rate was printed with.
	MegabytesDecimals int
	Offered           float64 // operations/s asked for, NaN for closed loop
	Operations        float64
	Flags             []string
	Series            []trial.Second
	Settings          hbaseconf.Settings // of the variant
	// What the servers said: deltas over the window and gauges, how many servers there were, their handlers, and what the restart took.
	server   map[string]float64
	servers  int
	handlers float64
	restart  float64 // seconds
}

// Set is what an analysis works on.
type Set struct {
	Factors  []Factor
	Samples  []Sample
	Excluded []Exclusion
	Baseline hbaseconf.Settings
	// Imported says that the samples come from another tool: rows are taken as
	// independent, and no confirmation phase is to be expected.
	Imported bool
	Warnings []string
	failed   []hbaseconf.Settings // configurations that did not serve
	cores    int                  // of the machine, where the servers share it with the load; 0 unknown
}

// overall is the name of the combination of all conditions.
const overall = "overall"

// FromSweep makes samples of a sweep's records. Records without a usable
// measurement are kept apart with the reason.
func FromSweep(s trial.Sweep, records []trial.Record) *Set {
	set := &Set{Baseline: s.Baseline}
	if s.Target == "local" {
		set.cores = s.Host.Cores
	}
	for _, p := range s.Parameters {
		base, _ := s.Baseline.Get(p.Property)
		set.Factors = append(set.Factors, Factor{
			Name: p.Property, Unit: p.Unit, Log: p.Log, Baseline: base, complement: p.Complement, total: p.ComplementTotal,
		})
	}
	last := map[string]int{} // a trial measured again after an interruption
	for i := range records {
		last[records[i].ID] = i
	}
	for i := range records {
		sample, reason := fromRecord(set, &records[i])
		if reason == "" && last[records[i].ID] != i {
			reason = "measured again later"
		}
		if reason != "" {
			set.Excluded = append(set.Excluded, Exclusion{Trial: records[i].ID, Reason: reason})
			if f := records[i].Fault; f != nil && servedNot(f.Code) {
				set.failed = append(set.failed, s.Baseline.Merge(records[i].Variant.Settings))
			}
			continue
		}
		set.Samples = append(set.Samples, sample)
	}
	return set
}

// servedNot tells whether a fault says something about the configuration.
func servedNot(code string) bool {
	return code == trial.FaultRefused || code == trial.FaultStart || code == trial.FaultLoad
}

// fromRecord reads one record, or says why it can't be used.
func fromRecord(set *Set, r *trial.Record) (Sample, string) {
	m := r.Measurement
	switch {
	case r.Fault != nil:
		return Sample{}, r.Fault.Code + ": " + r.Fault.Message
	case m == nil:
		return Sample{}, "no measurement"
	case r.Phase == trial.Calibrate:
		return Sample{}, "calibration of the working set"
	case !positive(m.Throughput):
		return Sample{}, fmt.Sprintf("throughput %v is not a positive number", m.Throughput)
	}
	s := Sample{
		ID: r.ID, Session: r.Session, Phase: r.Phase, Block: r.Block, Order: r.Order,
		Arm: r.Variant.ID, Moved: r.Variant.Factor, Settings: r.Variant.Settings,
		Workload: r.Workload.Name, Condition: conditionName(r.Workload), Target: r.Workload.HitTarget,
		Hit: unknown, Threads: float64(m.Threads), Batch: unknown, MessageBytes: unknown,
		MegabytesPerSecond: unknown, Offered: unknown, Operations: float64(m.Operations),
		Flags: m.Flags, Series: m.Series, server: figuresOf(m),
	}
	if r.Receipt != nil {
		s.servers = len(r.Receipt.ServerStart)
		s.restart = r.Receipt.StopSeconds + r.Receipt.StartSeconds
	}
	if v, ok := r.Observed.Get(hbaseconf.HandlerCount); ok {
		s.handlers, _ = v.Number()
	}
	if s.Session == "" {
		s.Session = r.ID
	}
	if m.Hit.Lookups > 0 && share(m.Hit.DataBlocks) {
		s.Hit = m.Hit.DataBlocks
	}
	for _, f := range set.Factors {
		v, _ := r.Observed.Get(f.Name)
		s.Values = append(s.Values, v)
	}
	s.Metrics = metricsOf(m)
	if !m.Steady && !slices.Contains(s.Flags, "not-steady") {
		s.Flags = append(slices.Clone(s.Flags), "not-steady")
	}
	return s, ""
}

// figuresOf is what the servers said over the window: by how much counters grew,
// and how gauges stood on average, or at its end where that is all there is.
func figuresOf(m *trial.Measurement) map[string]float64 {
	if m.Gauges == nil {
		return m.Server
	}
	figures := maps.Clone(m.Server)
	maps.Copy(figures, m.Gauges.Mean)
	return figures
}

// metricsOf sums a measurement up over its kinds of operation.
func metricsOf(m *trial.Measurement) [metricCount]float64 {
	v := noMetrics()
	v[Throughput] = m.Throughput
	v[ClientCPU] = m.Client.CPUShare
	v[Errors] = 0
	for _, n := range m.Errors {
		v[Errors] += float64(n)
	}
	var count, total float64
	for _, kind := range slices.Sorted(maps.Keys(m.Ops)) {
		op := m.Ops[kind]
		if op.Count <= 0 {
			continue
		}
		count += float64(op.Count)
		total += float64(op.Count) * op.MeanMicros
		v[P50] = larger(v[P50], float64(op.P50Micros))
		v[P95] = larger(v[P95], float64(op.P95Micros))
		v[P99] = larger(v[P99], float64(op.P99Micros))
		v[P999] = larger(v[P999], float64(op.P999Micros))
		v[Max] = larger(v[Max], float64(op.MaxMicros))
	}
	if count > 0 {
		v[Mean] = total / count
	}
	// The counters' window is longer than the measured one by up to a period.
	if cpu, window := m.Server["cpu_seconds"], m.Server["metrics_seconds"]; cpu > 0 && window > 0 {
		v[ServerCPUPerOp] = 1e6 * cpu / window / m.Throughput
	}
	return v
}

// conditionName labels a workload at its hit level.
func conditionName(w trial.Workload) string {
	if w.HitTarget == 0 {
		return w.Name
	}
	return w.Name + ", hit " + strconv.FormatFloat(w.HitTarget, 'g', 3, 64)
}

// unknown marks a number that was not measured; it never leaves the package.
var unknown = math.NaN()

func noMetrics() [metricCount]float64 {
	var v [metricCount]float64
	for i := range v {
		v[i] = unknown
	}
	return v
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

func share(x float64) bool { return x >= 0 && x <= 1 }

// larger is the larger of two numbers of which the first may be unknown.
func larger(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

// conditions lists the conditions in the order of first appearance.
func (s *Set) conditions() []string {
	var names []string
	seen := map[string]bool{}
	for i := range s.Samples {
		if c := s.Samples[i].Condition; !seen[c] {
			seen[c] = true
			names = append(names, c)
		}
	}
	return names
}

// phase returns the samples of one phase.
func (s *Set) phase(p trial.Phase) []*Sample {
	var list []*Sample
	for i := range s.Samples {
		if s.Samples[i].Phase == p {
			list = append(list, &s.Samples[i])
		}
	}
	return list
}
