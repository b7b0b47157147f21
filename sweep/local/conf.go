package local

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// layout names the files of one cluster.
type layout struct{ dir string }

func (l layout) conf(name string) string { return filepath.Join(l.dir, "conf", name) }
func (l layout) data(parts ...string) string {
	return filepath.Join(append([]string{l.dir, "data"}, parts...)...)
}
func (l layout) log(name string) string { return filepath.Join(l.dir, "logs", name+".log") }

// property is one entry of a Hadoop configuration file, with the reason why it
// is there for whoever reads the file.
type property struct{ name, value, why string }

// writeConf makes the configuration folder of every daemon. It is called until
// the cluster has served for the first time and not again, except by ResetConf:
// from then on the files are the user's, and sweep/apply's.
func writeConf(l layout, s *state) error {
	for _, path := range []string{l.data(), filepath.Dir(l.log("x"))} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return diskFault(l.dir, err)
		}
	}
	for path, text := range confFiles(l, s) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return diskFault(l.dir, err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return diskFault(l.dir, err)
		}
	}
	return nil
}

// confFiles are all configuration files of a cluster, by path.
func confFiles(l layout, s *state) map[string][]byte {
	files := map[string][]byte{}
	for i := range s.Daemons {
		d := &s.Daemons[i]
		put := func(name string, text []byte) { files[filepath.Join(l.conf(d.Name), name)] = text }
		put("hbase-site.xml", siteXML(siteOf(l, s, d)))
		put("log4j.properties", []byte(log4j))
		put("hadoop-metrics2-hbase.properties", []byte(metrics2))
		put(envFile, []byte(envOf(s, d)))
		if s.Storage == StorageHDFS {
			put("core-site.xml", siteXML([]property{{"fs.defaultFS", hdfsURL(s), ""}}))
			put("hdfs-site.xml", siteXML(hdfsSite(l, s)))
		}
	}
	return files
}

func siteXML(properties []property) []byte {
	var b bytes.Buffer
	escape := func(s string) string {
		var e bytes.Buffer
		_ = xml.EscapeText(&e, []byte(s))
		return e.String()
	}
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n")
	for _, p := range properties {
		if p.why != "" {
			fmt.Fprintf(&b, "  <!-- %s -->\n", p.why)
		}
		fmt.Fprintf(&b, "  <property>\n    <name>%s</name>\n    <value>%s</value>\n  </property>\n", escape(p.name), escape(p.value))
	}
	b.WriteString("</configuration>\n")
	return b.Bytes()
}

func port(s *state, r role) int { return s.ofRole(r)[0].Port }

func hdfsURL(s *state) string { return "hdfs://" + loopback(port(s, nameNode)) }

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// siteOf is the hbase-site.xml of one daemon: what all need to find each
// other, and where this one listens. Everything else is left at HBase's
// defaults, since these are what a sweep starts from.
func siteOf(l layout, s *state, d *daemon) []property {
	root := "file://" + l.data("hbase")
	if s.Storage == StorageHDFS {
		root = hdfsURL(s) + "/hbase"
	}
	list := []property{
		{"hbase.cluster.distributed", "true", ""},
		{"hbase.rootdir", root, ""},
		{"hbase.tmp.dir", l.data("tmp-" + d.Name), ""},
		{"hbase.zookeeper.quorum", "127.0.0.1", ""},
		{"hbase.zookeeper.property.clientPort", strconv.Itoa(port(s, zooKeeper)), ""},
	}
	if s.Storage == StorageFile {
		list = append(list, property{"hbase.unsafe.stream.capability.enforce", "false", "a local disk cannot promise what HDFS does"})
	}
	switch d.Role {
	case zooKeeper:
		list = append(list,
			property{"hbase.zookeeper.property.dataDir", l.data("zookeeper"), ""},
			property{"hbase.zookeeper.property.clientPortAddress", "127.0.0.1", ""})
	case master:
		list = append(list,
			property{"hbase.master.hostname", "localhost", ""},
			property{"hbase.master.ipc.address", "127.0.0.1", ""},
			property{"hbase.master.port", strconv.Itoa(d.Port), ""},
			property{"hbase.master.info.bindAddress", "127.0.0.1", ""},
			property{"hbase.master.info.port", strconv.Itoa(d.InfoPort), ""})
		list = append(list, quickMaster(len(s.ofRole(regionServer)))...)
	case regionServer:
		list = append(list,
			property{"hbase.unsafe.regionserver.hostname", "localhost", ""},
			property{"hbase.regionserver.ipc.address", "127.0.0.1", ""},
			property{"hbase.regionserver.port", strconv.Itoa(d.Port), ""},
			property{"hbase.regionserver.info.bindAddress", "127.0.0.1", ""},
			property{"hbase.regionserver.info.port", strconv.Itoa(d.InfoPort), ""})
		list = append(list, quickRegionServer...)
	}
	return list
}

