package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// shared is what the workers of one load have in common. Only the exchange of
// batches, which is rare, makes them wait for each other.
type shared struct {
	start time.Time
	stop  atomic.Bool
	full  chan *batch
	empty chan *batch
	// tickets are the intended starts of an open loop; nil in a closed one.
	tickets chan int64

	// Failures are rare; they may lock.
	mu        sync.Mutex
	classes   []string
	lastError error
}

func newShared(workers int) *shared {
	// Two batches a worker: one to fill while the other is being counted.
	s := &shared{full: make(chan *batch, 2*workers), empty: make(chan *batch, 2*workers)}
	for range cap(s.empty) {
		s.empty <- new(batch)
	}
	return s
}

// class numbers the class of an error. What can't be told apart in a byte any
// more goes under one number.
func (s *shared) class(err error) uint8 {
	name := "other"
	var c classified
	switch {
	case errors.As(err, &c):
		name = c.Class()
	case errors.Is(err, context.DeadlineExceeded):
		name = "timeout"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastError = err
	for i, known := range s.classes {
		if known == name {
			return uint8(i)
		}
	}
	if len(s.classes) == 255 {
		return 255
	}
	s.classes = append(s.classes, name)
	return uint8(len(s.classes) - 1)
}

func (s *shared) errorCounts(counts *[256]int64) map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]int64{}
	for i, n := range counts {
		switch {
		case n == 0:
		case i < len(s.classes):
			m[s.classes[i]] += n
		default:
			m["other"] += n
		}
	}
	return m
}

func (s *shared) last() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastError
}

// failurePause keeps a worker whose calls fail at once from spinning.
const failurePause = 10 * time.Millisecond

// worker drives operations one after another.
type worker struct {
	*shared
	shares []share
	coin   *Draw // picks the operation; nil where there is only one
	batch  *batch
	// ahead says that operations wait in the driver, so that their responses are
	// for it to time.
	ahead bool
}

func newWorker(s *shared, shares []share, coin *Draw) *worker {
	return &worker{shared: s, shares: shares, coin: coin}
}

// run drives until the load is stopped or ctx is cancelled.
func (w *worker) run(ctx context.Context) {
	w.batch = <-w.empty
	if w.tickets != nil {
		w.open(ctx)
	} else {
		w.closed(ctx)
	}
	w.full <- w.batch
}

// closed starts an operation when the one before it has ended. Its response time
// begins there: whatever holds the worker up in between is part of what its user
// waits for.
func (w *worker) closed(ctx context.Context) {
	intended := int64(time.Since(w.start))
	for !w.stop.Load() {
		ended, ok := w.step(ctx, intended, whenFree)
		if ctx.Err() != nil {
			return
		}
		if !ok {
			pause(ctx, failurePause)
			ended = int64(time.Since(w.start))
		}
		intended = ended
	}
}

// open starts operations by the schedule; those that find no worker free wait,
// and their response time goes on meanwhile.
func (w *worker) open(ctx context.Context) {
	for intended := range w.tickets {
		if w.stop.Load() {
			return
		}
		if w.step(ctx, intended, intended); ctx.Err() != nil {
			return
		}
	}
}

// step does one operation and records it, unless ctx was cancelled under it. due
// is its intended start as a driver is told that times operations itself.
func (w *worker) step(ctx context.Context, intended, due int64) (ended int64, ok bool) {
	s := w.pick()
	s.op.prepare()
	if s.timed != nil && w.ahead {
		s.timed.Begin(s.kind, due)
	}
	sent := int64(time.Since(w.start))
	out, rows, err := s.op.do(ctx)
	ended = int64(time.Since(w.start))
	e := event{ended: ended, response: ended - intended, service: ended - sent, rows: uint32(rows), kind: s.kind, outcome: out}
	if s.timed != nil {
		if at, response, service, ok := s.timed.Took(); ok {
			e.service = service
			if w.ahead {
				e.ended, e.response = at, response
			}
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return ended, false
		}
		e.class = w.class(err)
	}
	w.record(e)
	return ended, err == nil
}

func (w *worker) pick() *share {
	if w.coin == nil {
		return &w.shares[0]
	}
	u := w.coin.bits()
	for i := range w.shares {
		if u < w.shares[i].below {
			return &w.shares[i]
		}
	}
	return &w.shares[len(w.shares)-1]
}

// record appends an event. A batch goes off when it is full, or when the second
// that it began in is over, so that every second's count is complete soon after.
func (w *worker) record(e event) {
	b := w.batch
	if b.n > 0 && b.events[0].ended/int64(time.Second) != e.ended/int64(time.Second) {
		w.full <- b
		b = <-w.empty
		w.batch = b
	}
	b.events[b.n] = e
	b.n++
	if b.n == len(b.events) {
		w.full <- b
		w.batch = <-w.empty
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
