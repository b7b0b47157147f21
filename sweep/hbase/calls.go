package hbase

import (
	"context"
	"time"

	"hbtune/sweep/hbase/wire"
)

// signal is what a waiting caller is told.
type signal byte

const (
	// completed: the reply or the error is there.
	completed signal = iota
	// promoted: nobody reads the connection; the caller is to do it.
	promoted
)

// call is one request on its way. Calls are pooled: the buffers and the channel
// serve many requests.
//
// A call belongs to its caller until it is added to a connection's table, then
// to the table, and from the moment it is taken out to the one who took it,
// who fills in frame or err and signals completed. The caller always waits for
// that signal, so that nobody else ever touches a call it has gone back to
// using.
type call struct {
	header wire.RequestHeader
	param  []byte // with its length before it
	cells  []byte

	ctx      context.Context
	deadline time.Time // of this attempt
	heard    uint64    // what the connection had received when the call began

	frame []byte // the reply
	err   error

	// signals has room for one of each kind: signalling never blocks.
	signals chan signal
}

func newCall() *call { return &call{signals: make(chan signal, 2)} }

// maxCallID is the largest id Java's client would use.
const maxCallID = 1<<31 - 1

// callTable finds the call that a reply answers without a map. Ids count
// upwards and a call's place is its id modulo the table's size; ids whose
// place is taken by a slow call are skipped. An id is thus not used again for
// two thousand million calls, and a late reply to a call that was given up
// finds nobody.
type callTable struct {
	slots  []*call // a power of two of them
	next   uint32  // id to try next
	cursor int     // where oldest looks first
	count  int
}

const callTableSize = 16

// add gives the call an id and a place.
func (t *callTable) add(c *call) {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	id := t.next
	for t.slots[id&mask] != nil {
		id = (id + 1) & maxCallID
	}
	t.next = (id + 1) & maxCallID
	c.header.CallID = id
	t.slots[id&mask] = c
	t.count++
}

// grow doubles the table. Ids that differ modulo the old size differ modulo
// the new one, so every call has a place of its own.
func (t *callTable) grow() {
	old := t.slots
	t.slots = make([]*call, max(callTableSize, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, c := range old {
		if c != nil {
			t.slots[c.header.CallID&mask] = c
		}
	}
	t.cursor = 0
}

// take removes and returns the call with the id, nil if there is none.
func (t *callTable) take(id uint32) *call {
	if len(t.slots) == 0 {
		return nil
	}
	slot := &t.slots[id&uint32(len(t.slots)-1)]
	c := *slot
	if c == nil || c.header.CallID != id {
		return nil
	}
	*slot = nil
	t.count--
	return c
}

// takeIf appends to list, and removes, the calls that match.
func (t *callTable) takeIf(list []*call, match func(*call) bool) []*call {
	for i, c := range t.slots {
		if c != nil && match(c) {
			t.slots[i] = nil
			t.count--
			list = append(list, c)
		}
	}
	return list
}

// oldest returns a call that has been waiting for long, nil if none is there.
// As ids count upwards, going round the table meets them roughly by age.
func (t *callTable) oldest() *call {
	if t.count == 0 {
		return nil
	}
	for t.slots[t.cursor] == nil {
		t.cursor = (t.cursor + 1) & (len(t.slots) - 1)
	}
	return t.slots[t.cursor]
}