// quickMaster shortens the pauses in which the Master waits for RegionServers
// that are not there yet. They decide how long a restart takes and touch nothing
// that a RegionServer does once it serves.
func quickMaster(servers int) []property {
	n := strconv.Itoa(servers)
	return []property{
		{"hbase.master.wait.on.regionservers.mintostart", n, "go on as soon as all are there, and not before"},
		{"hbase.master.wait.on.regionservers.maxtostart", n, ""},
		{"hbase.assignment.dispatch.wait.msec", "20", "regions are assigned without waiting for more to assign"},
		{"hbase.procedure.remote.dispatcher.delay.msec", "20", ""},
		{"hbase.master.scp.retain.assignment", "true", "a restarted RegionServer gets its regions back"},
	}
}

// quickRegionServer does the same on the other side. The Master assigns nothing
// to a RegionServer before its first report, which comes one interval after it
// has registered.
var quickRegionServer = []property{
	{"hbase.regionserver.msginterval", "500", "the first report to the Master comes sooner"},
	{"hbase.regionserver.metrics.period", "1000", "figures summed over regions are fresh every second"},
}

// hdfsSite holds the addresses of both HDFS daemons; HBase's read the same file
// for the replication.
func hdfsSite(l layout, s *state) []property {
	nn, dn := s.ofRole(nameNode)[0], s.ofRole(dataNode)[0]
	return []property{
		{"dfs.replication", "1", ""},
		{"dfs.namenode.rpc-address", loopback(nn.Port), ""},
		{"dfs.namenode.http-address", loopback(nn.InfoPort), ""},
		{"dfs.namenode.name.dir", "file://" + l.data("namenode"), ""},
		{"dfs.namenode.safemode.extension", "0", "one DataNode: nothing more to wait for"},
		{"dfs.datanode.address", loopback(dn.Port), ""},
		{"dfs.datanode.http.address", loopback(dn.InfoPort), ""},
		{"dfs.datanode.ipc.address", loopback(dn.ExtraPort), ""},
		{"dfs.datanode.data.dir", "file://" + l.data("datanode"), ""},
	}
}

// log4j sends everything to the standard error, and so to the daemon's one log
// file.
const log4j = `log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
# The class path at every start, and every request for /jmx.
log4j.logger.org.apache.zookeeper.ZooKeeper=WARN
log4j.logger.org.apache.hadoop.hbase.util.ServerCommandLine=WARN
log4j.logger.http.requests=WARN
`

// metrics2 makes the beans under /jmx follow the server every second instead
// of every ten.
const metrics2 = `*.period=1
`

// envOf is the hbase-env.sh of one daemon.
func envOf(s *state, d *daemon) string {
	heap := map[role]int{zooKeeper: 128, master: 384, regionServer: s.HeapMB, nameNode: 256, dataNode: 256}[d.Role]
	text := fmt.Sprintf("# Read at every start of %s.\nexport HBASE_HEAPSIZE=%d\n", d.Name, heap)
	if d.Role == regionServer {
		// A memstore chunk is 2 MB and a header. In the 1 MB regions that G1 takes
		// for a small heap it would fill three: a full memstore and block cache
		// then end in an OutOfMemoryError, though their sum is what HBase allows.
		text += "export HBASE_REGIONSERVER_OPTS=\"-XX:+UseG1GC -XX:G1HeapRegionSize=8m\"\n"
	}
	return text
}
