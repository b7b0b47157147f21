package hbase

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// gatherer sleeps until a socket holds a number of bytes (SO_RCVLOWAT).
type gatherer struct {
	raw   syscall.RawConn
	woken bool
	look  func(fd uintptr) bool // made once: a closure a sleep would be garbage

	mu  sync.Mutex   // keeps low and the socket in step
	low atomic.Int32 // what the socket is told to sleep for; 0 or 1: any
}

func newGatherer(nc net.Conn) *gatherer {
	g := new(gatherer)
	if sc, ok := nc.(syscall.Conn); ok {
		g.raw, _ = sc.SyscallConn()
	}
	g.look = func(fd uintptr) bool {
		if g.woken {
			return true
		}
		g.woken = true
		g.mu.Lock()
		defer g.mu.Unlock()
		// Setting it also wakes us at once if enough is there already.
		return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, int(g.low.Load())) != nil
	}
	return g
}

// sleep returns when bytes can be read, or at the connection's end or read
// deadline, or when somebody calls relax and anything can be read.
func (g *gatherer) sleep(bytes int) error {
	if g.raw == nil {
		return nil
	}
	g.woken = false
	g.low.Store(int32(bytes))
	return g.raw.Read(g.look)
}

// asleep reports whether the socket waits for more than any byte.
func (g *gatherer) asleep() bool { return g.low.Load() > 1 }

// relax has the socket wait for any byte.
func (g *gatherer) relax() {
	if g.raw == nil || !g.asleep() {
		return
	}
	_ = g.raw.Control(func(fd uintptr) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.low.Store(1)
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, 1)
	})
}
