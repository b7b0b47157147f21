package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// childVariable holds, as JSON, what a test binary run again is to do.
const childVariable = "HBTUNE_APPLY_TEST_CHILD"

// task is one use of a target by a process of its own.
type task struct {
	Home, Dir string
	Nodes     []string
	Apply     []trial.Variant // one after the other; none: restore
	Unchecked bool
	Keep      bool
	// KillAt is the step, counted from 1, at which the process kills itself as
	// by kill -9; 0 lets it finish.
	KillAt int
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		if err := runTask(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func runTask(text string) error {
	var k task
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return err
	}
	c, err := newFakeCluster(k.Home, k.Nodes...)
	if err != nil {
		return err
	}
	l, err := newLocal(c, k.Home, k.Dir, hbaseconf.Builtin(), Options{Unchecked: k.Unchecked})
	if err != nil {
		return err
	}
	var n atomic.Int32 // servers are stopped together
	l.step = func(name string) {
		if n.Add(1) == int32(k.KillAt) {
			fmt.Println(name)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour) // the signal is on its way
		}
	}
	c.step = l.step
	if len(k.Apply) == 0 {
		return l.Restore(context.Background())
	}
	for _, v := range k.Apply {
		_, _, err := l.Apply(context.Background(), v)
		var f *Fault
		if err != nil && !errors.As(err, &f) {
			return err
		}
	}
	if k.Keep {
		return l.Keep()
	}
	return nil
}

// run does a task in a process of its own and returns where it was killed;
// nowhere if it finished.
func (k task) run(t testing.TB) (step string) {
	t.Helper()
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		return ""
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return string(out)
	}
	t.Fatalf("%v: %v", k, err)
	return ""
}

func (r *rig) task(apply ...trial.Variant) task {
	return task{Home: r.home, Dir: r.dir, Nodes: r.nodes, Apply: apply, Unchecked: true}
}

// afterKill checks what must hold at any instant: where a file of the target
// is not the original, its original is safe.
func (r *rig) afterKill(t rapid.TB) {
	t.Helper()
	for _, n := range r.nodes {
		hash, err := hashFile(r.site(n))
		if err != nil {
			t.Fatal(err)
		}
		if hash == r.hashes[n] {
			continue
		}
		s, err := openStore(r.dir, func(string) {})
		if err != nil {
			t.Fatalf("%s changed, but its original is not safe: %v", n, err)
		}
		if o, err := s.of(n); err != nil || o.SHA256 != r.hashes[n] {
			t.Fatalf("%s changed, but what was saved is not its original (%v)", n, err)
		}
	}
}

var scripts = map[string][]trial.Variant{
	"apply":    {variant("v1", "hbase.regionserver.handler.count=10")},
	"again":    {variant("v1", "hbase.regionserver.handler.count=10"), variant("v2", "hbase.regionserver.handler.count=60")},
	"baseline": {variant("v1", "hbase.regionserver.handler.count=10"), variant("baseline")},
	"bad":      {variant("bad", "hfile.block.cache.size=0.7")},
}

// Killed at every step, a fresh process restores.
func TestRestoreAfterKillAtEveryStep(t *testing.T) {
	for name, variants := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := 1; ; at++ {
				r := newRig(t)
				k := r.task(variants...)
				k.KillAt = at
				step := k.run(t)
				r.afterKill(t)
				r.task().run(t)
				r.checkOriginal(t)
				if t.Failed() {
					t.Fatalf("killed at step %d, %s", at, step)
				}
				if step == "" {
					if at < 10 {
						t.Errorf("only %d steps", at)
					}
					return
				}
			}
		})
	}
}

// Killed while restoring, too, the next restore goes on.
func TestRestoreAfterKillWhileRestoring(t *testing.T) {
	for at := 1; ; at++ {
		r := newRig(t)
		r.task(scripts["apply"]...).run(t)
		k := r.task()
		k.KillAt = at
		step := k.run(t)
		r.afterKill(t)
		if at%2 == 0 { // the machine went down with us
			for _, n := range r.nodes {
				if err := r.stop(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
		}
		r.task().run(t)
		r.checkOriginal(t)
		if t.Failed() {
			t.Fatalf("killed at step %d, %s", at, step)
		}
		if step == "" {
			return
		}
	}
}

// Killed at every step, a fresh process applies something else without
// restoring first.
func TestApplyAfterKillAtEveryStep(t *testing.T) {
	for at := 1; ; at++ {
		r := newRig(t)
		k := r.task(scripts["again"]...)
		k.KillAt = at
		step := k.run(t)
		r.task(variant("v3", "hbase.regionserver.handler.count=90")).run(t)
		for _, n := range r.nodes {
			p, err := r.process(n)
			if err != nil || p.Conf["hbase.regionserver.handler.count"] != "90" {
				t.Fatalf("killed at step %d, %s: %s runs with %v (%v)", at, step, n, p.Conf, err)
			}
		}
		r.task().run(t)
		r.checkOriginal(t)
		if step == "" {
			return
		}
	}
}

// A profile in force that is killed while being taken off.
func TestKeepAndRestoreKilledAtEveryStep(t *testing.T) {
	for at := 1; ; at++ {
		r := newRig(t, "rs1")
		k := r.task(scripts["apply"]...)
		k.Keep = true
		k.KillAt = at
		step := k.run(t)
		r.task().run(t)
		r.checkOriginal(t)
		if t.Failed() {
			t.Fatalf("killed at step %d, %s", at, step)
		}
		if step == "" {
			return
		}
	}
}

func TestHalfSavedOriginalsAreSavedAgain(t *testing.T) {
	r := newRig(t)
	k := r.task(scripts["apply"]...)
	for k.KillAt = 1; ; k.KillAt++ {
		step := k.run(t)
		if step == "save: rs1\n" {
			break
		}
		if step == "" {
			t.Fatal("never half-saved")
		}
	}
	// As an operator may: the target was not touched, so an edit is legitimate.
	edited := []byte("<configuration><!-- edited --></configuration>\n")
	if err := os.WriteFile(r.site("rs1"), edited, 0o640); err != nil {
		t.Fatal(err)
	}
	r.hashes["rs1"] = hashOf(edited)
	r.task(scripts["apply"]...).run(t)
	r.task().run(t)
	r.checkOriginal(t)
	saved, err := os.ReadFile(filepath.Join(r.dir, originalFolder, "rs1", "hbase-site.xml"))
	if err != nil || string(saved) != string(edited) {
		t.Errorf("saved %q, %v", saved, err)
	}
}
