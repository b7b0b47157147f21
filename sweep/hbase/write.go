package hbase

import "runtime"

// keptOut is the largest buffer of outgoing frames that is kept for the next.
const keptOut = 1 << 20

// flush writes what is waiting. It never blocks: what the socket does not take
// goes to the writer goroutine, as does what others add meanwhile, so that no
// caller is kept writing for the others.
func (c *conn) flush(alone bool) {
	if !alone {
		// Others are under way on this connection. Those that are about to send
		// get to do so first, and one write takes all.
		runtime.Gosched()
	}
	c.mu.Lock()
	frames := c.swapOut()
	c.mu.Unlock()

	n, err := c.socket.tryWrite(frames)
	if err != nil {
		c.fail(err)
		return
	}
	c.mu.Lock()
	if n == len(frames) && len(c.out) == 0 {
		c.writing = false
		c.mu.Unlock()
		return
	}
	c.rest = frames[n:]
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// swapOut takes all waiting frames; c.mu is held, and the caller is the one
// that writes, so that the other buffer is free.
func (c *conn) swapOut() []byte {
	frames := c.out
	c.out = c.spare[:0]
	if cap(frames) > keptOut {
		c.spare = nil
	} else {
		c.spare = frames
	}
	return frames
}

// writeRest is the writer goroutine: it sleeps until flush leaves something to
// it, and then writes until nothing is waiting.
func (c *conn) writeRest() {
	for {
		select {
		case <-c.done:
			return
		case <-c.wake:
		}
		c.mu.Lock()
		for {
			frames := c.rest
			c.rest = nil
			if len(frames) == 0 {
				frames = c.swapOut()
			}
			if len(frames) == 0 {
				c.writing = false
				break
			}
			c.mu.Unlock()
			if _, err := c.nc.Write(frames); err != nil {
				c.fail(err)
				return
			}
			c.mu.Lock()
		}
		c.mu.Unlock()
	}
}
