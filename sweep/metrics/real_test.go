package metrics

import (
	"context"
	"testing"
	"time"

	"hbtune/sweep/hbase"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

func TestRealServer(t *testing.T) {
	cluster := localtest.Cluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	node := cluster.RegionServers()[0]
	client := New(nil)

	s, err := client.RegionServer(ctx, node.InfoURL)
	if err != nil {
		t.Fatal(err)
	}
	if s.Gauges["regions"] < 1 || s.Counters["requests"] < 1 {
		t.Errorf("regions %v, requests %v: a serving cluster has both", s.Gauges["regions"], s.Counters["requests"])
	}
	if age := time.Since(s.ServerStart()); age < 0 || age > 30*24*time.Hour {
		t.Errorf("the server started %v ago", age)
	}

	conf, err := client.Conf(ctx, node.InfoURL)
	if err != nil {
		t.Fatal(err)
	}
	if len(conf) < 500 {
		t.Errorf("only %d properties", len(conf))
	}
	if e := conf["hbase.regionserver.port"]; e.Source != "hbase-site.xml" {
		t.Errorf("hbase.regionserver.port: %+v", e)
	}
}

// A local cluster samples its figures every second. At HBase's own ten seconds
// the samples of this test would take a minute.
func TestRealFreshness(t *testing.T) {
	cluster := localtest.Cluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	node, client := cluster.RegionServers()[0], New(nil)
	readOnce(ctx, t, cluster)
	const wanted = 6
	begin, samples, last := time.Now(), 0, -1.0
	for samples < wanted {
		beans, err := client.getBeans(ctx, node.InfoURL, "Hadoop:service=HBase,name=RegionServer,sub=Server")
		if err != nil {
			t.Fatal(err)
		}
		if len(beans) == 1 {
			// A mean over the server's life: once anything has been read no two
			// samples are alike, even of a server that has nothing to do.
			if rate, found := beans[0].number("ServerReadQueryPerSecond_mean_rate"); found && rate != last {
				samples++
				last = rate
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	took := time.Since(begin)
	t.Logf("%d samples in %v", samples, took)
	if took > 5*wanted*time.Second {
		t.Errorf("%d samples took %v: the period of a second is not in force", samples, took)
	}
}

// readOnce has the RegionServer serve a read.
func readOnce(ctx context.Context, t *testing.T, cluster *local.Cluster) {
	t.Helper()
	client, err := hbase.Dial(ctx, hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Admin().TableExists(ctx, "none"); err != nil {
		t.Fatal(err)
	}
}
