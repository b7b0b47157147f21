package local

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Cluster is one local cluster, running or not. It holds nothing open: what is
// true is in the cluster's folder and in the processes, so that several handles,
// in several programs, may be used at once.
type Cluster struct {
	layout
	name string
}

// Dir is the cluster's folder.
func (c *Cluster) Dir() string { return c.dir }

// Open finds the default cluster of a home (DefaultHome if empty).
func Open(home string) (*Cluster, error) { return OpenNamed(Config{Home: home}) }

// OpenNamed finds the cluster that the Config's Home and Name tell.
func OpenNamed(cfg Config) (*Cluster, error) {
	cfg, err := cfg.located()
	if err != nil {
		return nil, err
	}
	if _, err := readState(cfg.dir()); err != nil {
		return nil, err
	}
	return &Cluster{layout{cfg.dir()}, cfg.Name}, nil
}

// Up makes the cluster if it does not exist, starts what does not run of it,
// and returns when it serves. Calls at the same time wait for each other.
func Up(ctx context.Context, cfg Config, log io.Writer) (*Cluster, error) {
	cfg, err := cfg.located()
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Cluster{layout{cfg.dir()}, cfg.Name}
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := c.prepare(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	for i := range s.Daemons {
		d := &s.Daemons[i]
		if c.running(d) {
			continue
		}
		fmt.Fprintf(log, "starting %s\n", d.Name)
		if err := c.start(ctx, s, d); err != nil {
			return nil, err
		}
	}
	if err := c.waitServing(ctx, s); err != nil {
		return nil, err
	}
	if !s.HasServed {
		s.HasServed = true
		if err := s.write(c.dir); err != nil {
			return nil, err
		}
	}
	if err := c.makeArchive(ctx, s, log); err != nil {
		fmt.Fprintf(log, "starts stay slower than they could be: %v\n", err)
	}
	return c, nil
}

// prepare returns the state of an existing cluster, or lays out a new one. As
// long as it has never served, and nothing of it runs, its ports and files are
// made afresh.
func (c *Cluster) prepare(ctx context.Context, cfg Config, log io.Writer) (*state, error) {
	s, err := readState(c.dir)
	switch {
	case err == nil:
		if err := s.matches(cfg); err != nil {
			return nil, err
		}
		c.adopt(s)
		if s.HasServed || c.anyRunning(s) {
			if _, err := os.Stat(s.Runtime); err != nil {
				cfg.Version = s.Version
				if s.Runtime, err = install(ctx, cfg, log); err != nil {
					return nil, err
				}
			}
			return s, nil
		}
		cfg.Version, cfg.Storage, cfg.HeapMB, cfg.RegionServers = s.Version, s.Storage, s.HeapMB, len(s.ofRole(regionServer))
	case !isNoCluster(err):
		return nil, err
	}
	if cfg, err = cfg.completed(); err != nil {
		return nil, err
	}
	if _, err := install(ctx, cfg, log); err != nil {
		return nil, err
	}
	s = newState(cfg)
	if err := assignPorts(s); err != nil {
		return nil, err
	}
	// What a start that never came to serve has left would only confuse.
	if err := os.RemoveAll(c.data()); err != nil {
		return nil, err
	}
	if err := writeConf(c.layout, s); err != nil {
		return nil, err
	}
	return s, s.write(c.dir)
}

// Down stops every daemon, RegionServers first, so that they can still write
// to what they depend on.
func (c *Cluster) Down(ctx context.Context) error {
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return c.down(ctx)
}

func (c *Cluster) down(ctx context.Context) error {
	s, err := readState(c.dir)
	if err != nil {
		return err
	}
	c.adopt(s)
	for i := len(s.Daemons) - 1; i >= 0; i-- {
		d := &s.Daemons[i]
		if err := d.Process.stop(ctx, mark(c.dir, d.Name)); err != nil {
			return fmt.Errorf("stopping %s: %w", d.Name, err)
		}
	}
	return nil
}

// ResetConf puts every configuration file back to what Up once made, stopping
// the cluster first if any of them differs. The data stay.
func (c *Cluster) ResetConf(ctx context.Context) error {
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := readState(c.dir)
	if err != nil {
		return err
	}
	for path, want := range confFiles(c.layout, s) {
		if is, err := os.ReadFile(path); err == nil && bytes.Equal(is, want) {
			continue
		}
		if err := c.down(ctx); err != nil {
			return err
		}
		return writeConf(c.layout, s)
	}
	return nil
}

// Delete stops a cluster and removes it with all its data. It does so too where
// cluster.json is damaged.
func Delete(ctx context.Context, cfg Config) error {
	cfg, err := cfg.located()
	if err != nil {
		return err
	}
	c := &Cluster{layout{cfg.dir()}, cfg.Name}
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.down(ctx); isNoCluster(err) {
		return err
	} else if err != nil {
		if err := c.killAll(ctx); err != nil {
			return err
		}
	}
	return os.RemoveAll(c.dir)
}

// killAll ends whatever runs of the cluster, whether or not it is written down.
func (c *Cluster) killAll(ctx context.Context) error {
	for name, p := range findMarked(c.dir) {
		if err := p.kill(ctx, mark(c.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// lock keeps others from starting and stopping daemons of this cluster. The
// lock's file lies beside the folder, so that Delete leaves it alone.
func (c *Cluster) lock(ctx context.Context) (func(), error) { return lock(ctx, c.dir+".lock") }

// running tells whether the daemon's process lives.
func (c *Cluster) running(d *daemon) bool { return d.Process.find(mark(c.dir, d.Name)) != nil }

func (c *Cluster) anyRunning(s *state) bool {
	for i := range s.Daemons {
		if c.running(&s.Daemons[i]) {
			return true
		}
	}
	return false
}

// adopt finds daemons that were started by a call that was killed before it
// could write down what it had started.
func (c *Cluster) adopt(s *state) {
	var found map[string]process
	for i := range s.Daemons {
		d := &s.Daemons[i]
		if c.running(d) {
			continue
		}
		if found == nil {
			found = findMarked(c.dir)
		}
		if p, is := found[d.Name]; is {
			d.Process = p
		}
	}
}

// start launches one daemon and writes its process down. It returns as soon as
// the process exists, except for what the next daemons cannot do without.
func (c *Cluster) start(ctx context.Context, s *state, d *daemon) error {
	java, err := findJava(ctx)
	if err != nil {
		return err
	}
	if err := checkPorts(ctx, d); err != nil {
		return err
	}
	if d.Role == nameNode {
		if err := formatNameNode(ctx, java, c.layout, s, d); err != nil {
			return err
		}
	}
	argv, err := command(java, c.layout, s, d)
	if err != nil {
		return err
	}
	if d.LogOffset, err = trimLog(c.log(d.Name)); err != nil {
		return err
	}
	if d.Process, err = launch(argv, c.data(), c.log(d.Name)); err != nil {
		return diskFault(c.dir, fmt.Errorf("%s: %w", d.Name, err))
	}
	if err := s.write(c.dir); err != nil {
		return err
	}
	if d.Role == nameNode || d.Role == zooKeeper {
		return c.waitPort(ctx, d)
	}
	return nil
}

func (c *Cluster) waitPort(ctx context.Context, d *daemon) error {
	err := poll(ctx, 50*time.Millisecond, func() (bool, error) {
		if !c.running(d) {
			return false, c.startError(d)
		}
		return portTaken(d.Port), nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting for %s to listen on port %d: %w", d.Name, d.Port, err)
	}
	return err
}

// logLimit is the size at which a daemon's log is put aside at its next start.
const logLimit = 32 << 20

// trimLog returns where the log of the next process will begin.
func trimLog(path string) (int64, error) {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return 0, os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil || info.Size() < logLimit {
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	return 0, os.Rename(path, path+".old")
}
