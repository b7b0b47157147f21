package load

import (
	"context"
	"math"
	"runtime"
	"time"
)

// schedule gives the intended starts of an open loop's operations, in
// nanoseconds since the load began: evenly spaced, or at random as by a Poisson
// process. It knows no clock.
type schedule struct {
	interval float64 // mean, in nanoseconds
	random   *Draw   // nil: evenly
	started  int64
	at       float64
}

func newSchedule(perSecond float64, poisson bool, seed uint64) *schedule {
	s := &schedule{interval: float64(time.Second) / perSecond}
	if poisson {
		s.random = NewDraw(mix(seed+7), 0, 1)
	}
	return s
}

func (s *schedule) next() int64 {
	if s.random == nil {
		// A multiple, not a sum, so that no rounding adds up.
		s.started++
		return int64(float64(s.started) * s.interval)
	}
	s.at -= math.Log(1-s.random.unit()) * s.interval
	return int64(s.at)
}

const (
	// waitingStarts is how many operations may wait for a worker. Past that the
	// schedule itself waits; nothing is dropped.
	waitingStarts = 1 << 16
	// longestNap is how long the schedule may sleep without looking whether the
	// load is over.
	longestNap = 20 * time.Millisecond
)

// dispatch hands out tickets at their intended starts until the load is over.
// One goroutine sleeps for all workers: Go's own timers round up to a
// millisecond on an idle machine, its sleeper does not.
func (r *run) dispatch(ctx context.Context) {
	s := r.shared
	defer close(s.tickets)
	defer prompt()()
	nap := r.cfg.nap
	if nap == nil {
		nap = new(sleeper).sleep
	}
	plan := newSchedule(r.cfg.Workload.Rate, r.cfg.Workload.Poisson, r.cfg.Seed)
	for {
		at := plan.next()
		for {
			if s.stop.Load() || ctx.Err() != nil {
				return
			}
			wait := time.Duration(at) - time.Since(s.start)
			if wait <= 0 {
				break
			}
			nap(min(wait, longestNap))
		}
		select {
		case s.tickets <- at:
		case <-ctx.Done():
			return
		}
		// The worker that was woken runs before this thread sleeps again.
		runtime.Gosched()
	}
}
