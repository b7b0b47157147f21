package hbase

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hbtune/hbaseconf"
)

func configOf(t *testing.T, properties ...string) *hbaseconf.Configuration {
	t.Helper()
	var b strings.Builder
	b.WriteString("<configuration>\n")
	for i := 0; i < len(properties); i += 2 {
		b.WriteString("<property><name>" + properties[i] + "</name><value>" + properties[i+1] + "</value></property>\n")
	}
	b.WriteString("</configuration>\n")
	site, err := hbaseconf.ParseSite("hbase-site.xml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return hbaseconf.Load(hbaseconf.Environment{}, site)
}

func TestConfigFromSite(t *testing.T) {
	cfg, unmodelled, err := ConfigFrom(configOf(t,
		"hbase.zookeeper.quorum", "zk1, zk2:2222,${third}", "third", "zk3",
		"hbase.zookeeper.property.clientPort", "2182", "zookeeper.znode.parent", "/other",
		"hbase.client.ipc.pool.size", "4", "hbase.client.ipc.pool.type", "Thread-Local",
		"hbase.client.retries.number", "0", "hbase.client.pause", "50",
		"hbase.rpc.timeout", "1000", "hbase.rpc.write.timeout", "2000",
		"hbase.client.scanner.caching", "100",
		"hbase.ipc.client.tcpnodelay", "false",
		"hbase.client.write.buffer", "1", "hbase.regionserver.handler.count", "5",
	))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Quorum != "zk1:2182,zk2:2222,zk3:2182" || cfg.ZNode != "/other" || cfg.Connections != 4 || !cfg.PerWorker ||
		!cfg.NoDelayOff || cfg.KeepAliveOff || cfg.ScanRows != 100 {
		t.Errorf("%+v", cfg)
	}
	if !slices.Equal(unmodelled, []string{"hbase.client.write.buffer"}) {
		t.Errorf("unmodelled: %v", unmodelled)
	}
	cfg = cfg.withDefaults()
	if cfg.Retries != 0 || cfg.PauseOverloaded != 50*time.Millisecond || cfg.ReadTimeout != time.Second ||
		cfg.WriteTimeout != 2*time.Second || cfg.OperationTimeout != 20*time.Minute {
		t.Errorf("with defaults: %+v", cfg)
	}
}

func TestConfigFromEmptySiteIsJavasDefault(t *testing.T) {
	cfg, unmodelled, err := ConfigFrom(configOf(t))
	if err != nil || len(unmodelled) != 0 || cfg.Quorum != "127.0.0.1:2181" {
		t.Errorf("%+v, %v, %v", cfg, unmodelled, err)
	}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func TestConfigFromSiteWithRegistry(t *testing.T) {
	cfg, _, err := ConfigFrom(configOf(t,
		"hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry", "hbase.masters", "m1:16000,m2"))
	if err != nil || cfg.Servers != "m1:16000,m2" || cfg.Quorum != "" {
		t.Errorf("%+v, %v", cfg, err)
	}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}

func TestConfigRefuses(t *testing.T) {
	for _, bad := range [][]string{
		{"hbase.rpc.timeout", "soon"}, {"hbase.client.pause", "0"}, {"hbase.zookeeper.property.clientPort", "x"},
	} {
		if _, _, err := ConfigFrom(configOf(t, bad...)); err == nil || !strings.Contains(err.Error(), bad[0]) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	err := Config{Quorum: "zk:x", ZNode: "hbase", Connections: -1, Pause: -1}.Validate()
	for _, want := range []string{"quorum", "znode", "connections", "pause"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no word of %s: %v", want, err)
		}
	}
}
