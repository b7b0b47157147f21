package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// flagsOf is what a file gives a daemon.
func flagsOf(t testing.TB, text string, r role) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), envFile)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return javaFlags(path, r)
}

func TestEnvFlags(t *testing.T) {
	const text = `# comment
export HBASE_HEAPSIZE=512
HBASE_OFFHEAPSIZE=1g   # trailing
  HBASE_OPTS='-Da=$x'
HBASE_OPTS+=" -Db=${HBASE_HEAPSIZE} -Dc=a#b -Dd=\"q\""
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -XX:+UseZGC  -De=a"'b'c
HBASE_MASTER_OPTS=-Dm=3
HBASE_ZOOKEEPER_OPTS=-Dz=4
HDFS_DATANODE_OPTS=-Dh=5
EMPTY=
`
	common := []string{"-Xmx512m", "-XX:MaxDirectMemorySize=1g", "-Da=$x", "-Db=512", "-Dc=a#b", `-Dd="q"`}
	for r, own := range map[role][]string{
		regionServer: {"-XX:+UseZGC", "-De=abc"}, master: {"-Dm=3"}, zooKeeper: {"-Dz=4"}, dataNode: {"-Dh=5"}, nameNode: nil,
	} {
		got, err := flagsOf(t, text, r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(common[:len(common):len(common)], own...), got); diff != "" {
			t.Errorf("%s: %s", r, diff)
		}
	}
	if got, err := javaFlags(filepath.Join(t.TempDir(), "none"), regionServer); err != nil || len(got) != 0 {
		t.Errorf("without a file: %v, %v", got, err)
	}
}

// Whatever a shell would have to run for is refused, whether or not a daemon's
// flags hang on it, with the line.
func TestEnvThatOnlyAShellKnows(t *testing.T) {
	for text, line := range map[string]string{
		"if true; then": "line 1", "if true; then A=1; fi": "line 1", "A=1\nB=a b": "line 2", `A="open`: "line 1",
		"A=$(date)": "line 1", "A=`date`": "line 1", "A=$((1+1))": "line 1", "1A=2": "line 1", "\nunset A": "line 2",
		"A=1\n. ./other.sh": "line 2", "A=1 &": "line 1", "f() { A=1; }": "line 1", "[ -z x ] && A=1": "line 1",
		"A=(1 2)": "line 1", "A=~/x": "line 1", `A=$'\n'`: "line 1", "readonly A=1": "line 1", "export -n A=1": "line 1",
		"A=1\r\nB=2": "line 1", "\n\nA=$HOME/x": "line 3", "A=${HADOOP_X:-1}": "line 1", "A=${X:=1}": "line 1", "A=${X:?no}": "line 1", "A=${X/a/b}": "line 1",
		"A=“-Xmx1g -ea”": "line 1",
	} {
		if flags, err := flagsOf(t, text, regionServer); err == nil || !strings.Contains(err.Error(), line+" ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, %v, want an error on %s", text, flags, err, line)
		}
	}
}

// What a shell reads from a quoted value a daemon is given.
func TestEnvRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringMatching(`-[!-~]*`).Draw(r, "value")
		quoted := "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		got, err := flagsOf(t, "export HBASE_OPTS="+quoted+"\n", master)
		if err != nil || len(got) != 1 || got[0] != value {
			r.Fatalf("%s: %q, %v", quoted, got, err)
		}
	})
}
