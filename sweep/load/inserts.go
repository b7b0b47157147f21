package load

import (
	"sync"
	"sync/atomic"
)

// inserts deals out the rows that a load adds and knows up to where they have
// all been written, so that reads of the latest rows find them.
type inserts struct {
	first int64 // rows there were before
	batch int64 // rows a call
	next  atomic.Int64
	low   atomic.Int64 // all calls before this one have ended

	mu    sync.Mutex
	ended [insertWindow]bool // by call, modulo its length
}

// insertWindow is how many calls may be under way. Where one hangs while so many
// others end, it is given up.
const insertWindow = 1 << 16

func (s *inserts) begin(first int64, batch int) {
	s.first, s.batch = first, int64(max(batch, 1))
}

// take is the number of a new call, and the first of its rows.
func (s *inserts) take() (call, row int64) {
	call = s.next.Add(1) - 1
	return call, s.first + call*s.batch
}

// end says that a call has ended, well or not.
func (s *inserts) end(call int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	low := s.low.Load()
	for ; call-low >= insertWindow; low++ {
		s.ended[low%insertWindow] = false
	}
	if call >= low {
		s.ended[call%insertWindow] = true
	}
	for ; s.ended[low%insertWindow]; low++ {
		s.ended[low%insertWindow] = false
	}
	s.low.Store(low)
}

// rows is how many rows there are, counted up to the first that may be missing.
func (s *inserts) rows() int64 { return s.first + s.low.Load()*s.batch }
