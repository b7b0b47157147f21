//go:build !unix

package hbase

import "net"

// tryWriter leaves everything to the writer goroutine where sockets can't be
// written to without waiting.
type tryWriter struct{}

func newTryWriter(net.Conn) tryWriter { return tryWriter{} }

func (*tryWriter) tryWrite([]byte) (int, error) { return 0, nil }
