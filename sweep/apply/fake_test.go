package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// fakeCluster stands in for RegionServers where tests kill hbtune itself: what
// "runs" is a file, so that it outlives the process under test as a daemon
// does. It refuses a block cache of 0.7 or more as HBase would.
type fakeCluster struct {
	home  string
	nodes []string
	step  func(string)
	age   time.Duration // of servers when they are started

	// override wins over every server's file, or over that of one server.
	override     map[string]running
	overrideOnly string
	// hang keeps a server with this configuration from ever serving.
	hang func(conf map[string]string) bool
}

// fakeProcess is what a RegionServer read when it started.
type fakeProcess struct {
	Started time.Time
	Site    string // hash of its hbase-site.xml
	Conf    map[string]string
}

const fakeSite = `<?xml version="1.0"?>
<!-- of %s -->
<configuration>
  <property>
    <name>hbase.regionserver.port</name>
    <value>16020</value>
  </property>
</configuration>
`

// newFakeCluster lays a cluster out in home and starts it; if it is there
// already, nothing happens.
func newFakeCluster(home string, nodes ...string) (*fakeCluster, error) {
	c := &fakeCluster{home: home, nodes: nodes, step: func(string) {}, age: time.Hour}
	for _, s := range c.servers() {
		if _, err := os.Stat(s.site); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(s.site), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(s.site, fmt.Appendf(nil, fakeSite, s.name), 0o640); err != nil {
			return nil, err
		}
		if err := c.up(context.Background()); err != nil {
			return nil, err
		}
	}
	c.age = 0
	return c, os.MkdirAll(filepath.Join(home, "run"), 0o755)
}

func (c *fakeCluster) site(name string) string {
	return filepath.Join(c.home, "conf", name, "hbase-site.xml")
}
func (c *fakeCluster) run(name string) string { return filepath.Join(c.home, "run", name) }

func (c *fakeCluster) version() string { return "2.6.4" }

func (c *fakeCluster) servers() []server {
	var list []server
	for _, n := range c.nodes {
		list = append(list, server{name: n, site: c.site(n)})
	}
	return list
}

func (c *fakeCluster) stop(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Remove(c.run(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	c.step("fake: stopped " + name)
	return nil
}

var fakeProperty = regexp.MustCompile(`<name>(.*?)</name>\s*<value>(.*?)</value>`)

func (c *fakeCluster) up(ctx context.Context) error {
	for _, name := range c.nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.process(name); err == nil {
			continue
		}
		data, err := os.ReadFile(c.site(name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		p := fakeProcess{Started: time.Now().Add(-c.age), Site: hashOf(data), Conf: map[string]string{}}
		for _, m := range fakeProperty.FindAllStringSubmatch(string(data), -1) {
			p.Conf[m[1]] = m[2]
		}
		if p.Conf["hfile.block.cache.size"] >= "0.7" {
			return fmt.Errorf("%s ended at its start: RuntimeException: heap memory invalid,\n check hfile.block.cache.size", name)
		}
		if c.hang != nil && c.hang(p.Conf) {
			<-ctx.Done()
			return ctx.Err()
		}
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(c.run(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(c.run(name), text, 0o644); err != nil {
			return err
		}
		c.step("fake: started " + name)
	}
	return nil
}

func (c *fakeCluster) process(name string) (fakeProcess, error) {
	var p fakeProcess
	data, err := os.ReadFile(c.run(name))
	if err != nil {
		return p, fmt.Errorf("%s does not run: %w", name, err)
	}
	return p, json.Unmarshal(data, &p)
}

func (c *fakeCluster) started(_ context.Context, name string) (time.Time, error) {
	p, err := c.process(name)
	return p.Started, err
}

func (c *fakeCluster) conf(_ context.Context, name string) (map[string]running, error) {
	p, err := c.process(name)
	conf := map[string]running{}
	for key, value := range p.Conf {
		conf[key] = running{value: value, source: "hbase-site.xml"}
	}
	if c.overrideOnly == "" || c.overrideOnly == name {
		maps.Copy(conf, c.override)
	}
	return conf, err
}

func (c *fakeCluster) heapBytes(context.Context, string) (int64, error) { return 512 << 20, nil }

// rig is a fake target with its folder, and what it was at first.
type rig struct {
	*fakeCluster
	dir     string
	hashes  map[string]string
	started map[string]time.Time
}

func newRig(t testing.TB, nodes ...string) *rig {
	t.Helper()
	return newRigIn(t, memoryFolder(t), nodes...)
}

// memoryFolder is a folder in memory, where there is one: killing a process
// loses nothing of it, and forcing it to disk costs nothing.
func memoryFolder(t cleaner) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hbtune-apply-test-")
	if err != nil {
		dir, err = os.MkdirTemp("", "hbtune-apply-test-")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

type cleaner interface {
	rapid.TB
	Cleanup(func())
}

func newRigIn(t rapid.TB, base string, nodes ...string) *rig {
	t.Helper()
	if len(nodes) == 0 {
		nodes = []string{"rs1", "rs2"}
	}
	c, err := newFakeCluster(filepath.Join(base, "home"), nodes...)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{fakeCluster: c, dir: filepath.Join(base, "sweep"), hashes: map[string]string{}, started: map[string]time.Time{}}
	for _, n := range nodes {
		if r.hashes[n], err = hashFile(c.site(n)); err != nil {
			t.Fatal(err)
		}
		p, err := c.process(n)
		if err != nil {
			t.Fatal(err)
		}
		r.started[n] = p.Started
	}
	return r
}

// open makes a target as a fresh process would.
func (r *rig) open(t testing.TB, opt Options) *Local {
	t.Helper()
	l, err := newLocal(r.fakeCluster, r.home, r.dir, hbaseconf.Builtin(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// reopen ends the use of a target and begins another, as a later process would.
func (r *rig) reopen(t testing.TB, l *Local, opt Options) *Local {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return r.open(t, opt)
}

// checkOriginal fails unless the target is in every respect as it was at
// first, and serves.
func (r *rig) checkOriginal(t rapid.TB) {
	t.Helper()
	r.checkOriginalFiles(t)
	for _, n := range r.nodes {
		info, err := os.Stat(r.site(n))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v", n, info.Mode())
		}
		p, err := r.process(n)
		if err != nil {
			t.Errorf("%s does not serve: %v", n, err)
		} else if p.Site != r.hashes[n] {
			t.Errorf("%s runs with something else than the original", n)
		}
		if names := list(t, filepath.Dir(r.site(n))); len(names) != 1 {
			t.Errorf("%s: the folder of its configuration holds %v", n, names)
		}
	}
	for _, path := range []string{filepath.Join(r.dir, originalFolder, departureName), filepath.Join(r.home, claimName)} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

func (r *rig) checkOriginalFiles(t rapid.TB) {
	t.Helper()
	for _, n := range r.nodes {
		if hash, err := hashFile(r.site(n)); hash != r.hashes[n] {
			t.Errorf("%s: its file is not the original (%v)", n, err)
		}
	}
}

func list(t rapid.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// variant makes a variant out of name=value texts.
func variant(id string, settings ...string) trial.Variant {
	v := trial.Variant{ID: id}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		v.Settings = v.Settings.With(hbaseconf.Setting{Name: name, Value: hbaseconf.Value(value)})
	}
	return v
}
