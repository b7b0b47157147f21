package load

import (
	"fmt"
	"math"
	"time"

	"hbtune/sweep/trial"
)

// maxTime stands for a window that has not been set.
const maxTime = math.MaxInt64

// What makes a measurement doubtful.
const (
	flagNotSteady      = "not-steady"
	flagClientBound    = "client-bound"
	flagErrors         = "errors"
	flagNotFound       = "not-found"
	flagRegionsChanged = "regions-changed"
	flagLittlesLaw     = "littles-law"
	flagGrowingDebt    = "growing-debt"
)

const (
	// clientBoundShare of its cores is where a client may be the limit.
	clientBoundShare = 0.85
	// littleTolerance is how far threads may be from throughput × mean response.
	littleTolerance = 0.02
)

// measurement puts the result together once the load has stopped.
func (r *run) measurement(regionsChanged bool) (*trial.Measurement, error) {
	rec := r.recorder
	from, to := r.window()
	seconds := to - from
	operations := rec.operations()
	if operations == 0 {
		if err := r.shared.last(); err != nil {
			return nil, fmt.Errorf("no operation succeeded in the measured window: %w", err)
		}
		return nil, fmt.Errorf("no operation ended in the measured window of %v", r.cfg.Duration)
	}
	m := &trial.Measurement{
		Workload:      workloadName(r.cfg.Workload),
		Driver:        r.cluster.Driver(),
		Threads:       r.cfg.Workload.Threads,
		Start:         r.shared.start.Add(time.Duration(rec.from)).UTC(),
		Seconds:       seconds,
		Operations:    operations,
		Throughput:    float64(operations) / seconds,
		Errors:        r.shared.errorCounts(&rec.errors),
		NotFound:      rec.missing,
		Ops:           map[string]trial.Latency{},
		Service:       map[string]trial.Latency{},
		Steady:        r.steady,
		WarmupSeconds: from,
		Series:        r.series(int(to)),
	}
	for i := range rec.kinds {
		k := &rec.kinds[i]
		if k.count == 0 {
			continue
		}
		var err error
		if m.Ops[kindNames[i]], err = latency(k.response, k.responseSum, k.count); err != nil {
			return nil, err
		}
		if m.Service[kindNames[i]], err = latency(k.service, k.serviceSum, k.count); err != nil {
			return nil, err
		}
	}
	a, b, known := r.samples.span(from, to, pollEvery.Seconds())
	if !known {
		return nil, fmt.Errorf("the servers' counters did not step for %v after the window, so the hit rate is unknown", spanGrace)
	}
	m.Hit = hitBetween(&a.Reading, &b.Reading)
	m.Hit.Target = r.cfg.Workload.HitTarget
	m.Server = deltas(a, b)
	r.clientCost(m)
	m.Flags = r.flags(m, regionsChanged)
	return m, nil
}

// clientCost fills in what the load cost this process.
func (r *run) clientCost(m *trial.Measurement) {
	elapsed := r.cpuTo.at - r.cpuFrom.at
	if elapsed <= 0 {
		return
	}
	used := float64(r.cpuTo.used-r.cpuFrom.used) / float64(elapsed) // cores
	ended := m.Operations
	for _, n := range m.Errors {
		ended += n
	}
	m.Client.CPUShare = used / cores()
	m.Client.CPUMicrosPerOp = used * m.Seconds / float64(ended) * 1e6
}

// flags in the order in which trial.Measurement lists them.
func (r *run) flags(m *trial.Measurement, regionsChanged bool) []string {
	from, to := r.window()
	var flags []string
	flag := func(on bool, name string) {
		if on {
			flags = append(flags, name)
		}
	}
	flag(!m.Steady, flagNotSteady)
	flag(m.Client.CPUShare > clientBoundShare, flagClientBound)
	flag(len(m.Errors) > 0, flagErrors)
	flag(m.NotFound > 0, flagNotFound)
	flag(regionsChanged, flagRegionsChanged)
	// Failed operations take time that throughput does not count.
	flag(len(m.Errors) == 0 && !littlesLaw(m.Threads, m.Throughput, r.recorder.meanResponse(), r.recorder.longestResponse(), m.Seconds), flagLittlesLaw)
	flag(r.samples.growingDebt(from, to), flagGrowingDebt)
	return flags
}

// littlesLaw tells whether threads = throughput × mean response time holds, as
// it must in a closed loop. At the window's ends operations are cut off, or
// counted whole though they began before; none is longer than the longest, so
// that much of the window may be amiss.
func littlesLaw(threads int, throughput, meanSeconds, longestSeconds, windowSeconds float64) bool {
	off := math.Abs(throughput*meanSeconds/float64(threads) - 1)
	return off <= littleTolerance+longestSeconds/windowSeconds
}
