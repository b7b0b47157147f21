package hbase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// retrier keeps count of an operation's failures and decides what comes next.
type retrier struct {
	client    *Client
	table     *Table // nil for administration
	tableName string
	op        string
	row       []byte
	begun     time.Time
	failures  int
	// relocated: a failure that may be a stale location has been given its one
	// chance.
	relocated bool
	scanning  bool
}

func newRetrier(t *Table, op string, row []byte) retrier {
	return retrier{client: t.client, table: t, tableName: t.name, op: op, row: row, begun: time.Now()}
}

// after does what the failure of an attempt asks for and waits as long as it
// should. It returns nil if another attempt is to be made, else the error that
// the operation ends with. tried is the region that was tried, if one was.
func (r *retrier) after(ctx context.Context, tried *region, err error) error {
	r.failures++
	what := r.reaction(err)
	if what.isFinal() {
		return r.final(tried, err, false)
	}
	if r.exhausted() {
		return r.final(tried, err, true)
	}
	if tried != nil && r.table != nil {
		r.table.react(what.action, tried, err)
	}
	if ended := sleep(ctx, r.wait(what, err)); ended != nil {
		return r.final(tried, endedWaiting(ended, err), true)
	}
	return nil
}

// reaction is what the table of reactions says of the failure of this
// operation.
func (r *retrier) reaction(err error) reaction {
	what := reactionToError(err)
	switch {
	case what.action == reopen && r.scanning:
		what.action = atOnce
	case what.action == relocateOnce && r.relocated:
		what.action = giveUp
	case what.action == relocateOnce:
		r.relocated, what.action = true, relocate
	}
	return what
}

// exhausted reports whether patience is at its end.
func (r *retrier) exhausted() bool {
	limit := r.client.cfg.OperationTimeout
	if r.table == r.client.meta {
		limit = r.client.cfg.MetaTimeout
	}
	return r.failures > r.client.cfg.Retries || time.Since(r.begun) > limit
}

// endedWaiting tells of a context that ended while a failed operation was
// waiting for its next attempt.
func endedWaiting(ended, failure error) error {
	return fmt.Errorf("%w; last failure: %w", ended, failure)
}

// wait is how long to pause before the next attempt.
func (r *retrier) wait(what reaction, err error) time.Duration {
	switch {
	case what.action == atOnce, what.action == follow && r.failures <= 2:
		return 0
	case what.overloaded:
		return backoff(r.client.cfg.PauseOverloaded, r.failures-1)
	}
	var e *exception
	if errors.As(err, &e) && e.class == "RpcThrottlingException" {
		if wait, ok := throttleWait(e.message); ok {
			return wait
		}
	}
	return backoff(r.client.cfg.Pause, r.failures-1)
}

// react brings the region cache in line with what the failure says.
func (t *Table) react(what action, tried *region, err error) {
	switch what {
	case relocate:
		t.cache.drop(tried)
	case leaveServer:
		t.client.leave(tried.server)
		t.cache.drop(tried)
	case follow:
		t.cache.drop(tried)
		var e *exception
		if errors.As(err, &e) && e.host != "" && e.port > 0 {
			addr := net.JoinHostPort(e.host, strconv.Itoa(e.port))
			t.cache.put(t.client.newRegion(tried.name, tried.start, tried.end, addr))
		}
	}
}

// final makes the error that an operation ends with.
func (r *retrier) final(tried *region, err error, retryable bool) error {
	final := &Error{
		Op: r.op, Table: r.tableName, Row: bytes.Clone(r.row),
		Attempts: r.failures, Retryable: retryable, Err: err,
	}
	if tried != nil && tried.server != nil {
		final.Server, final.Region = tried.server.addr, string(tried.name)
	}
	var e *exception
	if errors.As(err, &e) {
		final.Class, final.Message = e.class, e.message
	}
	return final
}

// throttleWait reads the time out of a throttling exception's message, such as
// "number of requests exceeded - wait 1sec, 250ms".
func throttleWait(message string) (time.Duration, bool) {
	_, text, ok := strings.Cut(message, " - wait ")
	if !ok {
		return 0, false
	}
	total := time.Duration(0)
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits <= 0 {
			return 0, false
		}
		n, err := strconv.Atoi(part[:digits])
		unit, known := throttleUnits[part[digits:]]
		if err != nil || !known || n > maxThrottleCount {
			return 0, false
		}
		total += time.Duration(n) * unit
	}
	return total, true
}

// maxThrottleCount keeps a garbled message from making a wait overflow.
const maxThrottleCount = 1 << 20

var throttleUnits = map[string]time.Duration{
	"hrs": time.Hour, "mins": time.Minute, "sec": time.Second, "ms": time.Millisecond,
}
