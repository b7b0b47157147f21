package hbase

import (
	"errors"
	"fmt"
	"net"
	"os/user"
	"strings"
	"time"
)

// Config says where the cluster is and how patient to be. The zero value of
// every field but Quorum stands for the default, which is Java's client's.
type Config struct {
	// Quorum lists ZooKeeper servers: "host:port,host:port"; the port is 2181
	// where it is left out.
	Quorum string
	// ZNode is zookeeper.znode.parent; default "/hbase".
	ZNode string
	// User is the name that the servers are told; default: the process's user.
	User string

	// Connections to each server (hbase.client.ipc.pool.size); default 1.
	Connections int
	// PerWorker ties each worker (Table.ForWorker) to one of the connections;
	// otherwise calls take them in turn (hbase.client.ipc.pool.type).
	PerWorker bool

	// Retries after the first try (hbase.client.retries.number); default 15,
	// negative: none.
	Retries int
	// Pause is the unit of the back-off (hbase.client.pause); default 100 ms.
	Pause time.Duration
	// PauseOverloaded replaces Pause when a server says that it is overloaded
	// (hbase.client.pause.server.overloaded); default 500 ms.
	PauseOverloaded time.Duration
	// ConnectTimeout bounds dialing; default 10 s.
	ConnectTimeout time.Duration
	// RPCTimeout bounds one attempt (hbase.rpc.timeout); default 60 s.
	RPCTimeout time.Duration
	// OperationTimeout bounds an operation with all its attempts where the
	// context does not (hbase.client.operation.timeout); default 20 min.
	OperationTimeout time.Duration
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
	def(&c.PauseOverloaded, 500*time.Millisecond)
	def(&c.ConnectTimeout, 10*time.Second)
	def(&c.RPCTimeout, time.Minute)
	def(&c.OperationTimeout, 20*time.Minute)
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
	if c.registry == nil {
		if _, err := quorumServers(c.Quorum); err != nil {
			faults = append(faults, err)
		}
	}
	if c.ZNode != "" && !strings.HasPrefix(c.ZNode, "/") {
		faults = append(faults, fmt.Errorf("znode %q does not begin with /", c.ZNode))
	}
	if c.Connections < 0 {
		faults = append(faults, fmt.Errorf("connections: %d is less than 1", c.Connections))
	}
	for name, d := range map[string]time.Duration{
		"pause": c.Pause, "pause when overloaded": c.PauseOverloaded,
		"connect time-out": c.ConnectTimeout, "RPC time-out": c.RPCTimeout, "operation time-out": c.OperationTimeout,
	} {
		if d < 0 {
			faults = append(faults, fmt.Errorf("%s: %v is negative", name, d))
		}
	}
	return errors.Join(faults...)
}

// quorumServers splits a ZooKeeper quorum and fills in default ports.
func quorumServers(quorum string) ([]string, error) {
	var servers []string
	for part := range strings.SplitSeq(quorum, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		host, port, err := net.SplitHostPort(part)
		if err != nil {
			host, port = strings.Trim(part, "[]"), "2181"
		}
		if host == "" || port == "" {
			return nil, fmt.Errorf("zookeeper quorum: %q is not host:port", part)
		}
		servers = append(servers, net.JoinHostPort(host, port))
	}
	if len(servers) == 0 {
		return nil, errors.New("zookeeper quorum is empty: give host:port")
	}
	return servers, nil
}
