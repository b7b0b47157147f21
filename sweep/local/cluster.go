package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	if err := c.startAll(ctx, s, log); err != nil {
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

// startAll starts what does not run and waits until all of it serves. A daemon
// that ran when it was found, and ends meanwhile, was on its way out: it is
// started once more. One that was started here and ends is a fault.
func (c *Cluster) startAll(ctx context.Context, s *state, log io.Writer) error {
	started := map[string]bool{}
	for {
		for i := range s.Daemons {
			d := &s.Daemons[i]
			stays, err := c.stays(ctx, d)
			if err != nil {
				return err
			}
			if stays {
				continue
			}
			fmt.Fprintf(log, "starting %s\n", d.Name)
			if err := c.start(ctx, s, d); err != nil {
				return err
			}
			started[d.Name] = true
		}
		err := c.waitServing(ctx, s)
		var ended *StartError
		if !errors.As(err, &ended) || started[ended.Daemon] {
			return err
		}
	}
}

// prepare returns the state of an existing cluster, or lays out a new one. As
// long as it has never served, and nothing of it runs, it may still become what
// is asked for now: its ports and files are made afresh.
func (c *Cluster) prepare(ctx context.Context, cfg Config, log io.Writer) (*state, error) {
	s, err := readState(c.dir)
	if err != nil && !errors.Is(err, ErrNoCluster) {
		return nil, err
	}
	if s != nil {
		c.adopt(s)
		if s.HasServed || c.anyRunning(s) {
			return s, c.resume(ctx, s, cfg, log)
		}
		cfg.Version = cmp.Or(cfg.Version, s.Version)
		cfg.Storage = cmp.Or(cfg.Storage, s.Storage)
		cfg.HeapMB = cmp.Or(cfg.HeapMB, s.HeapMB)
		cfg.RegionServers = cmp.Or(cfg.RegionServers, len(s.ofRole(regionServer)))
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

// resume makes sure that an existing cluster is the one asked for and can start.
func (c *Cluster) resume(ctx context.Context, s *state, cfg Config, log io.Writer) error {
	if err := s.matches(cfg); err != nil {
		return err
	}
	if _, err := os.Stat(s.Runtime); err != nil {
		cfg.Version = s.Version
		if s.Runtime, err = install(ctx, cfg, log); err != nil {
			return err
		}
	}
	return s.write(c.dir) // with what adopt has found
}

// lock keeps others from starting and stopping daemons of this cluster. The
// lock's file lies beside the folder, so that Delete leaves it alone.
func (c *Cluster) lock(ctx context.Context) (func(), error) { return lock(ctx, c.dir+".lock") }

// locked acts on what is written down of the cluster, while no other process
// does.
func (c *Cluster) locked(ctx context.Context, act func(*state) error) error {
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := readState(c.dir)
	if err != nil {
		return err
	}
	return act(s)
}

// running tells whether the daemon's process lives.
func (c *Cluster) running(d *daemon) bool { return d.Process.find(mark(c.dir, d.Name)) != nil }

// stays tells whether the daemon runs and is to go on. One that was told to end
// is waited for: by halves it can be neither used nor started.
func (c *Cluster) stays(ctx context.Context, d *daemon) (bool, error) {
	if !c.running(d) {
		return false, nil
	}
	if !d.Process.Stopping {
		return true, nil
	}
	return false, d.Process.stop(ctx, mark(c.dir, d.Name))
}

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
