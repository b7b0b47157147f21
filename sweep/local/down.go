package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
)

// Down stops every daemon, RegionServers first, so that they can still write
// to what they depend on.
func (c *Cluster) Down(ctx context.Context) error {
	return c.locked(ctx, func(s *state) error { return c.down(ctx, s) })
}

func (c *Cluster) down(ctx context.Context, s *state) error {
	c.adopt(s)
	for i := len(s.Daemons) - 1; i >= 0; i-- {
		d := &s.Daemons[i]
		if err := c.halt(ctx, s, d); err != nil {
			return fmt.Errorf("stopping %s: %w", d.Name, err)
		}
	}
	return nil
}

// halt stops one daemon in good order. That it is to end is written down first:
// should this call be killed, the next one does not take what still runs for a
// daemon that stays.
func (c *Cluster) halt(ctx context.Context, s *state, d *daemon) error {
	if c.running(d) && !d.Process.Stopping {
		d.Process.Stopping = true
		_ = s.write(c.dir) // a full disk must keep nobody from stopping
	}
	return d.Process.stop(ctx, mark(c.dir, d.Name))
}

// ResetConf puts every configuration file back to what Up once made, stopping
// the cluster first if any of them differs. The data stay.
func (c *Cluster) ResetConf(ctx context.Context) error {
	return c.locked(ctx, func(s *state) error {
		for path, want := range confFiles(c.layout, s) {
			if is, err := os.ReadFile(path); err == nil && bytes.Equal(is, want) {
				continue
			}
			if err := c.down(ctx, s); err != nil {
				return err
			}
			return writeConf(c.layout, s)
		}
		return nil
	})
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
	s, err := readState(c.dir)
	if err == nil {
		err = c.down(ctx, s)
	}
	if errors.Is(err, ErrNoCluster) {
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
