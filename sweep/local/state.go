package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// role is what a daemon is.
type role string

const (
	nameNode     role = "namenode"
	dataNode     role = "datanode"
	zooKeeper    role = "zookeeper"
	master       role = "master"
	regionServer role = "regionserver"
)

// state is cluster.json: all that must be remembered between calls. Everything
// else is in the configuration folders, which belong to whoever edits them.
type state struct {
	V         int      `json:"v"`
	Version   string   `json:"version"`
	Runtime   string   `json:"runtime"` // folder with lib and web
	Storage   string   `json:"storage"`
	HeapMB    int      `json:"heap_mb"`
	HasServed bool     `json:"has_served"` // ports and data are settled
	Daemons   []daemon `json:"daemons"`    // in the order of starting
}

// daemon is one process of a cluster.
type daemon struct {
	Name string `json:"name"` // "zk", "master", "rs1"
	Role role   `json:"role"`
	// Port is where clients connect, InfoPort where /jmx and /conf are; the
	// DataNode has a third.
	Port      int `json:"port"`
	InfoPort  int `json:"info_port,omitempty"`
	ExtraPort int `json:"extra_port,omitempty"`
	// Process is the last one started; it may have ended since.
	Process process `json:"process"`
	// LogOffset is where the log of that process begins.
	LogOffset int64 `json:"log_offset"`
}

func (d *daemon) ports() []int {
	ports := []int{d.Port}
	for _, p := range []int{d.InfoPort, d.ExtraPort} {
		if p != 0 {
			ports = append(ports, p)
		}
	}
	return ports
}

// newState lays out a cluster without ports.
func newState(cfg Config) *state {
	s := &state{
		V: 1, Version: cfg.Version, Runtime: cfg.runtimeDir(),
		Storage: cfg.Storage, HeapMB: cfg.HeapMB,
	}
	if cfg.Storage == StorageHDFS {
		s.Daemons = append(s.Daemons, daemon{Name: "namenode", Role: nameNode}, daemon{Name: "datanode", Role: dataNode})
	}
	s.Daemons = append(s.Daemons, daemon{Name: "zk", Role: zooKeeper}, daemon{Name: "master", Role: master})
	for i := range cfg.RegionServers {
		s.Daemons = append(s.Daemons, daemon{Name: fmt.Sprintf("rs%d", i+1), Role: regionServer})
	}
	return s
}

func (s *state) find(name string) (*daemon, error) {
	for i := range s.Daemons {
		if s.Daemons[i].Name == name {
			return &s.Daemons[i], nil
		}
	}
	var names []string
	for _, d := range s.Daemons {
		names = append(names, d.Name)
	}
	return nil, inputError("no daemon %q in this cluster: it has %v", name, names)
}

func (s *state) ofRole(r role) []*daemon {
	var list []*daemon
	for i := range s.Daemons {
		if s.Daemons[i].Role == r {
			list = append(list, &s.Daemons[i])
		}
	}
	return list
}

// matches tells whether the cluster that exists is the one that is asked for.
func (s *state) matches(cfg Config) error {
	differ := func(what string, is, want any) error {
		return inputError("cluster %q exists with %s %v, not %v: use another --name, or 'hbtune local down --delete' first (drops its data)",
			cfg.Name, what, is, want)
	}
	switch servers := len(s.ofRole(regionServer)); {
	case cfg.Version != "" && canonicalVersion(cfg.Version) != s.Version:
		return differ("HBase", s.Version, canonicalVersion(cfg.Version))
	case cfg.Storage != "" && cfg.Storage != s.Storage:
		return differ("storage", s.Storage, cfg.Storage)
	case cfg.HeapMB != 0 && cfg.HeapMB != s.HeapMB:
		return differ("a heap of (MB)", s.HeapMB, cfg.HeapMB)
	case cfg.RegionServers != 0 && cfg.RegionServers != servers:
		return differ("RegionServers", servers, cfg.RegionServers)
	}
	return nil
}

const stateFile = "cluster.json"

// ErrNoCluster says that a folder holds no cluster.
var ErrNoCluster = errors.New("no local HBase")

func readState(dir string) (*state, error) {
	path := filepath.Join(dir, stateFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s: 'hbtune local up' makes one", ErrNoCluster, dir)
	}
	if err != nil {
		return nil, err
	}
	return parseState(path, data)
}

func parseState(path string, data []byte) (*state, error) {
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s is damaged (%v): 'hbtune local down --delete' removes the cluster", path, err)
	}
	if s.V != 1 || len(s.ofRole(zooKeeper)) != 1 || len(s.ofRole(master)) != 1 || len(s.ofRole(regionServer)) == 0 {
		return nil, fmt.Errorf("%s was not written by this version of hbtune: 'hbtune local down --delete' removes the cluster", path)
	}
	names := map[string]bool{}
	for _, d := range s.Daemons {
		if !plainName.MatchString(d.Name) || names[d.Name] {
			return nil, fmt.Errorf("%s is damaged (daemon %q): 'hbtune local down --delete' removes the cluster", path, d.Name)
		}
		names[d.Name] = true
	}
	return &s, nil
}

func (s *state) write(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, stateFile), append(text, '\n'), 0o644); err != nil {
		return diskFault(dir, fmt.Errorf("writing %s: %w", stateFile, err))
	}
	return nil
}
