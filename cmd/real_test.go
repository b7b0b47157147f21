package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hbtune/sweep/journal"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

// realSpec is as small as a sweep can be: two candidates, one of which HBase
// refuses to start with.
const realSpec = `v: 1
target: {heap: 256MB, unchecked: true}
data: {rows: 5000, value_size: 100B, regions: 2}
workloads:
  - {name: mixed, read_share: 0.5, threads: 4}
parameters:
  - property: hbase.regionserver.handler.count
    values: [3]
  - property: hfile.block.cache.size
    values: [0.7]
design: {blocks: 1, levels: all, sentinels: 1, confirm: 0}
measure: {warmup_cap: 3s, settle_cap: 3s, window: 3s}
`

// newRealRun starts an HBase of the test's own, in a home that the commands find
// it in.
func newRealRun(t *testing.T) *realRun {
	t.Helper()
	cfg := localtest.PrivateConfig(t, local.Config{HeapMB: 256})
	if err := os.Symlink(cfg.Runtimes, filepath.Join(cfg.Home, "runtimes")); err != nil {
		t.Fatal(err)
	}
	cluster, err := local.Up(t.Context(), cfg, testLog{t})
	if err != nil {
		t.Fatal(err)
	}
	r := &realRun{t: t, home: cfg.Home, dir: filepath.Join(t.TempDir(), "sweep"), cluster: cluster}
	r.site = filepath.Join(cluster.RegionServers()[0].ConfDir, "hbase-site.xml")
	r.original = r.hash()
	return r
}

