package load

import (
	"context"

	"hbtune/sweep/trial"
)

// operation is one kind of call, bound to one worker and its buffers. prepare
// draws the key and builds what is to be sent; do sends it and waits. Service
// time is that of do alone.
type operation interface {
	prepare()
	do(ctx context.Context) (outcome, error)
}

// Kinds of operation, as results name them.
var kindNames = [...]string{kindRead: "read", kindPut: "put"}

const (
	kindRead uint8 = iota
	kindPut
)

// share gives an operation its part of the mix: it is the one whose range of
// 64-bit draws a draw falls into, the last taking what is left.
type share struct {
	kind  uint8
	below uint64
	op    operation
}

// read gets one row and checks what came.
type read struct {
	table  Table
	draw   *Draw
	keys   Keys
	values Values
	verify bool
	row    int64
	key    [KeyLen]byte
}

func (r *read) prepare() {
	r.row = r.draw.Row()
	r.keys.Put(&r.key, r.row)
}

func (r *read) do(ctx context.Context) (outcome, error) {
	value, found, err := r.table.Get(ctx, r.key[:])
	switch {
	case err != nil:
		return failed, err
	case !found:
		return notFound, nil
	case r.verify && !r.values.Matches(value, r.row), !r.values.Plausible(value, r.row):
		return failed, errWrongValue
	}
	return done, nil
}

// put writes one row, with the value that belongs to it.
type put struct {
	table  Table
	draw   *Draw
	keys   Keys
	values Values
	key    [KeyLen]byte
	value  []byte
}

func (p *put) prepare() {
	row := p.draw.Row()
	p.keys.Put(&p.key, row)
	p.values.Put(p.value, row)
}

func (p *put) do(ctx context.Context) (outcome, error) {
	if err := p.table.Put(ctx, p.key[:], p.value); err != nil {
		return failed, err
	}
	return done, nil
}

// errWrongValue is a read that brought something else than was loaded.
var errWrongValue = wrongValue{}

type wrongValue struct{}

func (wrongValue) Error() string { return "a read returned a value that is not the row's own" }
func (wrongValue) Class() string { return "wrong-value" }

// mix builds a worker's operations: reads over the working set of one table,
// puts over all rows of the other.
func (c *Config) mix(cluster Cluster, worker int, readShape, writeShape Shape) []share {
	var shares []share
	if c.reads() {
		shares = append(shares, share{
			kind:  kindRead,
			below: threshold(c.Workload.ReadShare),
			op: &read{
				table:  cluster.Table(c.Workload.Table, worker),
				draw:   NewDraw(c.Seed, 2*uint64(worker), c.workingSet()),
				keys:   readShape.keys(),
				values: readShape.values(),
				verify: c.Verify,
			},
		})
	}
	if c.writes() {
		shares = append(shares, share{
			kind:  kindPut,
			below: threshold(1),
			op: &put{
				table:  cluster.Table(c.writeTable(), worker),
				draw:   NewDraw(c.Seed, 2*uint64(worker)+1, c.Workload.Rows),
				keys:   writeShape.keys(),
				values: writeShape.values(),
				value:  make([]byte, c.Workload.ValueBytes),
			},
		})
	}
	return shares
}

// threshold turns a probability into a bound on 64-bit draws.
func threshold(p float64) uint64 {
	if p >= 1 {
		return ^uint64(0)
	}
	return uint64(p * (1 << 63) * 2)
}

// workloadName is how results call the workload if it has no name.
func workloadName(w trial.Workload) string {
	switch {
	case w.Name != "":
		return w.Name
	case w.ReadShare >= 1:
		return "get"
	case w.ReadShare <= 0:
		return "put"
	default:
		return "mixed"
	}
}
