package hbase

import (
	"context"

	"hbtune/sweep/hbase/wire"
)

// Scan asks for the rows of a range, in order.
type Scan struct {
	StartRow []byte // inclusive; empty: from the table's beginning (reversed: its end)
	StopRow  []byte // exclusive; empty: to the table's other end
	// Exclusive and Inclusive turn these two around.
	ExclusiveStart bool
	InclusiveStop  bool
	Reversed       bool

	Columns     []Column // columns or whole families; none: everything
	MaxVersions int      // 0 means 1
	TimeRange   TimeRange

	// Limit is the number of rows to return; 0 means all.
	Limit int
	// RowsPerCall and BytesPerCall bound what one reply brings; 0 leaves it to
	// the client's Config.
	RowsPerCall, BytesPerCall int
	// BatchCells bounds the cells of one result: long rows come as several
	// results, each but a row's last one marked Partial.
	BatchCells int
	// AllowPartial lets results be pieces of rows, as the replies happened to be
	// cut, instead of putting rows together.
	AllowPartial bool
	// SkipCache keeps what is read from disk out of the block cache.
	SkipCache bool
	ReadType  wire.ReadType
}

const (
	defaultScanBytes = 2 << 20
	// allRows is the number of rows to ask for when only bytes are to bound a
	// reply.
	allRows = 1<<31 - 1
)

// Scan begins a scan. Nothing is sent before the first Next.
//
//	s := t.Scan(ctx, scan)
//	defer s.Close()
//	for s.Next() { use(s.Result()) }
//	return s.Err()
func (t *Table) Scan(ctx context.Context, scan *Scan) *Scanner {
	s := new(Scanner)
	s.Start(ctx, t, scan)
	return s
}
