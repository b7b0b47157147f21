package hbase

import (
	"context"
	"math"
	"time"

	"hbtune/sweep/hbase/wire"
)

// operation is one request on one row, as the retry loop sees it: a get, or
// else a mutation. It stands on its caller's stack; the mutation is not a
// pointer because what it pointed to would not.
type operation struct {
	method string
	row    []byte
	result *Result // where to put cells; nil: nowhere

	get *Get

	mutation  wire.Mutation
	condition *wire.Condition
	processed bool // the mutation was done: its condition held
}

func (op *operation) check() error {
	if op.get != nil {
		return checkRow(op.row)
	}
	return checkMutation(&op.mutation)
}

// encode puts the request into the call.
func (op *operation) encode(call *call, r *region) {
	if op.get != nil {
		call.param = wire.AppendGet(call.param[:0], r.name, op.get)
		call.cells = call.cells[:0]
		return
	}
	call.param, call.cells = wire.AppendMutate(call.param[:0], call.cells[:0], r.name, &op.mutation, op.condition)
}

// decode reads the reply. Where there is a result to fill, the reply's memory
// becomes the result's, and the result's old memory the call's.
func (op *operation) decode(call *call, reply wire.Reply) (err error) {
	if op.result != nil {
		op.result.frame, call.frame = call.frame, op.result.frame
	}
	if op.get != nil {
		return wire.ParseGet(reply, &op.result.Result)
	}
	var discard wire.Result
	into := &discard
	if op.result != nil {
		into = &op.result.Result
	}
	op.processed, err = wire.ParseMutate(reply, into)
	return err
}

// do runs an operation: find the region, send, and while it fails in a way that
// another try may mend, do what the failure asks for and try again.
func (t *Table) do(ctx context.Context, op *operation) error {
	if err := op.check(); err != nil {
		return t.refuse(op.method, op.row, err)
	}
	call := t.client.getCall()
	defer t.client.putCall(call)
	r, err := t.attempt(ctx, op, call)
	if err == nil {
		return nil
	}
	// Only what fails pays for the bookkeeping of retries.
	retry := newRetrier(t, op.method, op.row)
	for {
		if err = retry.after(ctx, r, err); err != nil {
			return err
		}
		if r, err = t.attempt(ctx, op, call); err == nil {
			return nil
		}
	}
}

func (t *Table) attempt(ctx context.Context, op *operation, call *call) (*region, error) {
	r, err := t.locate(ctx, op.row)
	if err != nil {
		return nil, err
	}
	op.encode(call, r)
	timeout := t.client.cfg.WriteTimeout
	if op.get != nil {
		timeout = t.client.cfg.ReadTimeout
	}
	reply, err := t.send(ctx, r.server, op.method, timeout, call)
	if err != nil {
		return r, err
	}
	return r, op.decode(call, reply)
}

// send sends a call that concerns the table's rows.
func (t *Table) send(ctx context.Context, s *server, method string, timeout time.Duration, call *call) (wire.Reply, error) {
	call.header.Priority = wire.PriorityNone
	if t == t.client.meta {
		call.header.Priority = wire.PriorityMeta
	}
	return t.client.send(ctx, s, t.worker, method, timeout, call)
}

// send sends an encoded call once and takes the reply apart.
func (c *Client) send(ctx context.Context, s *server, worker int, method string, timeout time.Duration, call *call) (wire.Reply, error) {
	if err := ctx.Err(); err != nil {
		return wire.Reply{}, err
	}
	conn, err := s.connection(ctx, worker)
	if err != nil {
		return wire.Reply{}, err
	}
	now := time.Now()
	call.deadline = now.Add(timeout)
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, deadline.Sub(now))
	}
	call.ctx = ctx
	call.header.Method = method
	call.header.TimeoutMillis = uint32(min(max(timeout/time.Millisecond, 1), math.MaxInt32))
	err = conn.roundTrip(call)
	call.ctx = nil
	if err != nil {
		return wire.Reply{}, err
	}
	reply, err := wire.ParseReply(call.frame)
	if err != nil {
		err = &connError{addr: s.addr, err: err}
		conn.fail(err) // what else it would send can't be trusted
		return reply, err
	}
	if reply.Exception != nil {
		return reply, newException(reply.Exception)
	}
	return reply, nil
}
