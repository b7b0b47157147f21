package local

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gops "github.com/shirou/gopsutil/v4/process"
)

func TestPortTaken(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	address := c.RegionServers()[0].Address
	if err := c.Down(within(t)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Up(within(t), m.cfg, new(bytes.Buffer))
	var taken *PortError
	if !errors.As(err, &taken) || taken.Daemon != "rs1" || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	mustUp(t, m.cfg)
}

// A cluster that has never served has nothing to keep its ports for.
func TestPortTakenBeforeFirstStart(t *testing.T) {
	m := newMachine(t)
	m.set(t, "zk", diesAtStart)
	if _, err := Up(within(t), m.cfg, new(bytes.Buffer)); err == nil {
		t.Fatal("up without ZooKeeper")
	}
	c, err := Open(m.cfg.Home)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", c.ZooKeeper())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m.set(t, "zk", "")
	mustUp(t, m.cfg)
}

// As long as a cluster has never served, what is asked for may change.
func TestChangeOfMindBeforeFirstStart(t *testing.T) {
	m := newMachine(t)
	m.set(t, "rs1", diesAtStart)
	m.cfg.HeapMB = 100
	if _, err := Up(within(t), m.cfg, new(bytes.Buffer)); err == nil {
		t.Fatal("up without a RegionServer")
	}
	c, err := Open(m.cfg.Home)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Down(within(t)); err != nil {
		t.Fatal(err)
	}
	m.set(t, "rs1", "")
	m.cfg.HeapMB = 600
	status, err := mustUp(t, m.cfg).Status(within(t))
	if err != nil || status.HeapMB != 600 {
		t.Errorf("status %+v, %v", status, err)
	}
}

func TestMismatch(t *testing.T) {
	m := newMachine(t)
	m.cfg.HeapMB = 600
	c := mustUp(t, m.cfg)
	for what, change := range map[string]func(*Config){
		"heap":          func(c *Config) { c.HeapMB = 700 },
		"HBase":         func(c *Config) { c.Version = "2.4.18" },
		"storage":       func(c *Config) { c.Storage = StorageHDFS },
		"RegionServers": func(c *Config) { c.RegionServers = 3 },
	} {
		cfg := m.cfg
		change(&cfg)
		_, err := Up(within(t), cfg, new(bytes.Buffer))
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "--delete") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := c.Down(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := Delete(within(t), m.cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(m.cfg.Home); !errors.Is(err, ErrNoCluster) {
		t.Errorf("after delete: %v", err)
	}
	m.cfg.HeapMB = 700
	mustUp(t, m.cfg)
}

func TestDamagedState(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	running := pids(t, c)
	if err := os.WriteFile(filepath.Join(c.dir, stateFile), []byte(`{"v":1,"daem`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Up(within(t), m.cfg, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), stateFile) || !strings.Contains(err.Error(), "--delete") {
		t.Errorf("got %v", err)
	}
	if err := Delete(within(t), m.cfg); err != nil {
		t.Fatal(err)
	}
	for name, pid := range running {
		// Children of this test that nobody waits for stay as zombies.
		p, err := gops.NewProcess(int32(pid))
		if err != nil {
			continue
		}
		if args, err := p.CmdlineSlice(); err == nil && slices.Contains(args, mark(c.dir, name)) {
			t.Errorf("%s still runs", name)
		}
	}
	mustUp(t, m.cfg)
}

func TestNodes(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	err := c.StopNode(within(t), "rs9")
	if err == nil || !strings.Contains(err.Error(), "rs1") {
		t.Errorf("an unknown daemon: %v", err)
	}
	before := pids(t, c)["rs1"]
	if err := c.StartNode(within(t), "rs1"); err != nil {
		t.Fatal(err)
	}
	if now := pids(t, c)["rs1"]; now != before {
		t.Error("starting what runs started it again")
	}
	r, err := c.RestartNode(within(t), "rs1")
	if err != nil || r.Start <= 0 {
		t.Errorf("restart: %+v, %v", r, err)
	}
	if now := pids(t, c)["rs1"]; now == before || now == 0 {
		t.Errorf("process %d before the restart, %d after", before, now)
	}
}

func TestLogs(t *testing.T) {
	m := newMachine(t)
	c := mustUp(t, m.cfg)
	if err := os.WriteFile(c.log("rs1"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Logs(within(t), &out, "rs1", 2, false); err != nil || out.String() != "two\nthree\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := c.Logs(within(t), &out, "rs7", 2, false); err == nil {
		t.Error("no error for a daemon that does not exist")
	}
}
