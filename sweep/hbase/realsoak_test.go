package hbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hbtune/sweep/local"
)

// opLimit is the deadline of each operation under fault: longer than a crashed
// server's regions need to come back, here.
const opLimit = 3 * time.Minute

// soak puts and gets rows of a table until told to stop, and knows afterwards
// what must be there.
type soak struct {
	r      *real
	halt   func() // stops the workers
	stop   chan struct{}
	wg     sync.WaitGroup
	mu     sync.Mutex
	acked  map[string]string
	failed atomic.Int64
	done   atomic.Int64 // operations that succeeded
}

func (r *real) soak(workers int) *soak {
	s := &soak{r: r, stop: make(chan struct{}), acked: make(map[string]string)}
	s.halt = sync.OnceFunc(func() {
		close(s.stop)
		s.wg.Wait()
	})
	r.Cleanup(s.halt) // also when the test ends early
	for w := range workers {
		s.wg.Go(func() { s.work(w) })
	}
	return s
}

func (s *soak) work(w int) {
	tb := s.r.table.ForWorker(w)
	var put Put
	var result Result
	var mine []string
	for n := 0; ; n++ {
		select {
		case <-s.stop:
			return
		case <-time.After(time.Millisecond): // others need the machine too
		}
		row := fmt.Sprintf("%04d-%d-%06d", rand.IntN(10000), w, n)
		value := fmt.Sprintf("%s/%d", row, rand.Int64())
		put.Reset([]byte(row))
		put.Add(family, qualifier, []byte(value))
		if s.try("put", row, func(ctx context.Context) error { return tb.Put(ctx, &put) }) {
			s.mu.Lock()
			s.acked[row] = value
			s.mu.Unlock()
			mine = append(mine, row)
		}
		if len(mine) == 0 {
			continue
		}
		row = mine[rand.IntN(len(mine))]
		if s.try("get", row, func(ctx context.Context) error { return tb.Get(ctx, &Get{Row: []byte(row)}, &result) }) {
			s.mu.Lock()
			want := s.acked[row]
			s.mu.Unlock()
			if v, _ := result.Value(family, qualifier); string(v) != want {
				s.r.Errorf("row %s is %q, not %q", row, v, want)
			}
		}
	}
}

// try runs one operation and sees to it that it ends in time.
func (s *soak) try(what, row string, op func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(s.r.ctx, opLimit)
	defer cancel()
	start := time.Now()
	err := op(ctx)
	if took := time.Since(start); took > opLimit+10*time.Second {
		s.r.Errorf("%s of row %s took %v", what, row, took)
	}
	if err == nil {
		s.done.Add(1)
		return true
	}
	var e *Error
	if !errors.As(err, &e) {
		s.r.Errorf("%s: an error of type %T: %v", what, err, err)
	}
	if s.failed.Add(1) <= 10 {
		s.r.Logf("%s of row %s failed: %v", what, row, err)
	}
	return false
}

// flows waits until n more operations have succeeded.
func (s *soak) flows(n int64) {
	s.r.Helper()
	until := s.done.Load() + n
	for s.done.Load() < until {
		select {
		case <-s.r.ctx.Done():
			s.r.Fatalf("only %d of %d operations more succeeded", s.done.Load()-until+n, n)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// end stops and reads back every put that was acknowledged.
func (s *soak) end() {
	s.halt()
	var result Result
	lost := 0
	for row, want := range s.acked {
		ctx, cancel := context.WithTimeout(s.r.ctx, opLimit)
		err := s.r.table.Get(ctx, &Get{Row: []byte(row)}, &result)
		cancel()
		if err != nil {
			s.r.Fatalf("reading back: %v", err)
		}
		if v, _ := result.Value(family, qualifier); string(v) != want {
			if lost++; lost <= 10 {
				s.r.Errorf("row %s was acknowledged as %q and is %q", row, want, v)
			}
		}
	}
	found := len(scanAll(s.r.T, s.r.table, &Scan{}))
	s.r.Logf("%d puts acknowledged, %d lost, %d rows found, %d operations failed", len(s.acked), lost, found, s.failed.Load())
	if found < len(s.acked) {
		s.r.Errorf("a scan found %d rows of %d", found, len(s.acked))
	}
}

// TestRealRestart restarts the RegionServer of a cluster under load. Everything
// else that can happen to a cluster is in TestRealFaults.
func TestRealRestart(t *testing.T) {
	cluster := realCluster(t)
	r := dialReal(t, cluster)
	realNode(r.with(t, "2500", "5000", "7500"), restart(cluster, "rs1"))
}

func restart(cluster *local.Cluster, name string) func(context.Context, *soak) error {
	return func(ctx context.Context, _ *soak) error {
		_, err := cluster.RestartNode(ctx, name)
		return err
	}
}

// realNode does something to a daemon under load.
func realNode(r *real, fault func(context.Context, *soak) error) {
	s := r.soak(8)
	s.flows(200)
	r.must(fault(r.ctx, s))
	s.flows(200)
	// Administration works again too.
	if _, err := r.admin.ClusterStatus(r.ctx); err != nil {
		r.Error(err)
	}
	s.end()
}
