package hbase

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"hbtune/hbaseconf"
)

// ConfigFrom reads the client's properties out of a Hadoop configuration, such
// as that of an hbase-site.xml. What the configuration does not set keeps its
// default, which is Java's client's. unmodelled names the client properties it
// sets that this client has nothing to do with.
func ConfigFrom(conf *hbaseconf.Configuration) (cfg Config, unmodelled []string, err error) {
	for _, p := range modelled {
		if _, ok := conf.Get(p.name); !ok {
			continue
		}
		if err := p.read(&cfg, conf, p.name); err != nil {
			return cfg, nil, err
		}
	}
	if err := readPlace(&cfg, conf); err != nil {
		return cfg, nil, err
	}
	return cfg, unmodelledIn(conf), nil
}

// property is a client property and how it is read into a Config.
type property struct {
	name string
	read func(*Config, *hbaseconf.Configuration, string) error
}

// modelled lists the properties that shape this client. Where and how the
// cluster is found is read by readPlace.
var modelled = []property{
	{"hbase.client.ipc.pool.size", integer(func(c *Config) *int { return &c.Connections }, 1)},
	{"hbase.client.ipc.pool.type", func(c *Config, conf *hbaseconf.Configuration, name string) error {
		kind, err := conf.Expanded(name)
		c.PerWorker = strings.EqualFold(strings.ReplaceAll(kind, "-", ""), "ThreadLocal")
		return err
	}},
	{"hbase.client.retries.number", func(c *Config, conf *hbaseconf.Configuration, name string) (err error) {
		if c.Retries, err = conf.Int(name, 0); c.Retries == 0 {
			c.Retries = -1 // none: 0 would mean the default
		}
		return err
	}},
	{"hbase.client.pause", millis(func(c *Config) *time.Duration { return &c.Pause })},
	{"hbase.client.pause.server.overloaded", millis(func(c *Config) *time.Duration { return &c.PauseOverloaded })},
	{"hbase.client.operation.timeout", millis(func(c *Config) *time.Duration { return &c.OperationTimeout })},
	{"hbase.client.meta.operation.timeout", millis(func(c *Config) *time.Duration { return &c.MetaTimeout })},
	{"hbase.rpc.timeout", millis(func(c *Config) *time.Duration { return &c.RPCTimeout })},
	{"hbase.rpc.read.timeout", millis(func(c *Config) *time.Duration { return &c.ReadTimeout })},
	{"hbase.rpc.write.timeout", millis(func(c *Config) *time.Duration { return &c.WriteTimeout })},
	{"hbase.client.scanner.timeout.period", millis(func(c *Config) *time.Duration { return &c.ScanTimeout })},
	{"hbase.client.scanner.caching", integer(func(c *Config) *int { return &c.ScanRows }, 1)},
	{"hbase.client.scanner.max.result.size", integer(func(c *Config) *int { return &c.ScanBytes }, 1)},
	{"hbase.ipc.client.socket.timeout.connect", millis(func(c *Config) *time.Duration { return &c.ConnectTimeout })},
	{"hbase.ipc.client.tcpnodelay", off(func(c *Config) *bool { return &c.NoDelayOff })},
	{"hbase.ipc.client.tcpkeepalive", off(func(c *Config) *bool { return &c.KeepAliveOff })},
}

// place lists the properties that readPlace reads.
var place = []string{
	"hbase.client.registry.impl", "hbase.masters", "hbase.client.bootstrap.servers",
	"hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent",
}

// readPlace reads where the cluster is.
func readPlace(cfg *Config, conf *hbaseconf.Configuration) error {
	text := func(name, none string) (string, error) {
		if _, ok := conf.Get(name); !ok {
			return none, nil
		}
		return conf.Expanded(name)
	}
	registry, err := text("hbase.client.registry.impl", "")
	if err != nil {
		return err
	}
	if strings.HasSuffix(registry, "RpcConnectionRegistry") || strings.HasSuffix(registry, "MasterRegistry") {
		if cfg.Servers, err = text("hbase.client.bootstrap.servers", ""); err != nil || cfg.Servers != "" {
			return err
		}
		cfg.Servers, err = text("hbase.masters", "")
		return err
	}
	quorum, err := text("hbase.zookeeper.quorum", "127.0.0.1")
	if err != nil {
		return err
	}
	port, err := conf.Int("hbase.zookeeper.property.clientPort", 2181)
	if err != nil {
		return err
	}
	hosts := strings.Split(quorum, ",")
	for i, host := range hosts {
		host = strings.TrimSpace(host)
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), fmt.Sprint(port))
		}
		hosts[i] = host
	}
	cfg.Quorum = strings.Join(hosts, ",")
	cfg.ZNode, err = text("zookeeper.znode.parent", "")
	return err
}

// unmodelledIn lists what of the configuration only Java's client would heed.
func unmodelledIn(conf *hbaseconf.Configuration) []string {
	catalogue := hbaseconf.Builtin()
	var names []string
	for _, name := range conf.Names() {
		p, known := catalogue.Lookup(name)
		if !known || !p.In(hbaseconf.Client) || slices.Contains(place, p.Name) ||
			slices.ContainsFunc(modelled, func(m property) bool { return m.name == p.Name }) {
			continue
		}
		names = append(names, name)
	}
	return names
}

func millis(field func(*Config) *time.Duration) func(*Config, *hbaseconf.Configuration, string) error {
	return func(c *Config, conf *hbaseconf.Configuration, name string) error {
		n, err := conf.Long(name, 0)
		if err != nil {
			return err
		}
		if n <= 0 {
			return fmt.Errorf("%s: %d ms is no time to wait", name, n)
		}
		*field(c) = time.Duration(n) * time.Millisecond
		return nil
	}
}

func integer(field func(*Config) *int, least int) func(*Config, *hbaseconf.Configuration, string) error {
	return func(c *Config, conf *hbaseconf.Configuration, name string) error {
		n, err := conf.Int(name, 0)
		*field(c) = max(n, least)
		return err
	}
}

// off reads a switch that is on by default.
func off(field func(*Config) *bool) func(*Config, *hbaseconf.Configuration, string) error {
	return func(c *Config, conf *hbaseconf.Configuration, name string) error {
		on, err := conf.Bool(name, true)
		*field(c) = !on
		return err
	}
}
