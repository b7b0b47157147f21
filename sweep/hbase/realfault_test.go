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
	"hbtune/sweep/local/localtest"
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

// TestRealFaults lets everything happen to a cluster of two RegionServers on
// HDFS (a crash on plain files loses what was not flushed) while it is under
// load.
func TestRealFaults(t *testing.T) {
	cluster := localtest.Private(t, local.Config{RegionServers: 2, Storage: local.StorageHDFS})
	r := dialReal(t, cluster)
	t.Run("RegionsMoveSplitMerge", func(t *testing.T) { realMoves(r.with(t, "2500", "5000", "7500")) })
	t.Run("Truncate", func(t *testing.T) { realTruncate(r.with(t, "5000")) })
	t.Run("RestartServer", func(t *testing.T) {
		realNode(r.with(t, "2500", "5000", "7500"), func(ctx context.Context, s *soak) error {
			_, err := cluster.RestartNode(ctx, "rs1")
			return err
		})
	})
	t.Run("KillServer", func(t *testing.T) {
		realNode(r.with(t, "2500", "5000", "7500"), func(ctx context.Context, s *soak) error {
			if err := cluster.KillNode(ctx, "rs2"); err != nil {
				return err
			}
			s.flows(50) // on the other server
			if err := cluster.StartNode(ctx, "rs2"); err != nil {
				return err
			}
			return cluster.WaitServing(ctx)
		})
	})
	t.Run("RestartMaster", func(t *testing.T) { realNode(r.with(t, "5000"), restart(cluster, "master")) })
	t.Run("RestartZooKeeper", func(t *testing.T) { realNode(r.with(t, "5000"), restart(cluster, "zk")) })
	t.Run("MetaMoves", func(t *testing.T) { realMetaMoves(r.with(t, "2500", "5000", "7500")) })
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

func realMoves(r *real) {
	balancer, err := r.admin.SetBalancer(r.ctx, false)
	r.must(err)
	defer func() { r.admin.SetBalancer(r.ctx, balancer) }()
	status, err := r.admin.ClusterStatus(r.ctx)
	r.must(err)
	s := r.soak(8)
	s.flows(100)
	name := r.table.Name()
	for round := range 2 {
		regions, err := r.admin.Regions(r.ctx, name)
		r.must(err)
		for i, region := range regions {
			r.must(r.admin.MoveRegion(r.ctx, region, &status.Live[(i+round)%2].Server))
		}
		s.flows(100)
	}
	regions, err := r.admin.Regions(r.ctx, name)
	r.must(err)
	r.must(r.admin.SplitRegion(r.ctx, regions[0], []byte("1250")))
	s.flows(100)
	after, err := r.admin.Regions(r.ctx, name)
	r.must(err)
	if len(after) != len(regions)+1 {
		r.Errorf("%d regions after a split of one of %d", len(after), len(regions))
	}
	r.must(r.admin.MergeRegions(r.ctx, after[len(after)-2], after[len(after)-1]))
	s.flows(100)
	if again, err := r.admin.Regions(r.ctx, name); err != nil || len(again) != len(after)-1 {
		r.Errorf("%d regions after a merge of two of %d, %v", len(again), len(after), err)
	}
	s.end()
}

func realTruncate(r *real) {
	rows := r.fill(100)
	r.must(r.admin.DisableTable(r.ctx, r.table.Name()))
	// Another client, which is not told, must find the new regions by itself.
	other := dialReal(r.T, r.cluster)
	tb := other.client.Table(r.table.Name())
	if err := tb.Get(r.ctx, &Get{Row: []byte(rows[0])}, new(Result)); !errors.Is(err, ErrTableDisabled) {
		r.Errorf("get of a disabled table: %v", err)
	}
	r.must(r.admin.EnableTable(r.ctx, r.table.Name()))
	if v, _ := getRow(r.T, tb, rows[0]); v != "v"+rows[0] {
		r.Errorf("row %s is %q", rows[0], v)
	}
	r.must(r.admin.DisableTable(r.ctx, r.table.Name()))
	r.must(r.admin.TruncateTable(r.ctx, r.table.Name(), false))
	if v, ok := getRow(r.T, tb, rows[0]); ok {
		r.Errorf("row %s is still %q", rows[0], v)
	}
	putRow(r.T, tb, rows[0], "new")
}

func realMetaMoves(r *real) {
	status, err := r.admin.ClusterStatus(r.ctx)
	r.must(err)
	s := r.soak(8)
	s.flows(50)
	meta := Region{Name: metaRegion, Table: metaTable}
	for i := range 3 {
		r.must(r.admin.MoveRegion(r.ctx, meta, &status.Live[i%2].Server))
		r.table.cache.clear() // so that it must be looked up
		s.flows(50)
	}
	s.end()
}
