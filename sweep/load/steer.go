package load

import (
	"context"
	"fmt"
	"time"
)

const (
	// lookAfter is how long after a second's end its count is looked at: by then
	// every worker but one that hangs has reported.
	lookAfter = 150 * time.Millisecond
	// spanGrace is how long a load goes on after its window, waiting for the
	// counters to step once more: a little over their usual refresh of 10 s.
	spanGrace = 12 * time.Second
	// deadAfter is the number of seconds without one success after which a load
	// is given up: longer than a RegionServer pauses to collect garbage.
	deadAfter = 30
)

// steer receives batches and readings, decides when the warm-up is over and
// when enough has been seen.
func (r *run) steer(ctx context.Context) error {
	wake := time.NewTimer(time.Second + lookAfter)
	defer wake.Stop()
	for {
		select {
		case b := <-r.shared.full:
			r.take(b)
		case a := <-r.replies:
			if err := r.sample(a); err != nil {
				return err
			}
		case <-wake.C:
			finished, err := r.look(time.Since(r.shared.start))
			if finished || err != nil {
				return err
			}
			wake.Reset(r.nextLook(time.Since(r.shared.start)))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *run) take(b *batch) {
	r.recorder.take(b)
	r.shared.empty <- b
}

// look is called shortly after each second's end, and at both ends of the
// measured window.
func (r *run) look(now time.Duration) (finished bool, err error) {
	if r.cpuFrom.at == 0 && int64(now) >= r.recorder.from {
		r.cpuFrom = cpuMark{now, r.clientCPU()}
	}
	if r.cpuTo.at == 0 && int64(now) >= r.recorder.to {
		r.cpuTo = cpuMark{now, r.clientCPU()}
	}
	complete := int((now - lookAfter) / time.Second)
	r.tell(complete)
	if err := r.dead(complete); err != nil {
		return false, err
	}
	if r.recorder.from == maxTime {
		return false, r.decide(complete, now)
	}
	if int64(now) < r.recorder.to {
		return false, nil
	}
	from, to := r.window()
	_, _, known := r.samples.span(from, to, pollEvery.Seconds())
	return known || now.Seconds() > to+spanGrace.Seconds(), nil
}

// window in seconds since the load began.
func (r *run) window() (from, to float64) {
	return time.Duration(r.recorder.from).Seconds(), time.Duration(r.recorder.to).Seconds()
}

// decide ends the warm-up where it is over. The window begins with the next
// whole second: ahead of time, so that no event of it has been counted yet.
func (r *run) decide(complete int, now time.Duration) error {
	if complete < int(r.cfg.WarmupMin/time.Second) {
		return nil
	}
	if n := len(r.samples); n > 0 && r.cfg.reads() {
		r.criterion.Turnover = r.samples[n-1].CacheBlocks
	}
	_, r.steady = r.criterion.Steady(r.windows(complete))
	if !r.steady && now < r.cfg.warmupCap() {
		return nil
	}
	from := now.Truncate(time.Second) + time.Second
	return r.setWindow(from, from+r.duration(complete))
}

// duration is the length of the window, given what the seconds so far show.
func (r *run) duration(complete int) time.Duration {
	if r.lookups == 0 {
		return r.cfg.Duration
	}
	recent, n := 0.0, min(complete, r.criterion.Tail)
	for k := complete - n; k < complete; k++ {
		recent += float64(r.recorder.second(k).operations) / float64(n)
	}
	wanted := r.longest
	if recent > 0 {
		wanted = time.Duration(r.lookups / recent * float64(time.Second))
	}
	return min(max(wanted, r.cfg.Duration), r.longest).Truncate(time.Second)
}

// nextLook is how long to wait: until shortly after the second's end, or until
// the window's begin or end if that is sooner.
func (r *run) nextLook(now time.Duration) time.Duration {
	next := (now - lookAfter).Truncate(time.Second) + time.Second + lookAfter
	for _, edge := range []int64{r.recorder.from, r.recorder.to} {
		if e := time.Duration(edge); e > now && e < next {
			next = e
		}
	}
	return next - now
}

// dead ends a load in which nothing succeeds.
func (r *run) dead(complete int) error {
	if complete < deadAfter {
		return nil
	}
	for k := complete - deadAfter; k < complete; k++ {
		if r.recorder.second(k).operations > 0 {
			return nil
		}
	}
	if err := r.shared.last(); err != nil {
		return fmt.Errorf("no operation succeeded in %d s: %w", deadAfter, err)
	}
	return fmt.Errorf("no operation ended in %d s: the servers hang", deadAfter)
}
