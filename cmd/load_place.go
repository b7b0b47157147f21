package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"hbtune/hbaseconf"
	"hbtune/sweep/hbase"
	"hbtune/sweep/load"
	"hbtune/sweep/local"
)

// loadPlace says where the cluster is and what drives it.
type loadPlace struct {
	quorum string
	master string
	conf   string
	driver string
	api    string
}

func (p *loadPlace) bind(f *pflag.FlagSet) {
	f.StringVar(&p.quorum, "zk", "", "ZooKeeper of the cluster, host:port[,host:port…] (default: the local HBase)")
	f.StringVar(&p.master, "master", "", "masters to ask for the cluster in place of ZooKeeper, host:port[,host:port…]")
	f.StringVar(&p.conf, "conf", "", "folder of the client's hbase-site.xml (default: $HBASE_CONF_DIR)")
	f.StringVar(&p.driver, "driver", "native", "native, or java for HBase's own client")
	f.StringVar(&p.api, "api", load.APITable, "with --driver java: table, mutator (BufferedMutator for puts) or async (AsyncConnection)")
}

func (p *loadPlace) check() error {
	if p.quorum != "" && p.master != "" {
		return errors.New("--zk and --master both say where the cluster is: use one of them")
	}
	switch {
	case p.driver != "native" && p.driver != "java":
		return fmt.Errorf("--driver %q is unknown: use native or java", p.driver)
	case p.driver == "java" && p.master != "":
		return errors.New("--driver java finds the cluster by --zk, or by the hbase-site.xml of --conf")
	case p.api != load.APITable && p.api != load.APIMutator && p.api != load.APIAsync:
		return fmt.Errorf("--api %q is unknown: use table, mutator or async", p.api)
	case p.api != load.APITable && p.driver != "java":
		return fmt.Errorf("--api %s is one of HBase's own client: add --driver java", p.api)
	}
	return nil
}

// loadSession is an open connection to the cluster.
type loadSession struct {
	client  *hbase.Client
	tables  load.Cluster
	figures load.Metrics
	java    *load.Java // nil with the native driver
	servers []string   // web servers of the RegionServers, where they are known
}

func (s *loadSession) close() {
	if s.java != nil {
		s.java.Close()
	}
	s.client.Close()
}

func (p *loadPlace) open(ctx context.Context, e *env) (*loadSession, error) {
	cfg, servers, err := p.find(e)
	if err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, badInput(fmt.Errorf("%s: %w", p.flag(), err))
	}
	client, err := hbase.Dial(ctx, cfg)
	if err != nil {
		return nil, targetError(err)
	}
	s := &loadSession{client: client, servers: servers}
	s.tables, s.figures = load.OpenHBase(client, servers)
	if p.driver == "java" {
		if err := p.startJava(ctx, e, s); err != nil {
			client.Close()
			return nil, err
		}
	}
	return s, nil
}

func (p *loadPlace) flag() string {
	switch {
	case p.quorum != "":
		return "--zk"
	case p.master != "":
		return "--master"
	default:
		return "--conf"
	}
}

// find is the client's configuration, and the RegionServers' web servers where
// they are known.
func (p *loadPlace) find(e *env) (cfg hbase.Config, servers []string, err error) {
	folder := p.conf
	if folder == "" && p.quorum == "" && p.master == "" {
		folder = os.Getenv("HBASE_CONF_DIR")
	}
	if folder != "" {
		if cfg, err = p.readConf(e, folder); err != nil {
			return cfg, nil, badInput(fmt.Errorf("--conf: %w", err))
		}
	}
	switch {
	case p.quorum != "":
		cfg.Quorum, cfg.Servers = p.quorum, ""
	case p.master != "":
		cfg.Quorum, cfg.Servers = "", p.master
	case folder == "":
		cluster, err := local.Open(e.home)
		if err != nil {
			return cfg, nil, localError(fmt.Errorf("%w (or name a cluster with --zk)", err))
		}
		cfg.Quorum = cluster.ZooKeeper()
		for _, node := range cluster.RegionServers() {
			servers = append(servers, node.InfoURL)
		}
	}
	return cfg, servers, nil
}

// readConf reads the client's properties, and says which of them its own client
// has nothing to do with.
func (p *loadPlace) readConf(e *env, folder string) (hbase.Config, error) {
	site, err := hbaseconf.ReadSite(filepath.Join(folder, "hbase-site.xml"))
	if err != nil {
		return hbase.Config{}, err
	}
	conf := hbaseconf.Load(hbaseconf.Process(), site)
	cfg, unmodelled, err := hbase.ConfigFrom(conf)
	if p.driver == "java" {
		for _, name := range load.JavaUnread(p.api, conf.Names()) {
			fmt.Fprintf(e.Err, "%s: %s is not read by HBase's %s API, so it changes nothing here\n", folder, name, p.api)
		}
		return cfg, err
	}
	for _, name := range unmodelled {
		fmt.Fprintf(e.Err, "%s: %s means nothing to the native client\n", folder, name)
	}
	return cfg, err
}
