package hbase

import (
	"errors"
	"fmt"
	"net"
	"os/user"
	"strconv"
	"strings"
	"time"
)

// Config says where the cluster is, by Quorum or by Servers, and how patient to
// be. The zero value of every other field stands for the default, which is that
// of Java's client.
type Config struct {
	// Quorum lists ZooKeeper servers: "host:port,host:port"; the port is 2181
	// where it is left out.
	Quorum string
	// Servers lists masters or RegionServers that are asked in place of
	// ZooKeeper (hbase.masters); the port is 16000 where it is left out.
	Servers string
	// ZNode is zookeeper.znode.parent; default "/hbase".
	ZNode string
	// User is the name that the servers are told; default: the process's user.
	User string

	// Connections to each server (hbase.client.ipc.pool.size); default 1.
	Connections int
	// PerWorker ties each worker (Table.ForWorker) to one of the connections;
	// otherwise calls take them in turn (hbase.client.ipc.pool.type).
	PerWorker bool

	// Gather has the reader of a connection that a dozen calls or more share wait
	// for several replies at a time: less CPU an operation, for up to a few
	// milliseconds of latency. Meant for closed-loop throughput from a machine
	// that the servers share; it does nothing on other systems than Linux.
	Gather bool

	// Retries after the first try (hbase.client.retries.number); default 15,
	// negative: none.
	Retries int
	// Pause is the unit of the back-off (hbase.client.pause); default 100 ms.
	Pause time.Duration
	// PauseOverloaded replaces Pause when a server says that it is overloaded
	// (hbase.client.pause.server.overloaded); it is never less than Pause.
	PauseOverloaded time.Duration
	// ConnectTimeout bounds dialing; default 10 s.
	ConnectTimeout time.Duration
	// RPCTimeout bounds one attempt (hbase.rpc.timeout), ReadTimeout one of a get
	// and WriteTimeout one of anything that writes; default 60 s, and RPCTimeout.
	RPCTimeout, ReadTimeout, WriteTimeout time.Duration
	// OperationTimeout bounds an operation with all its attempts where the
	// context does not (hbase.client.operation.timeout), MetaTimeout a look-up in
	// hbase:meta; default 20 min.
	OperationTimeout, MetaTimeout time.Duration
	// ScanTimeout bounds one attempt of a scan
	// (hbase.client.scanner.timeout.period); default 60 s.
	ScanTimeout time.Duration
	// ScanRows and ScanBytes bound one reply to a scan that doesn't say so itself
	// (hbase.client.scanner.caching and …max.result.size); default no bound, and
	// 2 MiB.
	ScanRows, ScanBytes int
	// NoDelayOff leaves Nagle's algorithm on (hbase.ipc.client.tcpnodelay=false).
	NoDelayOff bool
	// KeepAliveOff turns TCP keep-alive off (hbase.ipc.client.tcpkeepalive=false).
	KeepAliveOff bool

	// registry replaces ZooKeeper in tests.
	registry registry
}

func (c Config) withDefaults() Config {
	def := func(field *time.Duration, value time.Duration) {
		if *field == 0 {
			*field = value
		}
	}
	def(&c.Pause, 100*time.Millisecond)
	c.PauseOverloaded = max(c.PauseOverloaded, c.Pause)
	def(&c.ConnectTimeout, 10*time.Second)
	def(&c.RPCTimeout, time.Minute)
	def(&c.ReadTimeout, c.RPCTimeout)
	def(&c.WriteTimeout, c.RPCTimeout)
	def(&c.ScanTimeout, time.Minute)
	def(&c.OperationTimeout, 20*time.Minute)
	def(&c.MetaTimeout, 20*time.Minute)
	if c.ScanRows == 0 {
		c.ScanRows = allRows
	}
	if c.ScanBytes == 0 {
		c.ScanBytes = defaultScanBytes
	}
	if c.ZNode == "" {
		c.ZNode = "/hbase"
	}
	if c.Connections == 0 {
		c.Connections = 1
	}
	switch {
	case c.Retries == 0:
		c.Retries = 15
	case c.Retries < 0:
		c.Retries = 0
	}
	if c.User == "" {
		c.User = "hbtune"
		if u, err := user.Current(); err == nil && u.Username != "" {
			c.User = u.Username
		}
	}
	return c
}

// Validate lists every fault of the configuration.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	switch {
	case c.registry != nil:
	case c.Servers != "":
		if _, err := hostPorts(c.Servers, masterPort); err != nil {
			fault("servers: %w", err)
		}
	default:
		if _, err := hostPorts(c.Quorum, zkPort); err != nil {
			fault("zookeeper quorum: %w", err)
		}
	}
	if c.ZNode != "" && !strings.HasPrefix(c.ZNode, "/") {
		fault("znode %q does not begin with /", c.ZNode)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"connections", c.Connections}, {"rows of a scan's reply", c.ScanRows}, {"bytes of a scan's reply", c.ScanBytes}} {
		if n.value < 0 {
			fault("%s: %d is negative", n.name, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"pause", c.Pause},
		{"pause when overloaded", c.PauseOverloaded},
		{"connect time-out", c.ConnectTimeout},
		{"RPC time-out", c.RPCTimeout},
		{"read time-out", c.ReadTimeout},
		{"write time-out", c.WriteTimeout},
		{"scan time-out", c.ScanTimeout},
		{"operation time-out", c.OperationTimeout},
		{"meta time-out", c.MetaTimeout},
	} {
		if d.value < 0 {
			fault("%s: %v is negative", d.name, d.value)
		}
	}
	return errors.Join(faults...)
}

const (
	zkPort     = "2181"
	masterPort = "16000"
)

// hostPorts splits a list of host:port and fills in default ports.
func hostPorts(list, defaultPort string) ([]string, error) {
	var servers []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		host, port, err := net.SplitHostPort(part)
		if err != nil {
			host, port = strings.Trim(part, "[]"), defaultPort
		}
		if n, err := strconv.ParseUint(port, 10, 16); host == "" || err != nil || n == 0 {
			return nil, fmt.Errorf("%q is not host:port", part)
		}
		servers = append(servers, net.JoinHostPort(host, port))
	}
	if len(servers) == 0 {
		return nil, errors.New("empty: give host:port")
	}
	return servers, nil
}
