//go:build campaign

package load

import (
	"testing"
	"time"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// TestRealFillOutlivesACrash kills the RegionServer while a table is being
// loaded without the write-ahead log: at the end every row is there all the same.
func TestRealFillOutlivesACrash(t *testing.T) {
	cluster := localtest.Private(t, local.Config{HeapMB: 512})
	_, c, _ := realCluster(t, cluster)
	shape := Shape{Rows: 300_000, ValueBytes: 1000, Regions: 4, Seed: 5}.normal()
	restarted := make(chan error, 1)
	half, again := false, false
	filled, err := Fill(t.Context(), c, "crash", shape, FillOptions{Progress: func(done, total int64) {
		if half || done < total/2 {
			again = again || half && done < total/2
			return
		}
		half = true
		go func() {
			if err := cluster.KillNode(t.Context(), "rs1"); err != nil {
				restarted <- err
				return
			}
			restarted <- cluster.StartNode(t.Context(), "rs1")
		}()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", filled)
	if !again {
		t.Error("the table was not loaded again")
	}
	handle, keys := c.Table("crash", 1, 0), shape.keys()
	var key [KeyLen]byte
	missing, begin := 0, time.Now()
	batch := make([][]byte, 0, 500)
	for row := range shape.Rows {
		keys.Put(&key, row)
		batch = append(batch, append([]byte(nil), key[:]...))
		if len(batch) < cap(batch) && row < shape.Rows-1 {
			continue
		}
		err := handle.GetAll(t.Context(), batch, Columns{0, 1}, func(_ int, found bool) {
			if !found {
				missing++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		batch = batch[:0]
	}
	if missing > 0 {
		t.Errorf("%d of %d rows are missing", missing, shape.Rows)
	}
	t.Logf("read them in %v", time.Since(begin))
}
