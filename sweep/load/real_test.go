package load

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"hbtune/sweep/hbase"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

// realCluster connects to a cluster of the test's own.
func realCluster(t *testing.T, cluster *local.Cluster) (*hbase.Client, Cluster, Metrics) {
	t.Helper()
	client, err := hbase.Dial(t.Context(), hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	var urls []string
	for _, n := range cluster.RegionServers() {
		urls = append(urls, n.InfoURL)
	}
	c, m := OpenHBase(client, urls)
	return client, c, m
}

// TestRealLoad goes the whole way on a RegionServer whose cache holds about 150
// MB: load, calibrate for two levels, measure reads and writes.
func TestRealLoad(t *testing.T) {
	cluster := localtest.Private(t, local.Config{HeapMB: 384})
	client, c, m := realCluster(t, cluster)
	ctx := t.Context()
	const table, writes = "load_read", "load_write"
	shape := Shape{Rows: 440_000, ValueBytes: 1000, Regions: 4, Seed: 11}

	filled, err := Fill(ctx, c, table, shape, FillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded %d rows in %v, settled in %v", filled.Rows, filled.Loading, filled.Settled)
	checkSettled(t, client, table, shape)
	begin := time.Now()
	if filled, err = Fill(ctx, c, table, shape, FillOptions{}); err != nil || !filled.Reused {
		t.Fatalf("a loaded table was not taken for loaded: %+v, %v", filled, err)
	}
	t.Logf("found it loaded in %v", time.Since(begin))

	w := trial.Workload{Table: table, WriteTable: writes, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: 8}
	cached := 0.0
	levels := map[float64]int64{}
	for _, target := range []float64{0.4, 0.9} {
		w.HitTarget = target
		begin := time.Now()
		found, err := Calibrate(ctx, c, m, w, 1, cached, nil)
		if err != nil {
			t.Fatalf("calibrate %v: %v", target, err)
		}
		t.Logf("hit rate %v in %v: %+v", target, time.Since(begin), found)
		cached, levels[target] = found.CachedRows, found.WorkingSet
	}

	// The levels hold under the load that they were found for, puts beside it.
	if err := ResetWriteTable(ctx, c, writes, shape); err != nil {
		t.Fatal(err)
	}
	w.ReadShare = 0.8
	for i, target := range []float64{0.4, 0.9} {
		w.HitTarget, w.WorkingSet = target, levels[target]
		got, err := Run(ctx, c, m, Config{Workload: w, Seed: 3, Duration: 8 * time.Second, WarmupCap: 20 * time.Second, Following: i > 0, Verify: true})
		if err != nil {
			t.Fatalf("run at %v: %v", target, err)
		}
		t.Logf("%v: %.0f operations/s, hit %+v, client %+v, warm-up %v s, flags %v", target, got.Throughput, got.Hit, got.Client, got.WarmupSeconds, got.Flags)
		// Sampling and the puts beside it may add a little to the calibration's own
		// tolerance.
		if math.Abs(got.Hit.DataBlocks-target) > hitTolerance+0.01 {
			t.Errorf("hit rate %v, wanted %v", got.Hit.DataBlocks, target)
		}
		if len(got.Errors) > 0 || got.NotFound > 0 || got.Operations == 0 || got.Server["requests"] == 0 {
			t.Errorf("errors %v, not found %d, %d operations, %v requests", got.Errors, got.NotFound, got.Operations, got.Server["requests"])
		}
		if slices.Contains(got.Flags, flagLittlesLaw) || slices.Contains(got.Flags, flagRegionsChanged) {
			t.Errorf("flags %v", got.Flags)
		}
	}

	w.HitTarget, w.WorkingSet = 0.1, 0
	if _, err := Calibrate(ctx, c, m, w, 1, cached, nil); !errors.As(err, new(*HitOutOfReachError)) {
		t.Errorf("0.1 with too few rows: %v", err)
	}
	w.Rows = 100_000
	if _, err := Run(ctx, c, m, Config{Workload: w, Duration: time.Second}); !errors.As(err, new(*NotLoadedError)) {
		t.Errorf("another number of rows than loaded: %v", err)
	}
}

// checkSettled asks the servers for what Fill promises.
func checkSettled(t *testing.T, client *hbase.Client, table string, shape Shape) {
	t.Helper()
	regions, err := client.Admin().Regions(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	if len(regions) != shape.Regions {
		t.Errorf("%d regions, want %d", len(regions), shape.Regions)
	}
	if flushed, err := client.Admin().Flush(t.Context(), table); err != nil || flushed > 0 {
		t.Errorf("%d regions had something to flush: %v", flushed, err)
	}
	c := hbaseCluster{client}
	if settled, err := c.awaitSettled(t.Context(), table, true); err != nil || !settled {
		t.Errorf("some regions have several store files: %v", err)
	}
	// Every row that is asked for is there, with its own value.
	handle := c.Table(table, 1, 0)
	keys, values := shape.keys(), shape.values()
	for row := int64(0); row < shape.Rows; row += shape.Rows/97 + 1 {
		var key [KeyLen]byte
		keys.Put(&key, row)
		found, err := handle.Get(t.Context(), key[:], Columns{0, 1})
		if value, _ := handle.Value(0); err != nil || !found || !values.Matches(value, row, 0) {
			t.Errorf("row %d: found %v, %d bytes, %v", row, found, len(value), err)
		}
	}
}

// TestRealForeignTable makes a table without the marker and proves that nothing
// here touches it.
func TestRealForeignTable(t *testing.T) {
	cluster := localtest.Cluster(t)
	client, c, m := realCluster(t, cluster)
	ctx := t.Context()
	const table = "load_foreign"
	admin := client.Admin()
	drop := func() {
		// The test's own context has ended by now.
		if err := c.Drop(context.Background(), table); err != nil {
			t.Error(err)
		}
	}
	if exists, err := admin.TableExists(ctx, table); err != nil {
		t.Fatal(err)
	} else if exists {
		drop()
	}
	schema := &hbase.TableSchema{Name: table, Families: []hbase.FamilySchema{{Name: "f"}}}
	if err := admin.CreateTable(ctx, schema, [][]byte{[]byte("m")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drop)
	if err := c.Table(table, 1, 0).Put(ctx, Row{Key: []byte("row"), Values: [][]byte{[]byte("theirs")}}); err != nil {
		t.Fatal(err)
	}
	before, err := c.Regions(ctx, table)
	if err != nil {
		t.Fatal(err)
	}

	shape := Shape{Rows: 100, ValueBytes: 10, Regions: 2, Seed: 1}
	w := trial.Workload{Table: table, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 0, Threads: 1}
	_, fillErr := Fill(ctx, c, table, shape, FillOptions{})
	_, runErr := Run(ctx, c, m, Config{Workload: w, Duration: time.Second})
	for name, err := range map[string]error{
		"Fill": fillErr, "ResetWriteTable": ResetWriteTable(ctx, c, table, shape), "Run": runErr,
	} {
		if !errors.As(err, new(*ForeignTableError)) {
			t.Errorf("%s: %v", name, err)
		}
	}

	after, err := c.Regions(ctx, table)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("regions %v, were %v: %v", after, before, err)
	}
	scanner := client.Table(table).Scan(ctx, &hbase.Scan{})
	defer scanner.Close()
	rows := 0
	for scanner.Next() {
		rows++
		if value, _ := scanner.Result().Value(family, columnNames(1)[0]); string(value) != "theirs" {
			t.Errorf("row %q now holds %q", scanner.Result().Row(), value)
		}
	}
	if scanner.Err() != nil || rows != 1 {
		t.Errorf("%d rows: %v", rows, scanner.Err())
	}
}
