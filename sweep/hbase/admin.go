package hbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"hbtune/sweep/hbase/wire"
)

// Types of the wire format that administration speaks in.
type (
	// TableSchema describes a table.
	TableSchema = wire.TableSchema
	// FamilySchema describes a column family.
	FamilySchema = wire.FamilySchema
	// Attribute is one name and value of a descriptor.
	Attribute = wire.Attribute
	// TableState is enabled, disabled, or on the way.
	TableState = wire.TableState
	// ServerName identifies one life of a server process.
	ServerName = wire.ServerName
	// ClusterStatus is what the master says of the cluster.
	ClusterStatus = wire.ClusterStatus
	// RegionLoad is what a RegionServer last reported of a region.
	RegionLoad = wire.RegionLoad
	// CompactionState tells what compactions run.
	CompactionState = wire.CompactionState
)

// Admin does what an administrator does: tables, regions, switches, status. Its
// methods return when the thing is done, not when it has been asked for.
type Admin struct {
	client *Client

	mu      sync.Mutex
	address string // the master's, as last found; empty: unknown
}

// Admin returns the client's administration.
func (c *Client) Admin() *Admin { return &c.admin }

// Master returns the active master's name.
func (a *Admin) Master(ctx context.Context) (ServerName, error) {
	name, err := a.client.registry.master(ctx)
	if err != nil {
		return name, &Error{Op: "Master", Attempts: 1, Err: err}
	}
	return name, nil
}

// masterServer returns the master as last found; again asks for it anew.
func (a *Admin) masterServer(ctx context.Context, again bool) (*server, error) {
	a.mu.Lock()
	address := a.address
	a.mu.Unlock()
	if address == "" || again {
		name, err := a.client.registry.master(ctx)
		if err != nil {
			return nil, err
		}
		address = name.Addr()
		a.mu.Lock()
		a.address = address
		a.mu.Unlock()
	}
	return a.client.server(address, wire.MasterService), nil
}

// master calls a method of the active master, wherever that is by now, until it
// succeeds or trying again can't help.
func (a *Admin) master(ctx context.Context, method, table string, param func([]byte) []byte) (wire.Reply, error) {
	if err := checkTarget(method, table); err != nil {
		return wire.Reply{}, err
	}
	retry := retrier{client: a.client, tableName: table, op: method, begun: time.Now()}
	for {
		s, err := a.masterServer(ctx, retry.failures > 0)
		var reply wire.Reply
		if err == nil {
			if reply, err = a.send(ctx, s, method, param); err == nil {
				return reply, nil
			}
		}
		if err := retry.after(ctx, &region{server: s}, err); err != nil {
			return wire.Reply{}, err
		}
	}
}

// at calls a method of a server's AdminService. It tries again where the server
// asks for patience; if the region or the server is not there (any more) the
// error is one that is Retryable, elsewhere.
func (a *Admin) at(ctx context.Context, address, method, table string, param func([]byte) []byte) (wire.Reply, error) {
	if err := checkTarget(method, table); err != nil {
		return wire.Reply{}, err
	}
	retry := retrier{client: a.client, tableName: table, op: method, begun: time.Now()}
	s := a.client.server(address, wire.AdminService)
	for {
		reply, err := a.send(ctx, s, method, param)
		if err == nil {
			return reply, nil
		}
		tried := &region{server: s}
		switch reactionToError(err).action {
		case relocate, relocateOnce, follow, leaveServer:
			retry.failures++
			return reply, retry.final(tried, err, true)
		}
		if err := retry.after(ctx, tried, err); err != nil {
			return reply, err
		}
	}
}

// checkTarget checks the table that a method is about, if it is about one.
func checkTarget(method, table string) error {
	if table == "" {
		return nil
	}
	if err := CheckTable(table); err != nil {
		return &Error{Op: method, Err: err}
	}
	return nil
}

// send makes one call; the reply is the caller's own.
func (a *Admin) send(ctx context.Context, s *server, method string, param func([]byte) []byte) (wire.Reply, error) {
	call := newCall() // not from the pool: the reply outlives it
	call.param = param(nil)
	call.header.Priority = wire.PriorityAdmin
	return a.client.send(ctx, s, anyConn, method, a.client.cfg.RPCTimeout, call)
}

// procedure calls a method that begins a procedure and waits for its end.
func (a *Admin) procedure(ctx context.Context, method, table string, param func([]byte, wire.Nonce) []byte) error {
	nonce := wire.Nonce{Group: 1 + rand.Uint64N(1<<62), Value: 1 + rand.Uint64N(1<<62)}
	reply, err := a.master(ctx, method, table, func(b []byte) []byte { return param(b, nonce) })
	if err != nil {
		return err
	}
	id, err := wire.ParseUint(reply)
	if err == nil && id == 0 {
		err = errNoProcedure
	}
	if err != nil {
		return wrapReply(method, table, err)
	}
	return a.await(ctx, method, table, id)
}

var errNoProcedure = errors.New("the master took it, but does not tell when it is done (HBase before 2.0)")

const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 500 * time.Millisecond
)

// await waits for a procedure. Finished ones are forgotten after a while, so
// that one that is not found any more has ended.
func (a *Admin) await(ctx context.Context, method, table string, id uint64) error {
	seen := false
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		reply, err := a.master(ctx, "getProcedureResult", table, func(b []byte) []byte { return wire.AppendProcedure(b, id) })
		if err != nil {
			return err
		}
		p, err := wire.ParseProcedure(reply)
		if err != nil {
			return &Error{Op: method, Table: table, Attempts: 1, Err: err}
		}
		switch {
		case p.State == wire.ProcedureFinished && p.Exception != nil:
			e := newException(p.Exception)
			return &Error{Op: method, Table: table, Attempts: 1, Class: e.class, Message: e.message, Err: e}
		case p.State == wire.ProcedureFinished, p.State == wire.ProcedureNotFound && seen:
			return nil
		case p.State == wire.ProcedureNotFound:
			return &Error{Op: method, Table: table, Attempts: 1, Err: fmt.Errorf("the master knows nothing of procedure %d that it began", id)}
		}
		seen = true
		if err := sleep(ctx, pause); err != nil {
			return &Error{Op: method, Table: table, Attempts: 1, Retryable: true, Err: fmt.Errorf("waiting for procedure %d: %w", id, err)}
		}
	}
}

// isClass reports whether the error is the server's exception of that class.
func isClass(err error, class string) bool {
	var e *Error
	return errors.As(err, &e) && e.Class == class
}

// isUnsupported reports that a server knows no such method.
func isUnsupported(err error) bool {
	var e *Error
	return errors.As(err, &e) && strings.Contains(e.Message, "UnsupportedOperationException")
}

func isRetryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Retryable
}
