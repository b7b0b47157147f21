package load

import (
	"context"
	"sync/atomic"
	"time"
)

// queue is the state of a message queue's partitions: how many messages of each
// have been written.
type queue struct {
	written []partition
}

// partition has a cache line of its own.
type partition struct {
	messages atomic.Int64
	_        [56]byte
}

func newQueue(partitions int) *queue { return &queue{written: make([]partition, partitions)} }

// append writes the next messages of its own partition.
type appendBatch struct {
	sink
	queue     *queue
	partition int
	next      int64 // message
	all       Columns
}

func (a *appendBatch) prepare() {
	partitions := int64(len(a.queue.written))
	for i := range a.rows.rows {
		a.rows.set(i, (a.next+int64(i))*partitions+int64(a.partition), a.all)
	}
}

func (a *appendBatch) do(ctx context.Context) (outcome, int, error) {
	out, n, err := a.send(ctx)
	if err == nil {
		a.next += int64(n)
		a.queue.written[a.partition].messages.Store(a.next)
	}
	return out, n, err
}

// follow reads the messages of a partition in order, a batch a call, and begins
// again at the oldest once it has caught up with the writer.
type follow struct {
	source
	queue     *queue
	partition int
	batch     int64
	next      int64
	key       [KeyLen]byte
	each      func(key []byte)
	got       int64
	wrong     bool
}

func (f *follow) prepare() {
	if f.next+f.batch > f.queue.written[f.partition].messages.Load() {
		f.next = 0
	}
	f.keys.Put(&f.key, f.row(f.next))
}

func (f *follow) row(message int64) int64 {
	return message*int64(len(f.queue.written)) + int64(f.partition)
}

func (f *follow) see(key []byte) {
	want := f.row(f.next + f.got)
	row, ok := f.keys.Row(key)
	if !ok || row != want || !f.right(row, Columns{0, f.columns.all}) {
		f.wrong = true
	}
	f.got++
}

func (f *follow) do(ctx context.Context) (outcome, int, error) {
	// Only when the load begins is there less than a batch.
	for f.queue.written[f.partition].messages.Load() < f.batch {
		if pause(ctx, time.Millisecond); ctx.Err() != nil {
			return failed, 0, ctx.Err()
		}
	}
	f.got, f.wrong = 0, false
	err := f.table.Scan(ctx, f.key[:], int(f.batch), Columns{0, f.columns.all}, f.each)
	switch {
	case err != nil:
		return failed, 0, err
	case f.wrong:
		return failed, 0, errWrongValue
	case f.got != f.batch:
		return failed, 0, errWrongRows
	}
	f.next += f.got
	return done, int(f.got), nil
}
