package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gops "github.com/shirou/gopsutil/v4/process"
)

// within bounds what must not hang.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func mustUp(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	var log bytes.Buffer
	c, err := Up(within(t), cfg, &log)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	return c
}

// pids are the processes of a cluster by daemon; those that do not run have 0.
func pids(t *testing.T, c *Cluster) map[string]int {
	t.Helper()
	status, err := c.Status(within(t))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]int{}
	for _, n := range status.Nodes {
		list[n.Name] = n.PID
	}
	return list
}

func TestUpDownUp(t *testing.T) {
	m := newMachine(t)
	m.cfg.RegionServers = 2
	c := mustUp(t, m.cfg)
	first := pids(t, c)
	if len(first) != 4 {
		t.Fatalf("daemons %v, want zk, master, rs1, rs2", first)
	}
	status, err := c.Status(within(t))
	if err != nil || !status.Serving {
		t.Fatalf("status %+v, %v", status, err)
	}

	again := pids(t, mustUp(t, m.cfg))
	if fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("a second up changed processes: %v, then %v", first, again)
	}

	address := c.ZooKeeper()
	for range 2 { // stopping twice is as good as once
		if err := c.Down(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	for name, pid := range pids(t, c) {
		if pid != 0 {
			t.Errorf("%s still runs", name)
		}
	}
	for name, pid := range first {
		// It has ended, but whoever began it may not have asked after it yet.
		if err := poll(within(t), 10*time.Millisecond, func() (bool, error) {
			there, err := gops.PidExists(int32(pid))
			return !there, err
		}); err != nil {
			t.Errorf("process %d of %s is still there: %v", pid, name, err)
		}
	}

	c, err = Open(m.cfg.Home)
	if err != nil {
		t.Fatal(err)
	}
	mustUp(t, Config{Home: m.cfg.Home})
	if got := c.ZooKeeper(); got != address {
		t.Errorf("ports changed over a restart: %s, then %s", address, got)
	}
	if calls, _ := os.ReadFile(filepath.Join(m.dir, "mvn-calls")); len(calls) != 2 {
		t.Errorf("maven ran %d times", len(calls)/2)
	}
}

func TestConfigurationIsLeftAlone(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	site := filepath.Join(c.RegionServers()[0].ConfDir, "hbase-site.xml")
	text, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	edited := append(text, "<!-- edited -->\n"...)
	if err := os.WriteFile(site, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Down(within(t)); err != nil {
		t.Fatal(err)
	}
	mustUp(t, m.cfg)
	if now, _ := os.ReadFile(site); !bytes.Equal(now, edited) {
		t.Error("up overwrote the RegionServer's configuration")
	}
}

func TestResetConf(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	before := pids(t, c)
	if err := c.ResetConf(within(t)); err != nil {
		t.Fatal(err)
	}
	if now := pids(t, c); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Error("nothing was to be reset, but daemons were stopped")
	}
	site := filepath.Join(c.RegionServers()[0].ConfDir, "hbase-site.xml")
	original, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(site, []byte("<configuration/>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.ResetConf(within(t)); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(site); !bytes.Equal(now, original) {
		t.Error("the configuration is not as it was made")
	}
	mustUp(t, m.cfg)
}

func TestTwoUpsAtOnce(t *testing.T) {
	m := newMachine(t)
	var wg sync.WaitGroup
	results := make([]map[string]int, 4)
	for i := range results {
		wg.Go(func() {
			c, err := Up(within(t), m.cfg, new(bytes.Buffer))
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = pids(t, c)
		})
	}
	wg.Wait()
	for _, r := range results[1:] {
		if fmt.Sprint(r) != fmt.Sprint(results[0]) {
			t.Errorf("different clusters: %v and %v", results[0], r)
		}
	}
}

// runUp is the other process of TestKilledInTheMiddle.
func runUp(home string) {
	_, err := Up(context.Background(), Config{Home: home}, os.Stderr)
	fmt.Println("up:", err)
	os.Exit(0)
}

func TestKilledInTheMiddle(t *testing.T) {
	m := newMachine(t)
	m.set(t, "rs1", neverReady)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	up := exec.Command(self, m.cfg.Home)
	up.Env = append(os.Environ(), fakeEnv+"=up")
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	// Wait until it waits for the RegionServer, then kill it.
	var before map[string]int
	err = poll(within(t), 20*time.Millisecond, func() (bool, error) {
		c, err := Open(m.cfg.Home)
		if err != nil {
			return false, nil
		}
		before = pids(t, c)
		return before["zk"]*before["master"]*before["rs1"] != 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = up.Wait()

	// Worse: it was killed before it could write the last pid down.
	c := &Cluster{layout{filepath.Join(m.cfg.Home, "clusters", DefaultName)}, DefaultName}
	s, err := readState(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.find("rs1")
	if err != nil {
		t.Fatal(err)
	}
	d.Process = process{}
	if err := s.write(c.dir); err != nil {
		t.Fatal(err)
	}

	m.set(t, "rs1", "")
	after := pids(t, mustUp(t, m.cfg))
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the second up did not take over what ran: %v, then %v", before, after)
	}
}

func TestDaemonEndedByASignal(t *testing.T) {
	m := newMachine(t)
	m.set(t, "rs1", killsItself)
	_, err := Up(within(t), m.cfg, new(bytes.Buffer))
	var failed *StartError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a StartError", err)
	}
	if !strings.Contains(err.Error(), "a signal ended it (killed)") {
		t.Errorf("%s", err)
	}
}

func TestDaemonThatDiesAtStart(t *testing.T) {
	m := newMachine(t)
	log, err := os.ReadFile("testdata/logs/heap-rule.log")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, "log"), log, 0o644); err != nil {
		t.Fatal(err)
	}
	c := mustUp(t, m.cfg)
	m.set(t, "rs1", diesAtStart)
	_, err = c.RestartNode(within(t), "rs1")
	var failed *StartError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a StartError", err)
	}
	if failed.Daemon != "rs1" || failed.ExitCode != 1 || len(failed.Tail) == 0 || failed.LogFile != c.RegionServers()[0].LogFile {
		t.Errorf("%+v", failed)
	}
	if !strings.Contains(failed.Reason, "heap memory allocation is invalid") || !strings.Contains(failed.Reason, "hfile.block.cache.size = 0.7") {
		t.Errorf("HBase's reason is lost: %s", failed.Reason)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %s", err)
	}

	// And with the reason gone all is well again.
	m.set(t, "rs1", "")
	if err := c.StartNode(within(t), "rs1"); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitServing(within(t)); err != nil {
		t.Fatal(err)
	}
}

