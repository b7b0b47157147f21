package load

import (
	"time"

	"hbtune/sweep/trial"
)

// windows are the first n seconds as the criterion sees them.
func (r *run) windows(n int) []Window {
	lookups, misses := r.samples.lookupSeries(n)
	series := make([]Window, n)
	for k := range series {
		series[k] = Window{Throughput: float64(r.recorder.second(k).operations)}
		if r.cfg.reads() {
			series[k].Lookups, series[k].Misses = lookups[k], misses[k]
		}
	}
	return series
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
	lookups, misses := r.samples.lookupSeries(n)
	flushes, compactions := r.samples.queues(n)
	out := make([]trial.Second, n)
	last := -1.0
	for k := range out {
		if lookups[k] > 0 {
			last = 1 - float64(misses[k])/float64(lookups[k])
		}
		s := r.recorder.second(k)
		out[k] = trial.Second{
			T:           float64(k),
			Throughput:  float64(s.operations),
			P99Micros:   s.p99Now(),
			Hit:         last,
			Warmup:      int64(k)*int64(time.Second) < r.recorder.from,
			Flushes:     flushes[k],
			Compactions: compactions[k],
		}
	}
	return out
}
