package hbase

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var family, qualifier = []byte("f"), []byte("q")

func putRow(t testing.TB, tb *Table, row, value string) {
	t.Helper()
	var put Put
	put.Reset([]byte(row))
	put.Add(family, qualifier, []byte(value))
	if err := tb.Put(context.Background(), &put); err != nil {
		t.Fatal(err)
	}
}

func getRow(t testing.TB, tb *Table, row string) (string, bool) {
	t.Helper()
	var result Result
	if err := tb.Get(context.Background(), &Get{Row: []byte(row)}, &result); err != nil {
		t.Fatal(err)
	}
	value, ok := result.Value(family, qualifier)
	return string(value), ok
}

func TestPutGetDelete(t *testing.T) {
	f := newFake(t, 2, "t", "g", "p")
	tb := f.client(Config{}).Table("t")
	for _, row := range []string{"a", "g", "h", "p", "z"} {
		putRow(t, tb, row, "v"+row)
	}
	for _, row := range []string{"a", "g", "h", "p", "z"} {
		if v, ok := getRow(t, tb, row); !ok || v != "v"+row {
			t.Errorf("row %s: %q, %v", row, v, ok)
		}
	}
	var del Delete
	del.Reset([]byte("h"))
	del.AddColumn(family, qualifier)
	if err := tb.Delete(context.Background(), &del); err != nil {
		t.Fatal(err)
	}
	if v, ok := getRow(t, tb, "h"); ok {
		t.Errorf("deleted row has %q", v)
	}
	if f.lookups != 1 {
		t.Errorf("hbase:meta was scanned %d times, not once for the whole table", f.lookups)
	}
}

