//go:build faults

package hbase

import (
	"context"
	"errors"
	"testing"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// TestRealFaults lets everything happen to a cluster of two RegionServers on
// HDFS (a crash on plain files loses what was not flushed) while it is under
// load. It takes many minutes and is therefore only built with the tag faults:
//
//	HBTUNE_REAL=1 go test -tags faults -timeout 30m -run RealFaults ./sweep/hbase
func TestRealFaults(t *testing.T) {
	cluster := localtest.Private(t, local.Config{RegionServers: 2, Storage: local.StorageHDFS})
	r := dialReal(t, cluster)
	t.Run("RegionsMoveSplitMerge", func(t *testing.T) { realMoves(r.with(t, "2500", "5000", "7500")) })
	t.Run("Truncate", func(t *testing.T) { realTruncate(r.with(t, "5000")) })
	t.Run("RestartServer", func(t *testing.T) { realNode(r.with(t, "2500", "5000", "7500"), restart(cluster, "rs1")) })
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
