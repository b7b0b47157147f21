package hbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"hbtune/sweep/hbase/wire"
)

// Client is a cluster's client. It is safe for concurrent use, and one is
// enough for a process.
type Client struct {
	cfg      Config
	registry registry
	pool     sync.Pool // of *call

	// life ends with Close; work counts what runs until then.
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	servers map[serverKey]*server
	tables  map[string]*regionCache
	meta    *Table
	admin   Admin

	regionNumber atomic.Uint64
	nonceGroup   uint64 // tells this client's nonces from others'
}

type serverKey struct{ addr, service string }

// watchInterval is how often calls are looked at whose time may be over.
const watchInterval = 10 * time.Millisecond

// gatherWatch is how often a reader that waits for several replies is looked at.
const gatherWatch = 2 * time.Millisecond

// Dial finds the cluster: it asks the registry where hbase:meta is, so that a
// wrong address is known at once. Connections are made when first needed.
func Dial(ctx context.Context, cfg Config) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("hbase client: %w", err)
	}
	c := newClient(cfg)
	if _, err := c.registry.meta(ctx); err != nil && !errors.Is(err, errNoRegion) {
		c.Close()
		return nil, fmt.Errorf("looking for HBase: %w", err)
	}
	return c, nil
}

func newClient(cfg Config) *Client {
	cfg = cfg.withDefaults()
	c := &Client{
		cfg: cfg, registry: cfg.registry, nonceGroup: 1 + rand.Uint64N(1<<63),
		servers: make(map[serverKey]*server), tables: make(map[string]*regionCache),
	}
	c.pool.New = func() any { return newCall() }
	c.life, c.end = context.WithCancel(context.Background())
	switch { // Validate has looked at the lists
	case c.registry != nil:
	case cfg.Servers != "":
		servers, _ := hostPorts(cfg.Servers, masterPort)
		c.registry = &rpcRegistry{client: c, servers: servers}
	default:
		servers, _ := hostPorts(cfg.Quorum, zkPort)
		c.registry = &zooKeeper{servers: servers, parent: cfg.ZNode, connect: cfg.ConnectTimeout, aside: c.work.Go}
	}
	c.meta = c.Table(metaTable)
	c.admin.client = c
	c.work.Go(c.watch)
	return c
}

// Close ends all calls and connections and waits until nothing of the client
// is left running.
func (c *Client) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	c.mu.Unlock()
	c.end()
	for _, s := range c.allServers() {
		s.each(func(conn *conn) { conn.fail(ErrClosed) })
	}
	c.work.Wait()
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// beginWork registers something that Close waits for.
func (c *Client) beginWork() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.work.Add(1)
	return nil
}

func (c *Client) endWork() { c.work.Done() }

func (c *Client) getCall() *call { return c.pool.Get().(*call) }

func (c *Client) putCall(call *call) { c.pool.Put(call) }

// server returns the one object that stands for a service at an address.
func (c *Client) server(addr, service string) *server {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := serverKey{addr, service}
	s := c.servers[key]
	if s == nil {
		connections := 1
		if service == wire.ClientService {
			connections = c.cfg.Connections
		}
		s = &server{client: c, addr: addr, service: service, number: len(c.servers), slots: make([]slot, connections)}
		c.servers[key] = s
	}
	return s
}

// newRegion makes what the region caches hold.
func (c *Client) newRegion(name, start, end []byte, addr string) *region {
	return &region{
		name: name, start: start, end: end,
		server: c.server(addr, wire.ClientService), number: c.regionNumber.Add(1),
	}
}

func (c *Client) allServers() []*server {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*server, 0, len(c.servers))
	for _, s := range c.servers {
		all = append(all, s)
	}
	return all
}

// leave forgets every region that is thought to be on the server.
func (c *Client) leave(s *server) {
	c.mu.Lock()
	caches := make([]*regionCache, 0, len(c.tables))
	for _, cache := range c.tables {
		caches = append(caches, cache)
	}
	c.mu.Unlock()
	for _, cache := range caches {
		cache.dropServer(s)
	}
}

// watch ends calls whose time is over. One ticker for all calls is far cheaper
// than a timer for each.
func (c *Client) watch() {
	interval := watchInterval
	if c.cfg.Gather {
		interval = gatherWatch
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	looked := time.Now()
	for {
		select {
		case <-c.life.Done():
			return
		case now := <-ticker.C:
			expire := now.Sub(looked) >= watchInterval
			if expire {
				looked = now
			}
			c.mu.Lock()
			for _, s := range c.servers {
				s.each(func(conn *conn) {
					if c.cfg.Gather {
						conn.unstall()
					}
					if expire {
						conn.expire(now)
					}
				})
			}
			c.mu.Unlock()
		}
	}
}
