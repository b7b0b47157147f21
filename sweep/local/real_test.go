package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

func real(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ask reads one bean of a node's web server.
func ask(t *testing.T, node local.Node, bean string) map[string]any {
	t.Helper()
	response, err := http.Get(node.InfoURL + "/jmx?qry=" + bean)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Beans []map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Beans) != 1 {
		t.Fatalf("%s: %v, %v", bean, answer, err)
	}
	return answer.Beans[0]
}

func started(t *testing.T, node local.Node) float64 {
	t.Helper()
	start, _ := ask(t, node, "Hadoop:service=HBase,name=RegionServer,sub=Server")["regionServerStartTime"].(float64)
	return start
}

func TestRealRestart(t *testing.T) {
	c, ctx := localtest.Cluster(t), real(t)
	node := c.RegionServers()[0]
	before := started(t, node)
	restart, err := c.RestartNode(ctx, node.Name)
	if err != nil {
		t.Fatal(err)
	}
	if now := started(t, node); now <= before {
		t.Errorf("the RegionServer started at %v before the restart and at %v after", before, now)
	}
	t.Logf("stop %v, start to serving %v", restart.Stop, restart.Start)

	if err := c.KillNode(ctx, node.Name); err != nil {
		t.Fatal(err)
	}
	var failed *local.StartError
	if err := c.WaitServing(ctx); !errors.As(err, &failed) || failed.Daemon != node.Name {
		t.Errorf("a killed RegionServer went unnoticed: %v", err)
	}
	if err := c.StartNode(ctx, node.Name); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := c.WaitServing(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("start to serving after a kill %v", time.Since(begin))
}

// Settings that HBase refuses are reported in HBase's words, and the cluster
// can be brought back.
func TestRealRefusedSettings(t *testing.T) {
	c, ctx := localtest.Cluster(t), real(t)
	node := c.RegionServers()[0]
	path := filepath.Join(node.ConfDir, "hbase-site.xml")
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := os.WriteFile(path, original, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defer restore()
	for _, test := range []struct{ name, value, want string }{
		{"hfile.block.cache.size", "0.7", "hfile.block.cache.size = 0.7"},
		{"hfile.block.cache.policy", "nonsense", "Unknown policy: nonsense"},
		{"hbase.wal.provider", "no.such.Class", "no.such.Class"},
	} {
		property := "<property><name>" + test.name + "</name><value>" + test.value + "</value></property></configuration>"
		text := strings.Replace(string(original), "</configuration>", property, 1)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := c.RestartNode(ctx, node.Name)
		var failed *local.StartError
		if !errors.As(err, &failed) {
			t.Fatalf("%s=%s: got %v", test.name, test.value, err)
		}
		t.Log(err)
		if !strings.Contains(failed.Reason, test.want) || failed.ExitCode != 1 {
			t.Errorf("%s=%s: exit code %d, reason %q, want %q in it", test.name, test.value, failed.ExitCode, failed.Reason, test.want)
		}
	}
	restore()
	if err := c.StartNode(ctx, node.Name); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitServing(ctx); err != nil {
		t.Fatal(err)
	}
}

// HDFS and several RegionServers are tested together, as each start is dear.
func TestRealHDFS(t *testing.T) {
	c, ctx := localtest.Private(t, local.Config{Storage: local.StorageHDFS, RegionServers: 2}), real(t)
	if n := len(c.RegionServers()); n != 2 {
		t.Fatalf("%d RegionServers", n)
	}
	if err := c.Down(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := local.Up(ctx, local.Config{Home: filepath.Dir(filepath.Dir(c.Dir()))}, testLog{t})
	if failed := (*local.StartError)(nil); errors.As(err, &failed) {
		t.Logf("exit code %d, the end of its log:\n%s", failed.ExitCode, strings.Join(failed.Tail, "\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range again.RegionServers() {
		if started(t, node) <= 0 {
			t.Errorf("%s has no start", node.Name)
		}
	}
}

// HBTUNE_TEST_VERSIONS names further versions to be tried, with commas.
func TestRealVersions(t *testing.T) {
	for version := range strings.SplitSeq(os.Getenv("HBTUNE_TEST_VERSIONS"), ",") {
		if version == "" {
			continue
		}
		t.Run(version, func(t *testing.T) {
			c, ctx := localtest.Private(t, local.Config{Version: version}), real(t)
			restart, err := c.RestartNode(ctx, "rs1")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("stop %v, start to serving %v", restart.Stop, restart.Start)
		})
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", b)
	return len(b), nil
}
