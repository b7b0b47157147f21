package hbase

import (
	"context"
	"sync"
	"testing"
	"time"
)

// A reader that sleeps for more replies than the server gives before it hears
// of the client again must not sleep for ever.
func TestGatheringDoesNotStall(t *testing.T) {
	const threads = 64
	message, cells := cannedRow()
	s := newCanned(t, message, cells)
	s.hold = threads
	getAll(t, s.table(t, Config{Gather: true}), threads, 300)
}

func TestGatheringBringsEveryReply(t *testing.T) {
	message, cells := cannedRow()
	tb := newCanned(t, message, cells).table(t, Config{Gather: true})
	for _, threads := range []int{1, 13, 64, 2} {
		getAll(t, tb, threads, 5000)
	}
}

// getAll makes a number of gets from a number of threads, all of which run to
// the end.
func getAll(t *testing.T, tb *Table, threads, calls int) {
	t.Helper()
	// While the last call is out, the others are what keeps the server going.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	left, failed := calls, error(nil)
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			get := Get{Row: []byte("row")}
			var result Result
			for {
				err := tb.Get(ctx, &get, &result)
				mu.Lock()
				if left--; left <= 0 {
					cancel()
				} else if err != nil {
					failed = err
				}
				done := left <= 0 || err != nil
				mu.Unlock()
				if done {
					return
				}
				if v, _ := result.Value(family, qualifier); len(v) != 1000 {
					t.Errorf("a value of %d bytes", len(v))
				}
			}
		})
	}
	wg.Wait()
	if failed != nil {
		t.Errorf("%d threads: %v, %d calls left", threads, failed, left)
	}
}
