package profiles

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/local/localtest"
)

// A profile put on a real HBase is in force, and taken off leaves the files as
// they were.
func TestRealApplyVerifyRollback(t *testing.T) {
	cluster := localtest.Cluster(t)
	catalogue := hbaseconf.Builtin()
	ctx := t.Context()
	open := func(dir, undo string) (Target, error) {
		return apply.NewLocal(cluster, dir, catalogue, apply.Options{Undo: undo})
	}
	reader, err := open("", "")
	if err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(cluster.RegionServers()[0].ConfDir, "hbase-site.xml")
	original, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	const heap = 512 << 20
	p := profileOf("real", settings(handlers, "17", cache, "0.3", pool, "4"))
	plan, err := Plan(ctx, p, reader, heap, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Differences() == 0 || len(plan.LeftOut) != 1 {
		t.Fatalf("plan %+v", plan)
	}

	l := OpenLedger(t.TempDir())
	e, err := l.Apply(ctx, plan, "local", open)
	t.Cleanup(func() {
		if now, _ := os.ReadFile(site); !bytes.Equal(now, original) {
			t.Errorf("%s is not as it was", site)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if e.State != InForce || !e.Observed.Equal(settings(handlers, "17", cache, "0.3")) {
		t.Errorf("applied: %+v", e)
	}
	d, err := CompareRunning(ctx, p, reader, catalogue)
	if err != nil || d.Differences() != 0 {
		t.Errorf("verify: %+v, %v", d, err)
	}
	if _, err := Plan(ctx, profileOf("big", settings("hbase.regionserver.global.memstore.size", "0.6")), reader, heap, catalogue); err == nil {
		t.Error("a memstore of 0.6 beside a cache of 0.3 is not refused")
	}

	back, err := l.Rollback(ctx, "local", "", open)
	if err != nil {
		t.Fatal(err)
	}
	if back.State != RolledBack || len(back.Restored) != 1 || back.Restored[0].Before != back.Restored[0].After {
		t.Errorf("rolled back: %+v", back)
	}
	d, err = CompareRunning(ctx, p, reader, catalogue)
	if err != nil || d.Differences() != plan.Differences() {
		t.Errorf("after the rollback: %+v, %v", d, err)
	}
}
