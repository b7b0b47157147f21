package load

import (
	"fmt"
	"math"
	"time"

	"hbtune/sweep/diagnose"
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
	flagRateNotReached = "rate-not-reached"
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
		Before:        r.before,
		After:         r.samples.lastState(),
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
		if k.rows != k.count {
			if m.Rows == nil {
				m.Rows = map[string]int64{}
			}
			m.Rows[kindNames[i]] = k.rows
		}
	}
	if err := r.openLoop(m); err != nil {
		return nil, err
	}
	a, b, known := r.samples.span(from, to, pollEvery.Seconds())
	if !known {
		return nil, fmt.Errorf("the servers' counters did not step for %v after the window, so the hit rate is unknown", spanGrace)
	}
	m.Hit = hitBetween(&a.Reading, &b.Reading)
	m.Hit.Target = r.cfg.Workload.HitTarget
	m.Server = deltas(a, b)
	m.Gauges = r.samples.gauges(a.at, b.at)
	r.clientCost(m)
	m.Flags = r.flags(m, regionsChanged)
	return m, nil
}

// openLoop fills in how the schedule was kept. Operations that failed had been
// started too.
func (r *run) openLoop(m *trial.Measurement) error {
	w := r.cfg.Workload
	if w.Rate <= 0 {
		return nil
	}
	late, err := latency(r.recorder.late, r.recorder.lateSum, m.Operations)
	if err != nil {
		return err
	}
	started := float64(m.Operations)
	for _, n := range m.Errors {
		started += float64(n)
	}
	m.Open = &trial.OpenLoop{Rate: w.Rate, Arrivals: trial.ArrivalsConstant, Reached: started / m.Seconds / w.Rate, Late: late}
	if w.Poisson {
		m.Open.Arrivals = trial.ArrivalsPoisson
	}
	return nil
}

// clientCPU is what this process has used, and the one that does its calls for
// it if there is such.
func (r *run) clientCPU() time.Duration {
	used := processCPU()
	if other, ok := r.cluster.(interface{ CPU() time.Duration }); ok {
		used += other.CPU()
	}
	return used
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
	flag(m.Client.CPUShare > diagnose.FullClient, flagClientBound)
	flag(len(m.Errors) > 0, flagErrors)
	flag(m.NotFound > 0, flagNotFound)
	flag(regionsChanged, flagRegionsChanged)
	// Failed operations take time that throughput does not count.
	flag(len(m.Errors) == 0 && !r.obeysLittlesLaw(m), flagLittlesLaw)
	flag(r.samples.growingDebt(from, to), flagGrowingDebt)
	flag(m.Open != nil && m.Open.Reached < diagnose.RateReached-chance(m), flagRateNotReached)
	return flags
}

// chance is the share of its rate by which a random schedule may fall short.
func chance(m *trial.Measurement) float64 {
	if m.Open.Arrivals != trial.ArrivalsPoisson {
		return 0
	}
	return diagnose.RandomShortfall(m.Open.Rate, m.Seconds)
}

// obeysLittlesLaw checks the measurement against itself. In a closed loop all
// workers are always waiting; in an open one there can't be more calls under way
// than there are workers.
func (r *run) obeysLittlesLaw(m *trial.Measurement) bool {
	workers := r.cfg.workers()
	longest := r.recorder.longestResponse()
	if m.Open != nil {
		return r.recorder.busySeconds()/m.Seconds <= float64(workers)*(1+diagnose.LittleClose+longest/m.Seconds)
	}
	return littlesLaw(workers, m.Throughput, r.recorder.meanResponse(), longest, m.Seconds)
}

// littlesLaw tells whether threads = throughput × mean response time holds, as
// it must in a closed loop. At the window's ends operations are cut off, or
// counted whole though they began before; none is longer than the longest, so
// that much of the window may be amiss.
func littlesLaw(threads int, throughput, meanSeconds, longestSeconds, windowSeconds float64) bool {
	off := math.Abs(throughput*meanSeconds/float64(threads) - 1)
	return off <= diagnose.LittleClose+longestSeconds/windowSeconds
}