func TestDaemonThatHangs(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	m.set(t, "master", neverReady)
	// However slow the machine, the wait ends with its context and tells for what.
	err := poll(within(t), time.Millisecond, func() (bool, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err := c.WaitServing(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			return false, fmt.Errorf("got %w", err)
		}
		return strings.Contains(err.Error(), "1 procedures"), nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestStubbornDaemonIsKilled(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	m.set(t, "rs1", ignoresTerm)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := c.StopNode(ctx, "rs1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("it obeyed, or: %v", err)
	}
	if err := c.KillNode(within(t), "rs1"); err != nil {
		t.Fatal(err)
	}
	if pid := pids(t, c)["rs1"]; pid != 0 {
		t.Errorf("process %d still runs", pid)
	}
}

// Whoever stops a RegionServer may be killed before it has ended. What still
// runs then is no daemon that serves: the next up, or start, waits for its end
// and starts it.
func TestADaemonOnItsWayOutIsStartedAgain(t *testing.T) {
	for name, start := range map[string]func(*testing.T, *Cluster, *machine){
		"up": func(t *testing.T, _ *Cluster, m *machine) { mustUp(t, m.cfg) },
		"start": func(t *testing.T, c *Cluster, _ *machine) {
			if err := c.StartNode(within(t), "rs1"); err != nil {
				t.Fatal(err)
			}
			if err := c.WaitServing(within(t)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			c := mustUp(t, m.cfg)
			before := pids(t, c)["rs1"]
			m.set(t, "rs1", ignoresTerm)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := c.StopNode(ctx, "rs1"); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("it obeyed, or: %v", err)
			}
			status, err := c.Status(within(t))
			if err != nil || status.Serving || !strings.Contains(status.Pending, "rs1 is being stopped") {
				t.Errorf("status %+v, %v", status, err)
			}
			m.set(t, "rs1", "")
			start(t, c, m)
			if after := pids(t, c)["rs1"]; after == 0 || after == before {
				t.Errorf("process %d, and %d before", after, before)
			}
			if status, err := c.Status(within(t)); err != nil || !status.Serving {
				t.Errorf("status %+v, %v", status, err)
			}
		})
	}
}

// The same where nobody wrote down that it was to end.
func TestADaemonThatEndsDuringUpIsStartedAgain(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	before := pids(t, c)["rs1"]
	m.set(t, "rs1", endsLater)
	mustUp(t, m.cfg)
	if after := pids(t, c)["rs1"]; after == 0 || after == before {
		t.Errorf("process %d, and %d before", after, before)
	}
}

func TestRecycledPIDIsLeftAlone(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	if err := c.KillNode(within(t), "rs1"); err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })

	s, err := readState(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.find("rs1")
	if err != nil {
		t.Fatal(err)
	}
	// The pid as the system might give it to another program, at any time.
	proc, err := gops.NewProcess(int32(other.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	created, err := proc.CreateTime()
	if err != nil {
		t.Fatal(err)
	}
	for _, started := range []int64{d.Process.StartedMillis - 10*clockSlack, created} {
		d.Process = process{PID: other.Process.Pid, StartedMillis: started}
		if err := s.write(c.dir); err != nil {
			t.Fatal(err)
		}
		if pid := pids(t, c)["rs1"]; pid != 0 {
			t.Errorf("the other program was taken for rs1")
		}
		if err := c.StopNode(within(t), "rs1"); err != nil {
			t.Fatal(err)
		}
		if err := c.KillNode(within(t), "rs1"); err != nil {
			t.Fatal(err)
		}
	}
	if running, _ := proc.IsRunning(); !running {
		t.Fatal("the other program was killed")
	}
	mustUp(t, m.cfg)
}