// TestRealSweep takes one sweep on a real HBase through everything that may
// happen to it: killed, restored, resumed, interrupted, and its profile applied
// and taken off again.
func TestRealSweep(t *testing.T) {
	r := newRealRun(t)
	spec := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(spec, []byte(realSpec), 0o644); err != nil {
		t.Fatal(err)
	}

	// Killed while a variant is in force: restore brings the bytes back.
	killed := r.start("sweep", "-f", spec, "--yes", "--dir", r.dir)
	r.waitChanged()
	r.status("running", "target_changed")
	r.run(exitFound, "local", "down")                 // not under a sweep
	r.run(exitFound, "sweep", "resume", r.dir)        // nor two at once
	r.run(exitNotRestored, "sweep", "restore", r.dir) // nor from under it
	if err := killed.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	r.status("target_changed")
	r.run(exitDone, "local", "up") // as it is, even were its RegionServer on its way out
	r.run(exitDone, "sweep", "restore", r.dir)
	r.status()
	r.asItWas()
	r.run(exitDone, "sweep", "restore", r.dir) // again does no harm
	r.asItWas()
	r.run(exitBadInput, "sweep", "-f", spec, "--yes", "--dir", r.dir) // a folder in use

	// Interrupted: restores by itself and says so.
	interrupted := r.start("sweep", "resume", r.dir)
	r.waitChanged()
	if err := interrupted.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(interrupted.Wait()); code != exitInterrupted {
		t.Fatalf("interrupted sweep: exit code %d, want %d\n%s", code, exitInterrupted, interrupted.Stderr)
	}
	r.asItWas()

	// A target that somebody has changed is not gone on with.
	original, err := os.ReadFile(r.site)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.site, string(original)+"<!-- by hand -->\n")
	r.run(exitFound, "sweep", "resume", r.dir)
	write(t, r.site, string(original))

	// Resumed: measures what is left. The variant that HBase refuses is a record
	// with HBase's own reason, and the other one has its measurement.
	r.run(exitDone, "sweep", "resume", r.dir)
	r.asItWas()
	r.checkRecords()
	for _, name := range []string{"spec.yaml", "recommendation.json", "profile.yaml", "report.html", "variants/v01"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err != nil {
			t.Error(err)
		}
	}
	var status struct{ Phase string }
	if err := json.Unmarshal(r.run(exitDone, "sweep", "status", r.dir, "--json"), &status); err != nil || status.Phase != "done" {
		t.Errorf("status: %+v, %v", status, err)
	}

	// A profile goes on, is verified, and comes off.
	profile := filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(profile, []byte("v: 1\nname: ten\nsettings:\n  hbase.regionserver.handler.count: 10\nevidence: {origin: operator}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.run(exitFound, "profile", "verify", profile)
	r.run(exitDone, "profile", "apply", profile, "--yes")
	r.run(exitDone, "profile", "verify", profile)
	r.run(exitDone, "profile", "rollback")
	r.asItWas()
	r.run(exitFound, "profile", "verify", profile)
}

// realRun runs hbtune, as a process of its own, on one cluster.
type realRun struct {
	t        *testing.T
	home     string
	dir      string
	site     string
	original [sha256.Size]byte
	cluster  *local.Cluster
}

func (r *realRun) start(args ...string) *exec.Cmd {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	// The test binary is hbtune when it is called by that name: see TestMain.
	c := &exec.Cmd{
		Path: self, Args: append([]string{"hbtune"}, args...), Env: append(os.Environ(), "HBTUNE_HOME="+r.home),
		Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
	}
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

func (r *realRun) run(want int, args ...string) []byte {
	r.t.Helper()
	c := r.start(args...)
	if code := exitOf(c.Wait()); code != want {
		r.t.Fatalf("hbtune %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, c.Stdout, c.Stderr)
	}
	return c.Stdout.(*bytes.Buffer).Bytes()
}

// status checks which of the yes-or-no facts of the sweep's status hold.
func (r *realRun) status(want ...string) {
	r.t.Helper()
	var got map[string]any
	if err := json.Unmarshal(r.run(exitDone, "sweep", "status", r.dir, "--json"), &got); err != nil {
		r.t.Fatal(err)
	}
	for _, fact := range []string{"running", "target_changed"} {
		if got[fact] != slices.Contains(want, fact) {
			r.t.Errorf("status: %v, want %v", got, want)
		}
	}
}

func exitOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		return -1
	}
}

func (r *realRun) hash() [sha256.Size]byte {
	r.t.Helper()
	data, err := os.ReadFile(r.site)
	if err != nil {
		r.t.Fatal(err)
	}
	return sha256.Sum256(data)
}

// waitChanged waits until a variant lies in the RegionServer's folder.
func (r *realRun) waitChanged() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Minute)
	defer cancel()
	for r.hash() == r.original {
		select {
		case <-ctx.Done():
			r.t.Fatal("the sweep never applied a variant")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (r *realRun) asItWas() {
	r.t.Helper()
	if r.hash() != r.original {
		r.t.Fatalf("%s is not as it was", r.site)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	if err := r.cluster.WaitServing(ctx); err != nil {
		r.t.Fatalf("the cluster does not serve: %v", err)
	}
}

func (r *realRun) checkRecords() {
	r.t.Helper()
	content, err := journal.Read(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(content.Records) != 3 {
		r.t.Fatalf("%d records, want baseline and two candidates", len(content.Records))
	}
	for _, rec := range content.Records {
		if cache, _ := rec.Variant.Settings.Get("hfile.block.cache.size"); cache == "0.7" {
			if rec.Fault == nil || rec.Fault.Code != trial.FaultStart || !strings.Contains(rec.Fault.Message, "exceed") {
				r.t.Errorf("the variant that can't start: %+v", rec.Fault)
			}
			continue
		}
		if rec.Measurement == nil || rec.Measurement.Operations == 0 || rec.Receipt == nil || len(rec.Measurement.Errors) > 0 {
			r.t.Errorf("%s: fault %+v, measurement %+v", rec.ID, rec.Fault, rec.Measurement)
			continue
		}
		want, _ := rec.Variant.Settings.Get("hbase.regionserver.handler.count")
		if rec.Variant.IsBaseline() {
			want = "30"
		}
		if got, _ := rec.Observed.Get("hbase.regionserver.handler.count"); got != want {
			r.t.Errorf("%s: %s handlers observed, want %s", rec.ID, got, want)
		}
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", b)
	return len(b), nil
}
