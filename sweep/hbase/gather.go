package hbase

// Gathering makes the client cheaper where many calls share a connection. A
// server under load trickles its replies, so that nearly each of them costs a
// wake-up, a read and, for the call that follows it, a write. The reader of a
// crowded connection therefore sleeps until several replies are there. A caller
// alone, or among a few, is never kept waiting.
const (
	// gatherFrom is how many calls must be under way, by a moving average.
	gatherFrom = 12
	// gatherShare of them is waited for, and gatherMost replies at most: the
	// server is to have enough to do meanwhile.
	gatherShare = 4
	gatherMost  = 32
	// gatherBytes bounds it for long replies.
	gatherBytes = 48 << 10
)

// crowd is what a connection knows of its traffic; its mu guards it.
type crowd struct {
	calls float64 // under way, smoothed
	bytes float64 // of a reply, smoothed
	last  uint64  // heard at the watch's last look
}

// enough is the number of bytes to sleep for; 0 if any will do. c.mu is held.
func (w *crowd) enough(count int) int {
	w.calls += (float64(count) - w.calls) / 8
	replies := min(int(w.calls)/gatherShare, gatherMost)
	if w.calls < gatherFrom || count < gatherFrom || replies < 2 {
		return 0
	}
	// Less than the mean: the replies of the moment may be the shorter ones.
	return min(int(w.bytes*float64(replies)*3/4), gatherBytes)
}

func (w *crowd) heard(frame int) { w.bytes += (float64(frame) - w.bytes) / 16 }

// unstall ends the sleep of a reader whose replies have ceased to come before
// they were enough: the rest may be slow, or smaller than thought.
func (c *conn) unstall() {
	if !c.gather.asleep() {
		return
	}
	c.mu.Lock()
	stalled := c.heard == c.crowd.last
	c.crowd.last = c.heard
	c.mu.Unlock()
	if stalled {
		c.gather.relax()
	}
}
