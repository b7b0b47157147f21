package load

import (
	"context"
	"time"
)

// Cluster is what a load needs of a database.
type Cluster interface {
	// Driver names the client in results: "native".
	Driver() string
	// Table opens a handle for one goroutine on a table whose rows have that many
	// columns. Workers, numbered from 0, may be spread over several connections.
	Table(name string, columns, worker int) Table
	// Describe returns a table's attributes; found is false where there is none.
	Describe(ctx context.Context, table string) (attributes map[string]string, found bool, err error)
	// Create makes an empty table with those split keys and attributes.
	Create(ctx context.Context, table string, attributes map[string]string, splits [][]byte) error
	// Drop removes a table.
	Drop(ctx context.Context, table string) error
	// Regions lists the names of a table's regions; they change when a region
	// splits or is merged.
	Regions(ctx context.Context, table string) ([]string, error)
	// Settle flushes a table, merges each region's store files into one, and
	// waits until that is done. A table that is settled already stays as it is.
	Settle(ctx context.Context, table string) error
	// ClearCache drops the table's blocks from the servers' block caches.
	ClearCache(ctx context.Context, table string) error
}

// Table reads and writes one table. Arguments belong to the caller and may be
// reused once the call has returned; values that were read are valid until the
// next call on the same handle. In steady state nothing is allocated.
type Table interface {
	// Get reads columns of a row; Value then gives them.
	Get(ctx context.Context, key []byte, columns Columns) (found bool, err error)
	// GetAll reads rows in as few calls as it can, and then calls row for each.
	// Value speaks of that row until row returns.
	GetAll(ctx context.Context, keys [][]byte, columns Columns, row func(i int, found bool)) error
	// Scan reads up to limit rows from a key on, and calls row for each. Value
	// speaks of that row until row returns.
	Scan(ctx context.Context, start []byte, limit int, columns Columns, row func(key []byte)) error
	// Value is a column's value in the row that is being looked at.
	Value(column int) (value []byte, found bool)
	// Put writes columns of a row.
	Put(ctx context.Context, row Row) error
	// PutAll writes many rows in as few calls as it can; all or an error.
	PutAll(ctx context.Context, rows []Row) error
}

// Row is what is to be written of one row: values of the columns from First on.
type Row struct {
	Key    []byte
	First  int
	Values [][]byte
}

// Metrics reads what the servers count of themselves.
type Metrics interface {
	Read(ctx context.Context) (Reading, error)
}

// Reading is the state of the servers' counters at one moment, summed over all
// servers.
type Reading struct {
	// At is when the answer arrived.
	At time.Time
	// Start tells one start of the servers from another: counters of different
	// starts can't be subtracted.
	Start string
	// Requests that were served, cumulative. Any load moves it, so it shows when
	// the servers have refreshed their counters.
	Requests int64
	// Lookups in the block cache, cumulative.
	DataHits, DataMisses int64 // data blocks alone
	Hits, Misses         int64 // blocks of every kind
	// CacheBytes is the block cache's size, used or free; 0 where there is none.
	// CacheBlocks is how many blocks of the usual size it holds when full.
	CacheBytes, CacheBlocks int64
	// QueueLength is the number of flushes and compactions that wait.
	QueueLength float64
	// Counters only grow; Gauges go up and down. Both by the names that
	// sweep/metrics gives them.
	Counters, Gauges map[string]float64
}

// lookups is the number of data blocks asked for.
func (r *Reading) lookups() int64 { return r.DataHits + r.DataMisses }

// classified is an error that names its class for the count of errors, such as
// "RegionTooBusyException".
type classified interface{ Class() string }
