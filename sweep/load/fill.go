package load

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// FillOptions shape the loading; the zero value will do.
type FillOptions struct {
	Workers  int                     // 0: 8
	Batch    int                     // rows a call; 0: as many as make about 512 kB
	Progress func(done, total int64) // if set, called now and then from one goroutine at a time
}

// Filled tells what Fill did.
type Filled struct {
	Reused  bool // the table held the rows already
	Rows    int64
	Loading time.Duration // of the puts alone
	Settled time.Duration // of flush and compaction
}

// sentinel is the key of the row written after all others: where it holds
// markerValue, loading came to its end and nothing was inserted since. It sorts
// behind every key of Keys.
var sentinel = []byte("filled")

// mark writes the sentinel.
func mark(ctx context.Context, t Table, value string) error {
	return t.Put(ctx, Row{Key: sentinel, Values: [][]byte{[]byte(value)}})
}

// marked tells whether the sentinel says that the table is as it was filled.
func marked(ctx context.Context, t Table) (bool, error) {
	if found, err := t.Get(ctx, sentinel, Columns{0, 1}); err != nil || !found {
		return false, err
	}
	value, found := t.Value(0)
	return found && string(value) == markerValue, nil
}

// Fill makes sure that a table of that shape holds all its rows and is settled:
// flushed, and each region merged into one store file. A table of hbtune's that
// holds something else is made anew; one that hbtune did not make is refused.
func Fill(ctx context.Context, c Cluster, table string, shape Shape, opt FillOptions) (Filled, error) {
	if err := shape.Validate(); err != nil {
		return Filled{}, fmt.Errorf("table %s: %w", table, err)
	}
	shape = shape.normal()
	c = plain(c)
	have, known, exists, err := own(ctx, c, table)
	if err != nil {
		return Filled{}, err
	}
	result := Filled{Rows: shape.Rows}
	if exists && known && have == shape {
		if result.Reused, err = marked(ctx, c.Table(table, shape.Columns, 0)); err != nil {
			return Filled{}, fmt.Errorf("look into table %s: %w", table, err)
		}
	}
	if !result.Reused {
		if err := remake(ctx, c, table, shape, exists); err != nil {
			return Filled{}, err
		}
		if result.Loading, err = load(ctx, c, table, shape, opt); err != nil {
			return Filled{}, fmt.Errorf("load table %s: %w", table, err)
		}
	}
	begin := time.Now()
	if err := c.Settle(ctx, table); err != nil {
		return Filled{}, fmt.Errorf("settle table %s: %w", table, err)
	}
	result.Settled = time.Since(begin)
	return result, nil
}

// load writes all rows into an empty table, and when they are certain to stay,
// the sentinel. It tells how long the rows alone took.
func load(ctx context.Context, c Cluster, table string, shape Shape, opt FillOptions) (took time.Duration, err error) {
	put := func(open opener) error {
		begin := time.Now()
		err := putRows(ctx, open, table, shape, opt)
		took = time.Since(begin)
		return err
	}
	if fast, ok := c.(unlogger); ok {
		lost, err := loadUnlogged(ctx, fast, table, put)
		if err != nil {
			return 0, err
		}
		if !lost {
			return took, mark(ctx, c.Table(table, shape.Columns, 0), markerValue)
		}
		if err := remake(ctx, c, table, shape, true); err != nil {
			return 0, err
		}
	}
	if err := put(c.Table); err != nil {
		return 0, err
	}
	return took, mark(ctx, c.Table(table, shape.Columns, 0), markerValue)
}

// putRows writes all rows. Workers take runs of rows in turn, so that the table
// grows evenly and every call touches all regions.
func putRows(ctx context.Context, open opener, table string, shape Shape, opt FillOptions) error {
	workers := opt.Workers
	if workers <= 0 {
		workers = 8
	}
	size := opt.Batch
	if size <= 0 {
		size = min(max(512<<10/(shape.Columns*(shape.ValueBytes+64)), 1), 1000)
	}
	var next, done atomic.Int64
	stopReport := reportProgress(opt.Progress, &done, shape.Rows)
	defer stopReport()
	g, groupCtx := errgroup.WithContext(ctx)
	for worker := range workers {
		g.Go(func() error {
			rows := newRowBuffer(size, shape)
			handle := open(table, shape.Columns, worker)
			for {
				from := next.Add(int64(size)) - int64(size)
				if from >= shape.Rows {
					return nil
				}
				n := min(int64(size), shape.Rows-from)
				if err := handle.PutAll(groupCtx, rows.fill(from, n, Columns{0, shape.Columns})); err != nil {
					return fmt.Errorf("rows %d to %d: %w", from, from+n-1, err)
				}
				done.Add(n)
			}
		})
	}
	return g.Wait()
}

// rowBuffer is one worker's reusable rows.
type rowBuffer struct {
	rows    []Row
	keys    []([KeyLen]byte)
	buffers []*writeBuffer
	layout  Keys
}

func newRowBuffer(n int, shape Shape) *rowBuffer {
	b := &rowBuffer{
		rows:    make([]Row, n),
		keys:    make([][KeyLen]byte, n),
		buffers: make([]*writeBuffer, n),
		layout:  shape.keys(),
	}
	values := shape.values()
	for i := range b.rows {
		b.buffers[i] = newWriteBuffer(values, max(shape.Columns, 1))
		b.rows[i].Key = b.keys[i][:]
	}
	return b
}

// fill makes n rows from a number on.
func (b *rowBuffer) fill(from, n int64, columns Columns) []Row {
	for i := range n {
		b.set(int(i), from+i, columns)
	}
	return b.rows[:n]
}

// set makes one of the rows.
func (b *rowBuffer) set(i int, row int64, columns Columns) {
	b.layout.Put(&b.keys[i], row)
	b.rows[i].First = columns.First
	b.rows[i].Values = b.buffers[i].fill(row, columns)
}

// reportProgress calls report twice a second until the function that it returns
// is called, which reports the end.
func reportProgress(report func(done, total int64), done *atomic.Int64, total int64) (stop func()) {
	if report == nil {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				report(done.Load(), total)
			case <-quit:
				report(done.Load(), total)
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}
