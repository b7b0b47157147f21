package load

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// pollEvery is how often the servers' counters are read.
	pollEvery = time.Second
	// silentAfter is how long the servers may leave the question for their metrics
	// unanswered: longer than the gaps that HBase leaves after regions opened.
	silentAfter = 15 * time.Second
)

// reply is what came of reading the metrics once.
type reply struct {
	sample
	err error
}

// poll reads the servers' counters every second.
func (r *run) poll(ctx context.Context) {
	defer close(r.replies)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		reading, err := r.read(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case r.replies <- reply{sample{time.Since(r.shared.start).Seconds(), reading}, err}:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *run) read(ctx context.Context) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, silentAfter)
	defer cancel()
	return r.metrics.Read(ctx)
}

// sample keeps a reading. A failure to get one is normal for a moment after
// tables were made; it counts only if it lasts.
func (r *run) sample(a reply) error {
	if a.err != nil {
		if time.Since(r.lastSample()) >= silentAfter {
			return fmt.Errorf("the servers' metrics could not be read for %v: %w", silentAfter, a.err)
		}
		return nil
	}
	if n := len(r.samples); n > 0 && r.samples[n-1].Start != a.Start {
		return errors.New("a RegionServer was restarted during the load: its counters began anew, so nothing can be measured")
	}
	r.samples = append(r.samples, a.sample)
	return nil
}

// lastSample is when the metrics were last read, or the load's start.
func (r *run) lastSample() time.Time {
	if n := len(r.samples); n > 0 {
		return r.samples[n-1].At
	}
	return r.shared.start
}
