//go:build !linux

package hbase

import "net"

// gatherer does nothing where sockets can't be told how much to sleep for.
type gatherer struct{}

func newGatherer(net.Conn) *gatherer { return new(gatherer) }

func (*gatherer) sleep(int) error { return nil }

func (*gatherer) asleep() bool { return false }

func (*gatherer) relax() {}
