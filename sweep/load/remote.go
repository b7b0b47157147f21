package load

import (
	"context"
	"fmt"
	"time"
)

// aheadMost is how many operations at most wait in a remote driver.
const aheadMost = 64

// lanes readies a remote driver for the load and returns how many workers are to
// keep it busy: some more than it does operations at a time, so that it does not
// wait for the pipe in between. Where an operation depends on the one before it,
// nothing can be sent ahead; responses then end here, not there.
func (r *run) lanes(start time.Time) (workers int, err error) {
	workers = r.cfg.workers()
	driver, ok := r.cluster.(remote)
	if !ok {
		return workers, nil
	}
	if err := driver.Lanes(workers, start); err != nil {
		return 0, err
	}
	if !r.cfg.independent() {
		return workers, nil
	}
	r.remote = driver
	return workers + min(workers, aheadMost) + 1, nil
}

// independent tells whether each operation is one call that needs no other one's
// end.
func (c *Config) independent() bool {
	return !c.Workload.Queue && c.Workload.Shares().ReadModifyWrite == 0
}

// setWindow fixes what is measured. It is ahead of time, so that no event of it
// has been counted yet.
func (r *run) setWindow(from, to time.Duration) error {
	r.recorder.from, r.recorder.to = int64(from), int64(to)
	if r.remote == nil {
		return nil
	}
	return r.remote.Window(int64(from), int64(to))
}

// adopt takes the remote driver's own histograms of the window in place of those
// made here from its replies. Both must have seen the same operations.
func (r *run) adopt(ctx context.Context) error {
	if r.remote == nil || r.recorder.to == maxTime {
		return nil
	}
	theirs, err := r.remote.Recorded(ctx)
	if err != nil {
		return err
	}
	amiss := int64(r.cfg.workers()) // whose events may lie on the other side of an edge
	for _, n := range r.recorder.errors {
		amiss += n // wrong values are found here
	}
	for kind := range r.recorder.kinds {
		k, t := &r.recorder.kinds[kind], theirs[uint8(kind)]
		if off := max(k.count-t.count, t.count-k.count); off > amiss+k.count/100 {
			return fmt.Errorf("the worker recorded %d operations of kind %s, and reported %d: its times can't be trusted", t.count, kindNames[kind], k.count)
		}
		if t.count == 0 || k.count == 0 {
			continue
		}
		k.response, k.service = t.response, t.service
		// The sums go with the count of those that are counted here.
		share := float64(k.count) / float64(t.count)
		k.responseSum, k.serviceSum = int64(float64(t.responseSum)*share), int64(float64(t.serviceSum)*share)
	}
	return nil
}

// plain is the cluster to load tables through. Not every interface of another
// client tells when a row has been written, and loading is no part of what is
// measured.
func plain(c Cluster) Cluster {
	if other, ok := c.(interface{ Plain() Cluster }); ok {
		return other.Plain()
	}
	return c
}
