package local

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Node is one daemon as others need to know it.
type Node struct {
	Name    string `json:"name"` // "rs1"
	Role    string `json:"role"` // "regionserver"
	Address string `json:"address"`
	// InfoURL is the root of the web server with /jmx and /conf; empty for
	// ZooKeeper.
	InfoURL string `json:"info_url,omitempty"`
	ConfDir string `json:"conf_dir"`
	LogFile string `json:"log_file"`
	PID     int    `json:"pid,omitempty"` // 0 if it does not run
}

func (c *Cluster) node(d *daemon) Node {
	n := Node{
		Name: d.Name, Role: string(d.Role), Address: loopback(d.Port),
		ConfDir: c.conf(d.Name), LogFile: c.log(d.Name),
	}
	if d.InfoPort != 0 {
		n.InfoURL = "http://" + loopback(d.InfoPort)
	}
	if c.running(d) {
		n.PID = d.Process.PID
	}
	return n
}

func (c *Cluster) nodes(r role) []Node {
	s, err := readState(c.dir)
	if err != nil {
		return nil // removed meanwhile: no nodes
	}
	var nodes []Node
	for _, d := range s.ofRole(r) {
		nodes = append(nodes, c.node(d))
	}
	return nodes
}

// RegionServers are the cluster's RegionServers, running or not.
func (c *Cluster) RegionServers() []Node { return c.nodes(regionServer) }

// Master is the cluster's Master.
func (c *Cluster) Master() Node {
	if nodes := c.nodes(master); len(nodes) == 1 {
		return nodes[0]
	}
	return Node{Name: "master", Role: string(master)}
}

// ZooKeeper is the quorum that clients are to be given: "127.0.0.1:21810".
func (c *Cluster) ZooKeeper() string {
	if nodes := c.nodes(zooKeeper); len(nodes) == 1 {
		return nodes[0].Address
	}
	return ""
}

// Jars is the folder of the jars that the cluster runs on, for other programs
// of HBase's: a class path entry when "/*" is added to it.
func (c *Cluster) Jars() string {
	s, err := readState(c.dir)
	if err != nil {
		return ""
	}
	return filepath.Join(s.Runtime, "lib")
}

// Version is HBase's: "2.6.4-hadoop3".
func (c *Cluster) Version() string {
	s, err := readState(c.dir)
	if err != nil {
		return ""
	}
	return s.Version
}

// StopNode stops one daemon in good order; if it does not run, nothing happens.
func (c *Cluster) StopNode(ctx context.Context, name string) error {
	return c.withNode(ctx, name, func(s *state, d *daemon) error { return c.halt(ctx, s, d) })
}

// KillNode ends one daemon as a crash would, without a word.
func (c *Cluster) KillNode(ctx context.Context, name string) error {
	return c.withNode(ctx, name, func(_ *state, d *daemon) error {
		return d.Process.kill(ctx, mark(c.dir, d.Name))
	})
}

// StartNode starts one daemon with the configuration that its folder holds now;
// if it runs, nothing happens. It does not wait: WaitServing does.
func (c *Cluster) StartNode(ctx context.Context, name string) error {
	return c.withNode(ctx, name, func(s *state, d *daemon) error {
		if stays, err := c.stays(ctx, d); stays || err != nil {
			return err
		}
		return c.start(ctx, s, d)
	})
}

// Restart tells what a restart cost.
type Restart struct {
	Stop  time.Duration // until the process had ended
	Start time.Duration // from there until the whole cluster served again
}

// RestartNode stops and starts one daemon and waits until the cluster serves.
func (c *Cluster) RestartNode(ctx context.Context, name string) (Restart, error) {
	var r Restart
	begin := time.Now()
	if err := c.StopNode(ctx, name); err != nil {
		return r, err
	}
	r.Stop = time.Since(begin)
	begin = time.Now()
	if err := c.StartNode(ctx, name); err != nil {
		return r, err
	}
	err := c.WaitServing(ctx)
	r.Start = time.Since(begin)
	return r, err
}

func (c *Cluster) withNode(ctx context.Context, name string, act func(*state, *daemon) error) error {
	return c.locked(ctx, func(s *state) error {
		d, err := s.find(name)
		if err != nil {
			return err
		}
		c.adopt(s)
		if err := act(s, d); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}
