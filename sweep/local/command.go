package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// main classes and arguments of the daemons.
var mainClass = map[role][]string{
	nameNode:     {"org.apache.hadoop.hdfs.server.namenode.NameNode"},
	dataNode:     {"org.apache.hadoop.hdfs.server.datanode.DataNode"},
	zooKeeper:    {"org.apache.hadoop.hbase.zookeeper.HQuorumPeer", "start"},
	master:       {"org.apache.hadoop.hbase.master.HMaster", "start"},
	regionServer: {"org.apache.hadoop.hbase.regionserver.HRegionServer", "start"},
}

// openings are the parts of the JDK that HBase reaches into.
var openings = []string{
	"--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
	"--add-opens=java.base/java.nio=ALL-UNNAMED",
	"--add-opens=java.base/java.lang=ALL-UNNAMED",
	"--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
	"--add-opens=java.base/java.util=ALL-UNNAMED",
	"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
	"--add-exports=java.base/sun.net.dns=ALL-UNNAMED",
	"--add-exports=java.base/sun.net.util=ALL-UNNAMED",
	"--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
	"--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
}

// command is the whole command line of a daemon. The flags of its hbase-env.sh
// come last, so that they win.
func command(java jvm, l layout, s *state, d *daemon) ([]string, error) {
	flags, err := javaFlags(filepath.Join(l.conf(d.Name), envFile), d.Role)
	if err != nil {
		return nil, err
	}
	argv := []string{java.path, mark(l.dir, d.Name)}
	argv = append(argv, openings...)
	argv = append(argv,
		"-Djava.net.preferIPv4Stack=true",
		"-Dzookeeper.admin.enableServer=false",
		"-XX:+ExitOnOutOfMemoryError",
		"-XX:ErrorFile="+filepath.Join(filepath.Dir(l.log(d.Name)), "hs_err_"+d.Name+".log"))
	argv = append(argv, archiveFlags(java, l, s, d)...)
	argv = append(argv, flags...)
	argv = append(argv, "-cp", classPath(l, s, d))
	return append(argv, mainClass[d.Role]...), nil
}

// classPath begins with the jars alone, since an archive of classes fits only
// what begins like the path that it was made with. No jar holds a file that
// would hide one of the configuration folder.
func classPath(l layout, s *state, d *daemon) string {
	return strings.Join([]string{jars(s), filepath.Join(s.Runtime, "web"), l.conf(d.Name)}, string(filepath.ListSeparator))
}

func jars(s *state) string { return filepath.Join(s.Runtime, "lib", "*") }

// formatNameNode makes the empty file system, once.
func formatNameNode(ctx context.Context, java jvm, l layout, s *state, d *daemon) error {
	if _, err := os.Stat(l.data("namenode", "current", "VERSION")); err == nil {
		return nil
	}
	argv, err := command(java, l, s, d)
	if err != nil {
		return err
	}
	argv = append(argv, "-format", "-force", "-nonInteractive")
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return diskFault(l.dir, fmt.Errorf("formatting HDFS: %w: %s", err, reason(string(out))))
	}
	return nil
}
