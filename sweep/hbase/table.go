package hbase

import (
	"context"

	"hbtune/sweep/hbase/wire"
)

// Types of the wire format that are also this package's vocabulary.
type (
	// Get asks for one row.
	Get = wire.Get
	// Column names a column or a family.
	Column = wire.Column
	// Cell is one cell of a result.
	Cell = wire.Cell
	// MutationCell is one cell of a Put or a Delete.
	MutationCell = wire.MutationCell
	// Durability says how far a write must have got before it is acknowledged.
	Durability = wire.Durability
	// TimeRange bounds cells by timestamp.
	TimeRange = wire.TimeRange
)

// Table is a handle on a table. It is cheap, and safe for concurrent use; the
// requests and results passed to it are not to be shared between goroutines.
type Table struct {
	client *Client
	name   string
	cache  *regionCache
	worker int
}

// Table returns a handle; nothing is asked of the cluster yet. A name outside
// the default namespace is "namespace:table".
func (c *Client) Table(name string) *Table {
	name = wire.CanonicalTable(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	cache := c.tables[name]
	if cache == nil {
		cache = newRegionCache()
		c.tables[name] = cache
	}
	return &Table{client: c, name: name, cache: cache, worker: anyConn}
}

// ForWorker returns a handle whose calls use the worker's own one of the
// connections to each server, if the client is configured so.
func (t *Table) ForWorker(worker int) *Table {
	if !t.client.cfg.PerWorker {
		return t
	}
	own := *t
	own.worker = worker
	return &own
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Prepare looks up all regions and connects to their servers, so that the first
// operations needn't.
func (t *Table) Prepare(ctx context.Context) error {
	retry := newRetrier(t, "Prepare", nil)
	for {
		err := t.loadRegions(ctx)
		for _, r := range *t.cache.regions.Load() {
			if err != nil {
				break
			}
			for worker := range r.server.slots {
				if _, err = r.server.connection(ctx, worker); err != nil {
					break
				}
			}
		}
		if err == nil {
			return nil
		}
		if err := retry.after(ctx, nil, err); err != nil {
			return err
		}
	}
}

// Get reads one row into result. A row that does not exist is an empty result,
// not an error.
func (t *Table) Get(ctx context.Context, get *Get, result *Result) error {
	result.Reset()
	op := operation{method: "Get", row: get.Row, get: get, result: result}
	return t.do(ctx, &op)
}

// Put writes one row.
func (t *Table) Put(ctx context.Context, put *Put) error {
	op := operation{method: "Mutate", row: put.Row, mutation: put.mutation()}
	return t.do(ctx, &op)
}

// Delete deletes from one row.
func (t *Table) Delete(ctx context.Context, del *Delete) error {
	op := operation{method: "Mutate", row: del.Row, mutation: del.mutation()}
	return t.do(ctx, &op)
}
