package apply_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

const (
	handlers   = "hbase.regionserver.handler.count"
	blockCache = "hfile.block.cache.size"
)

// hashes are those of the files in the RegionServers' configuration folders.
func hashes(t *testing.T, c *local.Cluster) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, n := range c.RegionServers() {
		entries, err := os.ReadDir(n.ConfDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			path := filepath.Join(n.ConfDir, e.Name())
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sums[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	return sums
}

func open(t *testing.T, c *local.Cluster, dir string, opt apply.Options) *apply.Local {
	t.Helper()
	target, err := apply.NewLocal(c, dir, hbaseconf.Builtin(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	return target
}

// folder is a folder for a target, which is restored at the end whatever the
// test did: the cluster is shared.
func folder(t *testing.T, c *local.Cluster) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		target, err := apply.NewLocal(c, dir, hbaseconf.Builtin(), apply.Options{Force: true})
		if err == nil {
			err = errors.Join(target.Restore(context.Background()), target.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

func with(name string, value hbaseconf.Value) trial.Variant {
	return trial.Variant{ID: "v", Settings: hbaseconf.NewSettings(hbaseconf.Setting{Name: name, Value: value})}
}

// checkRestored fails unless the target is as it was: files and running values.
func checkRestored(t *testing.T, c *local.Cluster, before map[string]string, running hbaseconf.Settings) {
	t.Helper()
	after := hashes(t, c)
	if len(after) != len(before) {
		t.Errorf("files were %v, are %v", before, after)
	}
	for path, hash := range before {
		if after[path] != hash {
			t.Errorf("%s is not what it was", path)
		}
	}
	got, err := open(t, c, t.TempDir(), apply.Options{}).Effective(t.Context(), running.Names())
	if err != nil || !got.Equal(running) {
		t.Errorf("runs with %v instead of %v (%v)", got, running, err)
	}
}

// One cluster serves all: a restart costs more than everything else.
func TestRealHBase(t *testing.T) {
	c := localtest.Cluster(t)
	before := hashes(t, c)
	running, err := open(t, c, t.TempDir(), apply.Options{}).Effective(t.Context(), []string{handlers, blockCache, "hbase.regionserver.global.memstore.size"})
	if err != nil {
		t.Fatal(err)
	}

	t.Run("applied, then restored by a later process after the cluster went down", func(t *testing.T) {
		dir := folder(t, c)
		target := open(t, c, dir, apply.Options{Observe: []string{blockCache}})
		began := time.Now()
		receipt, observed, err := target.Apply(t.Context(), with(handlers, "10"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("stop %.1f s, start %.1f s", receipt.StopSeconds, receipt.StartSeconds)
		if v, _ := observed.Get(handlers); v != "10" || observed.Len() != 2 {
			t.Errorf("observed %v", observed)
		}
		for node, start := range receipt.ServerStart {
			if start.Before(began.Truncate(time.Millisecond)) {
				t.Errorf("%s started %v, before the apply", node, start)
			}
		}
		if err := target.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Down(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := open(t, c, dir, apply.Options{}).Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkRestored(t, c, before, running)
	})

	t.Run("a variant that does not start", func(t *testing.T) {
		dir := folder(t, c)
		target := open(t, c, dir, apply.Options{})
		var fault *apply.Fault
		_, _, err := target.Apply(t.Context(), with(blockCache, "0.7"))
		if !errors.As(err, &fault) || fault.Code != trial.FaultRefused {
			t.Errorf("unforced: %v", err)
		}
		if err := target.Close(); err != nil {
			t.Fatal(err)
		}
		target = open(t, c, dir, apply.Options{Unchecked: true})
		_, _, err = target.Apply(t.Context(), with(blockCache, "0.7"))
		if !errors.As(err, &fault) || fault.Code != trial.FaultStart || fault.Property != blockCache {
			t.Fatalf("forced: %v", err)
		}
		if !strings.Contains(fault.Message, "heap memory allocation is invalid") || strings.Contains(fault.Message, "\n") {
			t.Errorf("not HBase's own reason: %s", fault.Message)
		}
		checkRestored(t, c, before, running)
	})

	t.Run("killed", func(t *testing.T) {
		dir := folder(t, c)
		var out bytes.Buffer
		child := exec.Command(os.Args[0], "-test.run=^TestChildThatIsKilled$", "-test.v")
		child.Env = append(os.Environ(), childHome+"="+c.Dir(), childDir+"="+dir)
		child.Stdout, child.Stderr = &out, &out
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// The restart is under way when the file has changed and the server is gone
		// or new.
		pid := c.RegionServers()[0].PID
		wait(t, &out, func() bool { return c.RegionServers()[0].PID != pid })
		if err := child.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		if site := filepath.Join(c.RegionServers()[0].ConfDir, "hbase-site.xml"); hashes(t, c)[site] == before[site] {
			t.Errorf("nothing was changed: %s", &out)
		}
		if err := open(t, c, dir, apply.Options{}).Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkRestored(t, c, before, running)
	})
}

const (
	childHome = "HBTUNE_APPLY_TEST_CLUSTER"
	childDir  = "HBTUNE_APPLY_TEST_DIR"
)

// The process that is killed; it is no test of its own.
func TestChildThatIsKilled(t *testing.T) {
	cluster := os.Getenv(childHome)
	if cluster == "" {
		return
	}
	c, err := local.OpenNamed(local.Config{Home: filepath.Dir(filepath.Dir(cluster)), Name: filepath.Base(cluster)})
	if err != nil {
		t.Fatal(err)
	}
	target, err := apply.NewLocal(c, os.Getenv(childDir), hbaseconf.Builtin(), apply.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = target.Apply(context.Background(), with(handlers, "10"))
	t.Fatalf("lived on: %v", err)
}

// wait waits for something that must happen.
func wait(t *testing.T, out *bytes.Buffer, happened func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !happened() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen; %s", out)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
