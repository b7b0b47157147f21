package hbase

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"hbtune/sweep/hbase/wire"
)

// lead reads replies and hands them out until own has its own, then passes the
// duty on. It returns true if it was itself that completed own; otherwise own
// has been, or will be, signalled.
func (c *conn) lead(own *call) bool {
	for {
		mine, err := c.handOut(own)
		if err != nil {
			c.fail(err)
			return mine
		}
		// While a call leads it is signalled only when someone else ends it.
		if mine || len(own.signals) > 0 {
			c.passOn()
			return mine
		}
		err = c.fill()
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			// expire wants the reader to look whether it is still wanted.
			c.nc.SetReadDeadline(time.Time{})
		default:
			c.fail(err)
			return false
		}
	}
}

// handOut gives every whole frame to the call that waits for it and reports
// whether own was among them.
func (c *conn) handOut(own *call) (mine bool, err error) {
	for {
		frame, isBig, err := c.in.next()
		if frame == nil || err != nil {
			return mine, err
		}
		id, err := wire.ReplyCallID(frame)
		if err != nil {
			return mine, err
		}
		c.mu.Lock()
		call := c.calls.take(id)
		c.heard++
		c.crowd.heard(wire.FrameHeader + len(frame))
		c.mu.Unlock()
		if call == nil {
			if id == wire.FatalCallID {
				return mine, fatalReply(frame)
			}
			continue // given up in the meantime
		}
		if isBig {
			call.frame = c.in.takeBig(call.frame)
		} else {
			call.frame = append(call.frame[:0], frame...)
		}
		if call == own {
			mine = true
		} else {
			call.signals <- completed
		}
	}
}

// yieldFrom is the number of calls under way from which it pays to let others go
// first.
const yieldFrom = 4

// fill reads once.
func (c *conn) fill() error {
	c.mu.Lock()
	count, enough := c.calls.count, 0
	if c.gather != nil {
		enough = c.crowd.enough(count)
	}
	c.mu.Unlock()
	if count > yieldFrom {
		// Let those who have just been given their replies send their next
		// calls first; meanwhile more replies come in, and one read takes all.
		runtime.Gosched()
	}
	switch {
	case enough > 0 && c.in.want == 0:
		if err := c.gather.sleep(enough); err != nil {
			return err
		}
	case c.gather != nil:
		c.gather.relax()
	}
	return c.in.fill(c.nc)
}

// passOn promotes a waiting caller to be the reader.
func (c *conn) passOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.calls.oldest()
	if next == nil || c.err != nil {
		c.reading = false
		return
	}
	// Under the lock, as only a call that is in the table may be signalled by
	// others than the one who takes it out.
	next.signals <- promoted
}

// fatalReply makes an error of a reply that is about the whole connection.
func fatalReply(frame []byte) error {
	reply, err := wire.ParseReply(frame)
	if err != nil {
		return err
	}
	if reply.Exception == nil {
		return fmt.Errorf("%w: reply to no call", wire.ErrMalformed)
	}
	return newException(reply.Exception)
}
