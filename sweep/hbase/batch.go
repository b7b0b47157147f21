package hbase

import (
	"fmt"

	"hbtune/sweep/hbase/wire"
)

// Batch collects gets, puts and deletes that are to go out together. It is
// reused: Reset keeps its memory. What is put into it must stay as it is until
// Multi has returned; the results of gets are valid until Reset.
type Batch struct {
	items  []item
	todo   []int // items without an outcome yet
	groups []group
	frames [][]byte // replies that results point into
	spare  [][]byte
}

// item is one action of a batch and what became of it.
type item struct {
	get      *Get
	result   *Result
	mutation wire.Mutation

	region *region // where it was last tried
	err    error
}

func (i *item) row() []byte {
	if i.get != nil {
		return i.get.Row
	}
	return i.mutation.Row
}

func (i *item) check() error {
	if i.get != nil {
		return checkRow(i.get.Row)
	}
	return checkMutation(&i.mutation)
}

// Reset empties the batch.
func (b *Batch) Reset() {
	clear(b.items)
	b.items = b.items[:0]
	b.spare = append(b.spare, b.frames...)
	b.frames = b.frames[:0]
}

// Len is the number of actions.
func (b *Batch) Len() int { return len(b.items) }

// Get adds a get whose answer goes to result.
func (b *Batch) Get(get *Get, result *Result) {
	result.Reset()
	b.items = append(b.items, item{get: get, result: result})
}

// Put adds a put.
func (b *Batch) Put(put *Put) { b.mutate(put.mutation()) }

// Delete adds a delete.
func (b *Batch) Delete(del *Delete) { b.mutate(del.mutation()) }

func (b *Batch) mutate(m wire.Mutation) { b.items = append(b.items, item{mutation: m}) }

// Err is the outcome of the ith action in the last Multi.
func (b *Batch) Err(i int) error { return b.items[i].err }

// BatchError says that some actions of a batch failed. Batch.Err tells which.
type BatchError struct {
	Failed int
	Of     int
	First  error
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("%d of %d actions failed, the first with: %v", e.Failed, e.Of, e.First)
}

// Unwrap returns the first failure.
func (e *BatchError) Unwrap() error { return e.First }

// failures makes Multi's error.
func (b *Batch) failures() error {
	failed := 0
	var first error
	for i := range b.items {
		if err := b.items[i].err; err != nil {
			if failed == 0 {
				first = err
			}
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return &BatchError{Failed: failed, Of: len(b.items), First: first}
}
