// Package hbase is a client for HBase made for measuring: it speaks the RPC
// protocol natively (package wire has the messages), holds no call back, and
// allocates nothing for a get or a put once it is warm. sweep/load drives it;
// sweep/metrics, beside it, asks the same servers over HTTP.
//
// # The life of a call
//
//	t.Get(ctx, get, &result)                          table.go
//	  do: find, send, and again while that may help   operation.go
//	    locate the region: cache, else hbase:meta     region.go, locate.go
//	    encode into a pooled call                     wire
//	    pick one of the server's connections          server.go
//	    round trip                                    conn.go
//	      number the call, append its frame           calls.go
//	      write, with what others have added          write.go
//	      read, or wait for the one who reads         read.go, frames.go
//	    decode in place, hand the memory to result    wire
//	  on failure: reaction, pause, another try        reactions.go, retry.go
//
// A caller does the work of its call itself. It appends its frame to what its
// connection has yet to send. If nobody is writing, it writes, and takes along
// what others have appended; it never waits for the socket, as the writer
// goroutine takes over what doesn't fit. If nobody is reading, it reads, gives
// replies of others to them, and when its own has come passes the duty on to a
// caller who still waits. So a lone caller pays for no other goroutine, while
// many share each other's system calls.
//
// Replies are matched by a call id that is also the place in a table
// (calls.go); ids are not used again in a lifetime, so that a reply which comes
// after its call was given up finds nobody. Whoever takes a call out of the
// table, reader, deadline or failing connection, is the one who ends it, and a
// caller always waits for that end; no two goroutines ever think they own a
// call. Deadlines and cancelled contexts are looked after by one ticker for all
// calls (Client.watch), within 10 ms.
//
// # Memory
//
// A Result owns the frame its cells point into and swaps it with the call's
// when it is read into again. Requests and results belong to the caller, who
// uses them again for the next operation.
//
// # Failure
//
// Exceptions of servers, and failures of connections, are looked up in one
// table (reactions.go) that says what to do: stay, relocate, follow the region,
// leave the server, open another scanner, give up. Pauses are those of Java's
// client. An operation that ends badly gives an *Error that tells class,
// server, region, number of attempts and whether trying again may help.
//
// # Versions
//
// `make test-matrix` runs the conformance tests on HBase 2.4.18, 2.5.13, 2.6.4
// and 3.0.0-alpha-4, the last 3.0.0 whose jars can be had whole; what later ones
// change is followed by their source, and untried. They also run on 1.7.2, as far
// as that goes: rows, batches, scans, creating, dropping, flushing and compacting
// tables. Its masters know no state of a table and no end of ModifyTable, its
// RegionServers can't drop a table's blocks from their caches, and it is found by
// ZooKeeper alone; each of these is an error that says so. In all versions
// RegionServers keep a registry of their own from 2.5 on only.
package hbase
