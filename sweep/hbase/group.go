package hbase

import (
	"context"
	"errors"

	"hbtune/sweep/hbase/wire"
)

// maxBatchBytes bounds one call of Multi; what is more goes in another one.
const maxBatchBytes = 16 << 20

// group is the part of a batch that goes to one server.
type group struct {
	server *server
	items  []int    // of the batch, ordered by region
	frames [][]byte // replies
	spare  []byte   // memory for one

	// The call being made.
	batch   *Batch
	now     []int // its items
	regions []int // where in now each region's begin
}

// send tries each action of the group once.
func (g *group) send(ctx context.Context, t *Table, b *Batch) {
	call := t.client.getCall()
	defer t.client.putCall(call)
	g.batch = b
	limit := maxBatchBytes
	for rest := g.items; len(rest) > 0; rest = rest[len(g.now):] {
		g.encode(call, rest, limit)
		reply, err := t.send(ctx, g.server, "Multi", t.client.cfg.WriteTimeout, call)
		if err == nil {
			if err = wire.ParseMulti(reply, g); err == nil {
				g.frames = append(g.frames, call.frame)
				call.frame, g.spare = g.spare[:0], nil
				continue
			}
		}
		var e *exception
		if errors.As(err, &e) && e.action == halve && len(g.now) > 1 {
			limit = (len(call.param) + len(call.cells)) / 2
			g.now = g.now[:0] // none of these has been done
			continue
		}
		for _, i := range g.now {
			b.items[i].err = err
		}
	}
}

// encode puts as many of the items as the limit allows, at least one, into the
// call.
func (g *group) encode(call *call, items []int, limit int) {
	var m wire.Multi
	m.Begin(call.param[:0], call.cells[:0])
	g.regions = g.regions[:0]
	g.now = items
	var last *region
	for n, i := range items {
		if n > 0 && m.Size() > limit {
			g.now = items[:n]
			break
		}
		item := &g.batch.items[i]
		item.err = errNoAnswer // until the reply says otherwise
		if item.region != last {
			last = item.region
			m.Region(last.name)
			g.regions = append(g.regions, n)
		}
		// Indexes are places in now: what comes back is then easily checked.
		if item.get != nil {
			m.Get(n, item.get)
		} else {
			m.Mutate(n, &item.mutation)
		}
	}
	call.param, call.cells = m.End()
}

// item returns the item that a reply speaks of, nil if there is no such one.
func (g *group) item(index int) *item {
	if index < 0 || index >= len(g.now) {
		return nil
	}
	return &g.batch.items[g.now[index]]
}

// RegionFailed implements wire.MultiReply.
func (g *group) RegionFailed(region int, class, stack string) {
	if region >= len(g.regions) {
		return
	}
	end := len(g.now)
	if region+1 < len(g.regions) {
		end = g.regions[region+1]
	}
	err := newNamedException(class, stack)
	for n := g.regions[region]; n < end; n++ {
		g.item(n).err = err
	}
}

// Failed implements wire.MultiReply.
func (g *group) Failed(_, index int, class, stack string) {
	if item := g.item(index); item != nil {
		item.err = newNamedException(class, stack)
	}
}

// Result implements wire.MultiReply.
func (g *group) Result(_, index int) *wire.Result {
	item := g.item(index)
	if item == nil {
		return nil
	}
	item.err = nil
	if item.result == nil {
		return nil
	}
	item.result.Reset()
	return &item.result.Result
}
