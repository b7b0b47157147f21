package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"hbtune/sweep/hbase/wire"
)

// zooKeeper is the registry that HBase keeps in ZooKeeper. Lookups are rare, so
// each has a session of its own: nothing is left running between them, and a
// restarted ensemble needs no care.
type zooKeeper struct {
	servers []string
	parent  string
	connect time.Duration
	// aside runs what need not be waited for, but must have ended before the
	// client is closed.
	aside func(func())
}

// zkSession also bounds (with two thirds of it) how long a server that takes
// the connection and says nothing is waited for.
const zkSession = 9 * time.Second

// errNoZNode: ZooKeeper answers, but HBase has not written what was looked for.
var errNoZNode = errors.New("no such znode: HBase is not running, or its zookeeper.znode.parent is another")

func (z *zooKeeper) meta(ctx context.Context) (wire.ServerName, error) {
	data, err := z.get(ctx, "meta-region-server")
	if err != nil {
		return wire.ServerName{}, err
	}
	server, open, err := wire.ParseMetaZnode(data)
	if err != nil {
		return server, fmt.Errorf("znode of hbase:meta: %w", err)
	}
	if !open {
		return server, fmt.Errorf("hbase:meta: %w", errNoRegion)
	}
	return server, nil
}

func (z *zooKeeper) master(ctx context.Context) (wire.ServerName, error) {
	data, err := z.get(ctx, "master")
	if err != nil {
		return wire.ServerName{}, err
	}
	server, _, err := wire.ParseMasterZnode(data)
	if err != nil {
		return server, fmt.Errorf("znode of the master: %w", err)
	}
	return server, nil
}

// get reads one znode below the parent.
func (z *zooKeeper) get(ctx context.Context, name string) ([]byte, error) {
	where := "zookeeper at " + strings.Join(z.servers, ",")
	node := path.Join(z.parent, name)
	var dials dialLog
	conn, _, err := zk.Connect(z.servers, zkSession, zk.WithLogger(quiet{}),
		zk.WithDialer(func(network, address string, _ time.Duration) (net.Conn, error) {
			return dials.dial(network, address, z.connect)
		}))
	if err != nil {
		return nil, &connError{addr: where, err: err}
	}

	type answer struct {
		data []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		data, _, err := conn.Get(node)
		got <- answer{data, err}
	}()
	select {
	case a := <-got:
		if a.err == nil || errors.Is(a.err, zk.ErrNoNode) {
			conn.Close()
		} else {
			z.aside(conn.Close) // may take a second when there is no session to end
		}
		switch {
		case a.err == nil:
			return a.data, nil
		case errors.Is(a.err, zk.ErrNoNode):
			return nil, fmt.Errorf("%s: %s: %w", where, node, errNoZNode)
		case dials.lastError() != nil:
			return nil, &connError{addr: where, err: dials.lastError()}
		default:
			return nil, &connError{addr: where, err: fmt.Errorf("%w (is this ZooKeeper's client port?)", a.err)}
		}
	case <-ctx.Done():
		z.aside(conn.Close)
		if err := dials.lastError(); err != nil {
			return nil, fmt.Errorf("%s: %w (%w)", where, ctx.Err(), err)
		}
		return nil, fmt.Errorf("%s: %w", where, ctx.Err())
	}
}

// dialLog keeps the reason of a failure that the library only reports as "no
// server available".
type dialLog struct {
	mu  sync.Mutex
	err error
}

func (d *dialLog) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	nc, err := net.DialTimeout(network, address, timeout)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	return nc, err
}

func (d *dialLog) lastError() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// quiet keeps the library from writing to the process's log.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