func TestConcurrentCallersGetTheirOwn(t *testing.T) {
	f := newFake(t, 2, "t", "row050")
	for i := range 100 {
		f.rows[fmt.Sprintf("row%03d", i)] = fmt.Sprint(i)
	}
	for _, cfg := range []Config{{}, {Connections: 3}, {Connections: 3, PerWorker: true}} {
		c := f.client(cfg)
		var wg sync.WaitGroup
		for w := range 32 {
			wg.Go(func() {
				tb := c.Table("t").ForWorker(w)
				var result Result
				for i := range 100 {
					n := (i*7 + w) % 100
					get := Get{Row: fmt.Appendf(nil, "row%03d", n)}
					if err := tb.Get(context.Background(), &get, &result); err != nil {
						t.Error(err)
						return
					}
					if v, _ := result.Value(family, qualifier); string(v) != fmt.Sprint(n) {
						t.Errorf("row %d has value %q", n, v)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestRegionMovesAreFollowed(t *testing.T) {
	f := newFake(t, 2, "t")
	f.rows["a"] = "1"
	tb := f.client(Config{}).Table("t")
	getRow(t, tb, "a")
	f.move(0, 1)
	if v, _ := getRow(t, tb, "a"); v != "1" {
		t.Fatalf("after the move: %q", v)
	}
	if f.lookups != 2 {
		t.Errorf("%d lookups, not 2", f.lookups)
	}
	// RegionMovedException says where to, so that meta need not be asked.
	f.mu.Lock()
	f.answer = func(call *fakeCall) *fakeReply {
		if call.server == 1 && call.method == "Get" {
			f.regions[0].server = 0
			return &fakeReply{exception: "exceptions.RegionMovedException", movedTo: f.servers[0]}
		}
		return nil
	}
	f.mu.Unlock()
	if v, _ := getRow(t, tb, "a"); v != "1" {
		t.Fatalf("after the second move: %q", v)
	}
	if f.lookups != 2 {
		t.Errorf("%d lookups, not 2: the exception named the new server", f.lookups)
	}
}

func TestErrorsTellWhatFailed(t *testing.T) {
	f := newFake(t, 1, "t")
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Mutate" {
			return &fakeReply{exception: "regionserver.NoSuchColumnFamilyException", doNotRetry: true}
		}
		return nil
	}
	tb := f.client(Config{}).Table("t")
	put := Put{Row: []byte("a")}
	put.Add([]byte("x"), nil, nil)
	err := tb.Put(context.Background(), &put)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	if e.Class != "NoSuchColumnFamilyException" || e.Server != f.servers[0].addr() || e.Table != "t" ||
		e.Retryable || e.Attempts != 1 || e.Region != f.regions[0].name() {
		t.Errorf("%+v", e)
	}
	err = f.client(Config{}).Table("absent").Get(context.Background(), &Get{Row: []byte("a")}, new(Result))
	if !errors.Is(err, ErrTableNotFound) {
		t.Errorf("absent table: %v", err)
	}
}

// Servers drop a call about a table that can't be, so that asking would take
// all retries.
func TestImpossibleTableNames(t *testing.T) {
	for _, name := range []string{"", "my table", "-a", ".a", "a/b", ":a", "a:", "a:b:c", "a,b", "ns-1:t", "täbel"} {
		if CheckTable(name) == nil {
			t.Errorf("%q was let through", name)
		}
	}
	for _, name := range []string{"a", "_a", "ns_1:t.2-x", "hbase:meta", "0"} {
		if err := CheckTable(name); err != nil {
			t.Error(err)
		}
	}
	c := newFake(t, 1, "t").client(Config{})
	var result Result
	for what, err := range map[string]error{
		"get":    c.Table("my table").Get(t.Context(), &Get{Row: []byte("r")}, &result),
		"create": c.Admin().CreateTable(t.Context(), &TableSchema{Name: "my table"}, nil),
		"exists": func() error { _, err := c.Admin().TableExists(t.Context(), "my table"); return err }(),
		"list":   func() error { _, err := c.Admin().Regions(t.Context(), "my table"); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "is not a table's name") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestRetriesEndWithTheLastFailure(t *testing.T) {
	f := newFake(t, 1, "t")
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Get" {
			return &fakeReply{exception: "RegionTooBusyException"}
		}
		return nil
	}
	tb := f.client(Config{Retries: 3}).Table("t")
	err := tb.Get(context.Background(), &Get{Row: []byte("a")}, new(Result))
	var e *Error
	if !errors.As(err, &e) || e.Attempts != 4 || !e.Retryable || e.Class != "RegionTooBusyException" {
		t.Errorf("%+v", err)
	}
}

// A server that drops calls without a word must not hold a caller beyond its
// deadline, whether it is the one that reads or one that waits for the reader.
func TestDeadlinesHoldOnSilentServer(t *testing.T) {
	f := newFake(t, 1, "t")
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Get" && call.param.sub(2).str(1) == "silent" {
			return &fakeReply{silence: true}
		}
		return nil
	}
	f.rows["a"] = "1"
	c := f.client(Config{})
	tb := c.Table("t")
	getRow(t, tb, "a")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20+20*i)*time.Millisecond)
			defer cancel()
			err := tb.Get(ctx, &Get{Row: []byte("silent")}, new(Result))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("silent row: %v", err)
			}
		})
		wg.Go(func() {
			for range 50 {
				if v, _ := getRow(t, tb, "a"); v != "1" {
					t.Errorf("row a: %q", v)
				}
			}
		})
	}
	wg.Wait()
}

func TestRPCTimeoutIsRetried(t *testing.T) {
	f := newFake(t, 1, "t")
	f.rows["a"] = "1"
	dropped := 0
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Get" && dropped < 2 {
			dropped++
			return &fakeReply{silence: true}
		}
		return nil
	}
	tb := f.client(Config{RPCTimeout: 50 * time.Millisecond}).Table("t")
	if v, _ := getRow(t, tb, "a"); v != "1" {
		t.Errorf("row a: %q", v)
	}
}

func TestConnectionLossFailsCallsAtOnce(t *testing.T) {
	f := newFake(t, 1, "t")
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Get" {
			return &fakeReply{hangUp: true}
		}
		return nil
	}
	c := f.client(Config{Retries: -1})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			err := c.Table("t").Get(context.Background(), &Get{Row: []byte("a")}, new(Result))
			var e *Error
			if !errors.As(err, &e) || !e.Retryable || e.Class != "" {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
}

func TestCloseEndsCalls(t *testing.T) {
	f := newFake(t, 1, "t")
	arrived := make(chan struct{})
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Get" {
			close(arrived)
			return &fakeReply{silence: true}
		}
		return nil
	}
	c := f.client(Config{})
	got := make(chan error)
	go func() { got <- c.Table("t").Get(context.Background(), &Get{Row: []byte("a")}, new(Result)) }()
	<-arrived
	c.Close()
	if err := <-got; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := c.Table("t").Get(context.Background(), &Get{Row: []byte("a")}, new(Result)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
