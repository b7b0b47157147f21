package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep"
	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// A target that can't be opened is one line, not a stack trace.
func TestSweepWithoutJava(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte("v: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("JAVA_HOME", "")
	t.Setenv("HBTUNE_HOME", filepath.Join(dir, "home"))
	for range 2 { // nothing is left behind that would refuse the second
		code, _, stderr := hbtune(t, "sweep", "-f", spec, "--yes", "--dir", filepath.Join(dir, "sweep"))
		if code != exitBadInput || !strings.Contains(stderr, "java not found") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "sweep")); err == nil {
		t.Error("a folder was left of a sweep that never began")
	}
}

// The same refusals have the same code wherever they come from.
func TestExitCodesOfRefusals(t *testing.T) {
	locked := &apply.Locked{Target: "local"}
	claimed := &apply.Claimed{Target: "local", Dir: "/other"}
	changed := &apply.Changed{Path: "/conf/hbase-site.xml"}
	lost := &apply.NotRestored{Target: "local", Err: changed}
	setup := &local.SetupError{Message: "java not found"}
	input := &sweep.InputError{Err: errors.New("no folder")}
	for _, c := range []struct {
		name                             string
		err                              error
		sweeps, restores, profiles, runs int
	}{
		{"locked", locked, exitFound, exitNotRestored, exitFound, exitFound},
		{"claimed", claimed, exitFound, exitNotRestored, exitFound, exitFound},
		{"refused", &sweep.Refused{Err: changed}, exitFound, exitNotRestored, 0, 0},
		{"changed by hand", changed, exitFound, exitNotRestored, 0, 0},
		{"not restored", lost, exitNotRestored, exitNotRestored, exitNotRestored, 0},
		{"interrupted, not restored", errors.Join(context.Canceled, lost), exitNotRestored, exitNotRestored, exitNotRestored, 0},
		{"nothing installed", setup, exitBadInput, exitNotRestored, exitBadInput, exitBadInput},
		{"no such cluster", local.ErrNoCluster, exitBadInput, exitNotRestored, exitBadInput, exitBadInput},
		{"bad input", input, exitBadInput, exitBadInput, 0, 0},
		{"interrupted", context.Canceled, exitInterrupted, exitNotRestored, exitInterrupted, exitInterrupted},
		{"failed", errors.New("no Master"), exitTarget, exitNotRestored, exitTarget, exitTarget},
	} {
		err := fmt.Errorf("somewhere: %w", c.err)
		for what, got := range map[string][2]int{
			"sweep":   {exitCode(sweepError(err)), c.sweeps},
			"restore": {exitCode(restoreError(err)), c.restores},
			"profile": {exitCode(profileError(err)), c.profiles},
			"local":   {exitCode(localError(err)), c.runs},
		} {
			if got[1] != 0 && got[0] != got[1] {
				t.Errorf("%s, %s: exit code %d, want %d", c.name, what, got[0], got[1])
			}
		}
	}
}

// What a killed sweep has left is said, and so is that a running one works.
func TestRestoreRefusedIsNotRestored(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HBTUNE_HOME", home)
	cluster := stoppedCluster(t, home)
	dir := filepath.Join(t.TempDir(), "sweep")
	write(t, filepath.Join(dir, "spec.yaml"), "v: 1\n")
	hold(t, filepath.Join(cluster, "apply.lock"), dir)
	code, _, stderr := hbtune(t, "sweep", "restore", dir)
	if code != exitNotRestored || !strings.Contains(stderr, "is working on target local") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A sweep that has measured nothing has not done what it was asked to.
func TestASweepWithoutAMeasurementFails(t *testing.T) {
	dir := t.TempDir()
	spec, err := sweep.DefaultSpec(true)
	if err != nil {
		t.Fatal(err)
	}
	one := trial.Trial{ID: "b1s01-mixed", Session: "b1s01", Phase: trial.Explore, Block: 1, Variant: trial.Variant{ID: trial.BaselineID}}
	j, err := journal.Create(dir, trial.Sweep{ID: "s", Objective: "throughput", Equivalence: 0.03, Workloads: []trial.Workload{{Name: "mixed"}}})
	if err != nil {
		t.Fatal(err)
	}
	record := trial.Record{Trial: one, Fault: &trial.Fault{Code: trial.FaultLoad, Message: "table hbtune_read is offline"}}
	if err := errors.Join(j.AppendRecord(record), j.Close()); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	e := &env{Stdio: Stdio{Out: &out, Err: &errs}}
	err = e.finishSweep(dir, spec, hbaseconf.Builtin(), nil)
	if exitCode(err) != exitTarget || !strings.Contains(err.Error(), "no trial gave a usable measurement; b1s01-mixed failed: table hbtune_read is offline") {
		t.Errorf("exit code %d: %v\n%s", exitCode(err), err, out.String())
	}
}
