package hbase

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// server is one service of one server process, reached by a few connections.
// It lives as long as the client; its connections come and go.
type server struct {
	client  *Client
	addr    string
	service string
	number  int // orders servers, in a batch
	slots   []slot
	turn    atomic.Uint32
}

// slot holds one of a server's connections.
type slot struct {
	conn atomic.Pointer[conn]

	mu      sync.Mutex
	dialing *dialing
}

// dialing is an attempt to connect that any number of callers wait for.
type dialing struct {
	done chan struct{}
	conn *conn
	err  error
}

// anyConn as worker means: whichever connection's turn it is.
const anyConn = -1

// connection returns a usable connection, dialing if need be.
func (s *server) connection(ctx context.Context, worker int) (*conn, error) {
	at := 0
	switch {
	case len(s.slots) == 1:
	case worker >= 0:
		at = worker % len(s.slots)
	default:
		at = int(s.turn.Add(1) % uint32(len(s.slots)))
	}
	slot := &s.slots[at]
	if conn := slot.conn.Load(); conn != nil && conn.usable() {
		return conn, nil
	}
	return s.dial(ctx, slot)
}

// dial connects a slot. The attempt is nobody's own: it goes on when the
// caller who began it has had enough.
func (s *server) dial(ctx context.Context, slot *slot) (*conn, error) {
	slot.mu.Lock()
	if conn := slot.conn.Load(); conn != nil && conn.usable() {
		slot.mu.Unlock()
		return conn, nil
	}
	d := slot.dialing
	if d == nil {
		if err := s.client.beginWork(); err != nil {
			slot.mu.Unlock()
			return nil, err
		}
		d = &dialing{done: make(chan struct{})}
		slot.dialing = d
		go func() {
			defer s.client.endWork()
			d.conn, d.err = s.open()
			slot.mu.Lock()
			slot.dialing = nil
			if d.err == nil {
				slot.conn.Store(d.conn)
			}
			slot.mu.Unlock()
			if d.err == nil && s.client.isClosed() {
				d.conn.fail(ErrClosed)
			}
			close(d.done)
		}()
	}
	slot.mu.Unlock()
	select {
	case <-d.done:
		return d.conn, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *server) open() (*conn, error) {
	cfg := &s.client.cfg
	dialer := net.Dialer{Timeout: cfg.ConnectTimeout}
	if cfg.KeepAliveOff {
		dialer.KeepAlive = -1
	}
	nc, err := dialer.DialContext(s.client.life, "tcp", s.addr)
	if err != nil {
		return nil, &connError{addr: s.addr, err: err}
	}
	if tcp, ok := nc.(*net.TCPConn); ok && cfg.NoDelayOff {
		tcp.SetNoDelay(false)
	}
	conn := newConn(nc, s.addr, s.service, cfg.User)
	if cfg.Gather {
		conn.gather = newGatherer(nc)
	}
	s.client.work.Go(conn.writeRest)
	return conn, nil
}

// each calls do with every open connection.
func (s *server) each(do func(*conn)) {
	for i := range s.slots {
		if conn := s.slots[i].conn.Load(); conn != nil {
			do(conn)
		}
	}
}
