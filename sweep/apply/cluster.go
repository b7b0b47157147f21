package apply

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/local"
	"hbtune/sweep/metrics"
)

// NewLocal makes the target out of a local cluster, which need not run. dir is
// the folder that keeps the originals and the variants; the target itself is
// not touched yet, nor locked.
func NewLocal(c *local.Cluster, dir string, catalogue *hbaseconf.Catalogue, opt Options) (*Local, error) {
	return newLocal(&localCluster{cluster: c, metrics: metrics.New(nil)}, c.Dir(), dir, catalogue, opt)
}

// localCluster is a local.Cluster as the protocol sees it.
type localCluster struct {
	cluster *local.Cluster
	metrics *metrics.Client
}

func (c *localCluster) servers() []server {
	var list []server
	for _, n := range c.cluster.RegionServers() {
		list = append(list, server{name: n.Name, site: filepath.Join(n.ConfDir, "hbase-site.xml")})
	}
	return list
}

func (c *localCluster) version() string { return c.cluster.Version() }

func (c *localCluster) stop(ctx context.Context, name string) error {
	return c.cluster.StopNode(ctx, name)
}

// up brings up the whole cluster: after a crash of the machine ZooKeeper and
// the Master are down, too.
func (c *localCluster) up(ctx context.Context) error {
	dir := c.cluster.Dir() // HOME/clusters/NAME
	_, err := local.Up(ctx, local.Config{Home: filepath.Dir(filepath.Dir(dir)), Name: filepath.Base(dir)}, io.Discard)
	return err
}

func (c *localCluster) started(ctx context.Context, name string) (time.Time, error) {
	n, err := c.node(name)
	if err != nil {
		return time.Time{}, err
	}
	if n.PID == 0 {
		return time.Time{}, fmt.Errorf("%s does not run", name)
	}
	s, err := c.metrics.RegionServer(ctx, n.InfoURL)
	return s.ServerStart(), err
}

func (c *localCluster) conf(ctx context.Context, name string) (map[string]running, error) {
	n, err := c.node(name)
	if err != nil {
		return nil, err
	}
	entries, err := c.metrics.Conf(ctx, n.InfoURL)
	if err != nil {
		return nil, err
	}
	conf := make(map[string]running, len(entries))
	for key, e := range entries {
		conf[key] = running{value: e.Value, source: e.Source}
	}
	return conf, nil
}

func (c *localCluster) heapBytes(ctx context.Context, _ string) (int64, error) {
	status, err := c.cluster.Status(ctx)
	if err != nil {
		return 0, err
	}
	return int64(status.HeapMB) << 20, nil
}

func (c *localCluster) node(name string) (local.Node, error) {
	for _, n := range c.cluster.RegionServers() {
		if n.Name == name {
			return n, nil
		}
	}
	return local.Node{}, fmt.Errorf("the cluster in %s has no RegionServer %s", c.cluster.Dir(), name)
}
