package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/sweep/apply"
)

// stoppedCluster lays out, in a home, a local HBase that does not run, and
// returns its folder.
func stoppedCluster(t *testing.T, home string) string {
	t.Helper()
	dir := filepath.Join(home, "clusters", "default")
	text := fmt.Sprintf(`{"v":1,"version":"2.6.4-hadoop3","runtime":%q,"storage":"file","heap_mb":256,"has_served":true,"daemons":[
		{"name":"zk","role":"zookeeper","port":1,"process":{}},
		{"name":"master","role":"master","port":2,"info_port":3,"process":{}},
		{"name":"rs1","role":"regionserver","port":4,"info_port":5,"process":{}}]}`, dir)
	write(t, filepath.Join(dir, "cluster.json"), text)
	write(t, filepath.Join(dir, "conf", "rs1", "hbase-site.xml"), "<configuration/>\n")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hold takes a lock as another hbtune, working for dir, would.
func hold(t *testing.T, path, dir string) *apply.Lock {
	t.Helper()
	lock, by, held, err := apply.TakeLock(path, dir)
	if err != nil || held {
		t.Fatalf("%v, %v", by, err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	return lock
}

// hbtune runs a command and returns its exit code and what it printed.
func hbtune(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}

// A cluster is not stopped under a sweep, nor removed.
func TestDownLeavesAClusterAtWork(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HBTUNE_HOME", home)
	dir := stoppedCluster(t, home)
	tests := stoppedCluster(t, filepath.Join(home, "test"))
	for _, c := range []struct {
		dir  string
		args []string
	}{
		{dir, []string{"local", "down"}},
		{dir, []string{"local", "down", "--delete"}},
		{tests, []string{"local", "down", "--test"}},
	} {
		lock := hold(t, filepath.Join(c.dir, "apply.lock"), "/my/sweep")
		code, _, stderr := hbtune(t, c.args...)
		want := fmt.Sprintf("hbtune: another hbtune (pid %d, for /my/sweep) is working on target local: wait for it or stop it with Ctrl-C\n", os.Getpid())
		if code != exitFound || stderr != want {
			t.Errorf("%v: exit code %d, %s", c.args, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(c.dir, "cluster.json")); err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := hbtune(t, c.args...); code != exitDone {
			t.Errorf("%v, released: exit code %d, %s", c.args, code, stderr)
		}
		stoppedCluster(t, home)
	}
}

// Settings that a killed apply has left are spoken of where the cluster is
// looked at, with the command that takes them off.
func TestLocalStatusTellsOfSettingsLeft(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HBTUNE_HOME", home)
	dir := stoppedCluster(t, home)
	write(t, filepath.Join(dir, "apply.claim"), `{"id":"x","dir":"/gone","undo":"hbtune profile rollback x"}`)
	code, _, stderr := hbtune(t, "local", "status")
	if code != exitFound || !strings.Contains(stderr, "note: target local was changed by /gone") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
