//go:build unix

package hbase

import (
	"net"
	"syscall"
)

// tryWriter writes to a socket without ever waiting for it.
type tryWriter struct {
	raw   syscall.RawConn
	frame []byte
	n     int
	err   error
	write func(fd uintptr) bool // made once: a closure a write would be garbage
}

func newTryWriter(nc net.Conn) tryWriter {
	var w tryWriter
	if sc, ok := nc.(syscall.Conn); ok {
		w.raw, _ = sc.SyscallConn()
	}
	return w
}

// tryWrite writes as much as the socket takes at once.
func (w *tryWriter) tryWrite(frames []byte) (int, error) {
	if w.raw == nil {
		return 0, nil
	}
	if w.write == nil {
		w.write = w.writeOnce
	}
	w.frame, w.n, w.err = frames, 0, nil
	if err := w.raw.Write(w.write); err != nil {
		return 0, err
	}
	w.frame = nil
	return w.n, w.err
}

func (w *tryWriter) writeOnce(fd uintptr) bool {
	for {
		n, err := syscall.Write(int(fd), w.frame)
		switch err {
		case nil:
			w.n = n
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
		default:
			w.err = err
		}
		return true
	}
}
