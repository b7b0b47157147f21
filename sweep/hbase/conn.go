package hbase

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"hbtune/sweep/hbase/wire"
)

// conn is one connection to one service of a server, shared by any number of
// callers. There is no reader goroutine: a caller who waits while nobody else
// reads becomes the reader, hands the replies of others to them, and passes
// the duty on when its own reply has come (read.go). Likewise a caller writes
// its own frame, with all that others have put beside it meanwhile; only what
// the socket does not take at once is left to a writer goroutine (write.go).
type conn struct {
	nc     net.Conn
	addr   string
	socket tryWriter

	mu      sync.Mutex
	calls   callTable
	out     []byte // whole frames not yet being written
	spare   []byte // the buffer that out will be after the next swap
	writing bool   // somebody is writing
	reading bool   // somebody reads, or has been promoted to
	heard   uint64 // frames received
	crowd   crowd
	err     error // why the connection is of no use any more

	dead atomic.Bool   // err is set
	rest []byte        // what the writer goroutine must write first
	wake chan struct{} // for the writer goroutine; has room for one
	done chan struct{} // closed with the connection
	in   frameReader   // belongs to whoever reads

	gather *gatherer // nil: replies are read as they come
}

// newConn takes over an established connection. The preamble goes out with the
// first request. The caller runs writeRest.
func newConn(nc net.Conn, addr, service, user string) *conn {
	return &conn{
		nc: nc, addr: addr, socket: newTryWriter(nc), in: newFrameReader(),
		out:  wire.AppendPreamble(nil, service, user),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// roundTrip sends the call and waits for its end: a reply frame, the
// connection's failure, the call's deadline, or the end of its context.
func (c *conn) roundTrip(call *call) error {
	call.err = nil
	c.mu.Lock()
	if c.err != nil {
		err := c.err
		c.mu.Unlock()
		return err
	}
	c.calls.add(call)
	call.heard = c.heard
	c.out = wire.AppendRequest(c.out, &call.header, call.param, call.cells)
	write, lead := !c.writing, !c.reading
	c.writing, c.reading = true, true
	alone := c.calls.count == 1
	c.mu.Unlock()

	if write {
		c.flush(alone)
	}
	if lead && c.lead(call) {
		return call.err
	}
	for <-call.signals == promoted {
		if c.lead(call) {
			break
		}
	}
	return call.err
}

// fail makes the connection unusable: every call on it ends with err at once.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = &connError{addr: c.addr, err: err}
	c.dead.Store(true)
	failed := c.calls.takeIf(nil, func(*call) bool { return true })
	c.mu.Unlock()
	close(c.done)
	c.nc.Close()
	for _, call := range failed {
		call.err = c.err
		call.signals <- completed
	}
}

// usable reports whether new calls may be sent.
func (c *conn) usable() bool { return !c.dead.Load() }

// expire ends the calls whose time is over or whose context has ended. The
// client's watch calls it every few milliseconds, which spares each call a
// timer of its own.
func (c *conn) expire(now time.Time) {
	c.mu.Lock()
	if c.calls.count == 0 {
		c.mu.Unlock()
		return
	}
	silent := false
	expired := c.calls.takeIf(nil, func(call *call) bool {
		if err := call.ctx.Err(); err != nil {
			call.err = err
		} else if now.After(call.deadline) {
			call.err = errTimeout
			silent = silent || call.heard == c.heard
		} else {
			return false
		}
		return true
	})
	c.mu.Unlock()
	if len(expired) == 0 {
		return
	}
	for _, call := range expired {
		call.signals <- completed
	}
	if silent {
		// No frame came for a whole time-out: the peer is gone without a word, or
		// a length that was damaged makes us wait for what never comes.
		c.fail(errSilent)
		return
	}
	// The reader may be one of the expired: let it look up from its read.
	c.nc.SetReadDeadline(now)
}
