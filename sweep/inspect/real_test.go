package inspect_test

import (
	"bytes"
	"testing"
	"time"

	"hbtune/hbaseconf/lint"
	"hbtune/sweep/hbase"
	"hbtune/sweep/inspect"
	"hbtune/sweep/local/localtest"
)

// A cluster that is well, on a real HBase: found through the Master, read whole,
// and nothing wrong is said of it.
func TestRealCluster(t *testing.T) {
	cluster := localtest.Cluster(t)
	client, err := hbase.Dial(t.Context(), hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r, err := inspect.Run(t.Context(), inspect.Config{Cluster: client.Admin(), Window: inspect.LeastWindow})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, time.Now(), false); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
	roles := map[lint.Role]int{}
	for _, s := range r.Servers {
		roles[s.Role]++
		if s.HeapBytes <= 0 || s.Version == "" || s.Start.IsZero() {
			t.Errorf("not read whole: %+v", s)
		}
	}
	if roles[lint.Master] != 1 || roles[lint.RegionServer] != len(cluster.RegionServers()) {
		t.Errorf("servers: %v", roles)
	}
	if len(r.Load) != roles[lint.RegionServer] || r.Seconds < 20 {
		t.Errorf("watched %d servers for %v s", len(r.Load), r.Seconds)
	}
	for _, one := range r.Findings {
		if one.Severity == lint.Error {
			t.Errorf("an error in what runs: %+v", one)
		}
	}
}
