// Package localtest gives tests a real HBase, run by sweep/local.
//
// Such tests need a JDK, Maven, and seconds to minutes. They are skipped,
// visibly, unless HBTUNE_REAL is set: "1" runs them, "required" does too and
// makes whatever is missing an error, never a skip.
package localtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hbtune/sweep/local"
)

// upLimit bounds the start of a cluster on a machine that is busy with other
// tests, the installation of HBase included.
const upLimit = 10 * time.Minute

// Cluster returns the cluster that all packages' tests share, started and
// serving with its own configuration, for this test alone: tests of other
// packages, and other tests of this one, wait until this test has ended. Call it
// once in a test. The cluster is left running; `hbtune local down --test`
// stops it.
//
// A test that changes the configuration puts it back; one that makes tables
// names them after itself and drops them.
func Cluster(t testing.TB) *local.Cluster {
	t.Helper()
	gate(t)
	home, runtimes := homes(t)
	hold(t, filepath.Join(home, "shared.lock"))
	cfg := local.Config{Home: home, Runtimes: runtimes}
	reset(t, cfg)
	t.Cleanup(func() { showLogs(context.Background(), t, cfg) })
	return up(t, cfg)
}

// showLogs gives a failed test what the daemons said last: it may be their end
// that it failed of, and their folder is gone after the test.
func showLogs(ctx context.Context, t testing.TB, cfg local.Config) {
	if !t.Failed() {
		return
	}
	cluster, err := local.OpenNamed(cfg)
	if err != nil {
		return // there is none
	}
	if status, err := cluster.Status(ctx); err == nil && status.Serving {
		t.Log("the cluster still serves")
		return
	}
	if err := cluster.Logs(ctx, t.Output(), "", 25, false); err != nil {
		t.Log(err)
	}
}

// reset undoes what a test that was killed has left in the configuration.
func reset(t testing.TB, cfg local.Config) {
	t.Helper()
	cluster, err := local.OpenNamed(cfg)
	if errors.Is(err, local.ErrNoCluster) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), upLimit)
	defer cancel()
	if err := cluster.ResetConf(ctx); err != nil {
		t.Fatal(err)
	}
}

// Private returns a cluster of the test's own, made as cfg says and removed at
// the end of the test. The fields of cfg that say where it lies are not used.
func Private(t testing.TB, cfg local.Config) *local.Cluster {
	t.Helper()
	cfg = PrivateConfig(t, cfg)
	return up(t, cfg)
}

// PrivateConfig is the configuration of a private cluster for tests that start
// it themselves. Whatever they start is removed at the end of the test.
func PrivateConfig(t testing.TB, cfg local.Config) local.Config {
	t.Helper()
	gate(t)
	home, runtimes := homes(t)
	private, err := local.PrivateHome(home)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Home, cfg.Runtimes = private, runtimes
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		showLogs(ctx, t, cfg)
		if err := local.Delete(ctx, cfg); err != nil && !errors.Is(err, local.ErrNoCluster) {
			t.Errorf("removing the private cluster: %v", err)
		}
		if err := os.RemoveAll(private); err != nil {
			t.Error(err)
		}
	})
	return cfg
}

func gate(t testing.TB) {
	t.Helper()
	switch os.Getenv("HBTUNE_REAL") {
	case "1", "required":
	default:
		t.Skip("needs a real HBase: set HBTUNE_REAL=1 to run this test")
	}
}

func homes(t testing.TB) (home, runtimes string) {
	t.Helper()
	base, err := local.DefaultHome()
	if err != nil {
		t.Fatal(err)
	}
	return local.TestHome(base), filepath.Join(base, "runtimes")
}

// hold takes a lock between processes until the test has ended.
func hold(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	l := flock.New(path)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		t.Fatalf("waiting for other tests to release %s: %v", path, err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
}

func up(t testing.TB, cfg local.Config) *local.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), upLimit)
	defer cancel()
	cluster, err := local.Up(ctx, cfg, progress{t})
	if err != nil {
		var setup *local.SetupError
		if errors.As(err, &setup) && os.Getenv("HBTUNE_REAL") != "required" {
			t.Skipf("needs a real HBase: %v", err)
		}
		var failed *local.StartError
		if errors.As(err, &failed) {
			for _, line := range failed.Tail {
				t.Log(line)
			}
		}
		t.Fatal(err)
	}
	return cluster
}

// progress writes what Up does to the test's log.
type progress struct{ t testing.TB }

func (p progress) Write(b []byte) (int, error) {
	p.t.Helper()
	p.t.Logf("%s", b)
	return len(b), nil
}
