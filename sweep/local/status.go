package local

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// Status is a snapshot of a cluster for people and scripts.
type Status struct {
	Name    string       `json:"name"`
	Dir     string       `json:"dir"`
	Version string       `json:"version"`
	Storage string       `json:"storage"`
	HeapMB  int          `json:"heap_mb"`
	Quorum  string       `json:"zookeeper"`
	Serving bool         `json:"serving"`
	Pending string       `json:"pending,omitempty"` // what is missing for serving
	Nodes   []NodeStatus `json:"nodes"`
}

// NodeStatus is one daemon of a Status.
type NodeStatus struct {
	Node
	Running     bool       `json:"running"`
	Since       *time.Time `json:"since,omitempty"`
	MemoryBytes int64      `json:"memory_bytes,omitempty"` // resident
}

// Running tells whether any daemon runs.
func (s *Status) Running() bool {
	for _, n := range s.Nodes {
		if n.Running {
			return true
		}
	}
	return false
}

// Status looks at every daemon now. It waits for nothing and changes nothing.
func (c *Cluster) Status(ctx context.Context) (*Status, error) {
	s, err := readState(c.dir)
	if err != nil {
		return nil, err
	}
	c.adopt(s)
	status := &Status{
		Name: c.name, Dir: c.dir, Version: s.Version, Storage: s.Storage,
		HeapMB: s.HeapMB, Quorum: c.ZooKeeper(),
	}
	for i := range s.Daemons {
		d := &s.Daemons[i]
		n := NodeStatus{Node: c.node(d)}
		if proc := d.Process.find(mark(c.dir, d.Name)); proc != nil {
			n.Running = true
			since := time.UnixMilli(d.Process.StartedMillis)
			n.Since = &since
			if memory, err := proc.MemoryInfoWithContext(ctx); err == nil {
				n.MemoryBytes = int64(memory.RSS)
			}
			if d.Process.Stopping && status.Pending == "" {
				status.Pending = d.Name + " is being stopped"
			}
		} else if status.Pending == "" {
			status.Pending = d.Name + " does not run"
		}
		status.Nodes = append(status.Nodes, n)
	}
	if status.Pending == "" {
		status.Pending = pendingFor(ctx, s)
	}
	status.Serving = status.Pending == ""
	return status, nil
}

// Write prints the status for people.
func (s *Status) Write(w io.Writer) error {
	state := "serves"
	if !s.Serving {
		state = "does not serve: " + s.Pending
	}
	if _, err := fmt.Fprintf(w, "HBase %s %q %s\nZooKeeper %s, storage %s, RegionServer heap %d MB\nfolder %s\n\n",
		s.Version, s.Name, state, s.Quorum, s.Storage, s.HeapMB, s.Dir); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DAEMON\tPID\tMEMORY\tSINCE\tADDRESS\tWEB")
	for _, n := range s.Nodes {
		pid, memory, since := "-", "-", "stopped"
		if n.Running {
			pid = strconv.Itoa(n.PID)
			memory = fmt.Sprintf("%d MB", n.MemoryBytes>>20)
			since = n.Since.Format(time.DateTime)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, pid, memory, since, n.Address, n.InfoURL)
	}
	return t.Flush()
}
