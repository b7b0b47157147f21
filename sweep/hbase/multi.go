package hbase

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Multi does all actions of the batch, in no particular order: those for one
// server in one call, servers at the same time. Actions that fail in a way
// another try may mend are tried again, they alone. If some fail for good the
// error is a *BatchError, and Batch.Err has each one's outcome.
func (t *Table) Multi(ctx context.Context, b *Batch) error {
	retry := newRetrier(t, "Multi", nil)
	b.todo = b.todo[:0]
	for i := range b.items {
		item := &b.items[i]
		if item.err = item.check(); item.err != nil {
			item.err = t.refuse("Multi", item.row(), item.err)
			continue
		}
		b.todo = append(b.todo, i)
	}
	for len(b.todo) > 0 {
		t.multiOnce(ctx, b)
		pause := t.judge(b, &retry)
		if len(b.todo) == 0 {
			break
		}
		if err := sleep(ctx, pause); err != nil {
			for _, i := range b.todo {
				item := &b.items[i]
				item.err = retry.final(item.region, endedWaiting(err, item.err), true)
			}
			break
		}
	}
	return b.failures()
}

// multiOnce tries each action in todo once.
func (t *Table) multiOnce(ctx context.Context, b *Batch) {
	for _, i := range b.todo {
		item := &b.items[i]
		item.region, item.err = t.locate(ctx, item.row())
	}
	b.group()
	for i := range b.groups {
		if n := len(b.spare); n > 0 && b.groups[i].spare == nil {
			b.groups[i].spare, b.spare = b.spare[n-1], b.spare[:n-1]
		}
	}
	if len(b.groups) == 1 {
		b.groups[0].send(ctx, t, b)
	} else {
		b.sendAll(ctx, t)
	}
	for i := range b.groups {
		b.frames = append(b.frames, b.groups[i].frames...)
		b.groups[i].frames = b.groups[i].frames[:0]
	}
}

// sendAll sends to several servers at once.
func (b *Batch) sendAll(ctx context.Context, t *Table) {
	var all sync.WaitGroup
	for i := range b.groups {
		all.Go(func() { b.groups[i].send(ctx, t, b) })
	}
	all.Wait()
}

// group sorts the actions that have a region by server, region and row, and makes
// a group for each server. In the order of rows a server, which locks and stores
// by row, has less to do; actions on one row keep the order they came in.
func (b *Batch) group() {
	slices.SortFunc(b.todo, func(i, j int) int {
		x, y := &b.items[i], &b.items[j]
		if order := compareRegions(x.region, y.region); order != 0 {
			return order
		}
		if order := bytes.Compare(x.row(), y.row()); order != 0 {
			return order
		}
		return cmp.Compare(i, j)
	})
	n := 0
	for at := 0; at < len(b.todo); {
		r := b.items[b.todo[at]].region
		end := at + 1
		for end < len(b.todo) && sameServer(b.items[b.todo[end]].region, r) {
			end++
		}
		if r != nil {
			if n == cap(b.groups) {
				b.groups = append(b.groups[:n], group{})
			}
			b.groups = b.groups[:n+1] // what stands there keeps its memory
			b.groups[n].server, b.groups[n].items = r.server, b.todo[at:end]
			n++
		}
		at = end
	}
	b.groups = b.groups[:n]
}

func sameServer(a, b *region) bool {
	return a == b || a != nil && b != nil && a.server == b.server
}

// compareRegions orders by server, then by region; actions without a region
// come first.
func compareRegions(a, b *region) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.server.number, b.server.number), cmp.Compare(a.number, b.number))
}

// judge decides for each action of todo whether it is done, has failed for
// good, or stays in todo, and returns how long to wait before that.
func (t *Table) judge(b *Batch, retry *retrier) (pause time.Duration) {
	retry.failures++
	exhausted := retry.exhausted()
	left := b.todo[:0]
	var reacted *region
	relocated := retry.relocated
	for _, i := range b.todo {
		item := &b.items[i]
		if item.err == nil {
			continue
		}
		retry.relocated = relocated // each action has its one chance
		what := retry.reaction(item.err)
		if what.isFinal() || exhausted {
			item.err = retry.final(item.region, item.err, !what.isFinal())
			continue
		}
		if item.region != nil && item.region != reacted {
			reacted = item.region
			t.react(what.action, item.region, item.err)
		}
		pause = max(pause, retry.wait(what, item.err))
		left = append(left, i)
	}
	b.todo = left
	return pause
}

var errNoAnswer = errors.New("the server's reply says nothing of this action")
