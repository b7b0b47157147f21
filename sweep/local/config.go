// Package local runs a real HBase on this machine: ZooKeeper, a Master, one or
// more RegionServers and, where asked for, an HDFS of one NameNode and one
// DataNode. It installs the needed jars by Maven, gives every daemon its own
// configuration folder, starts the daemons so that they outlive the caller, and
// knows when the cluster truly serves.
//
// Install fills HBTUNE_HOME/runtimes/VERSION, Up makes and starts
// HBTUNE_HOME/clusters/NAME, Open finds it again from any other process.
// sweep/apply edits the RegionServers' configuration folders and calls
// RestartNode; sweep/metrics reads what the servers say of themselves;
// sweep/hbase talks to them.
package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Defaults of Config.
const (
	DefaultVersion       = "2.6.4-hadoop3"
	DefaultName          = "default"
	DefaultHeapMB        = 512
	DefaultRegionServers = 1
	StorageFile          = "file"
	StorageHDFS          = "hdfs"
)

// Config says which cluster is meant and, where it is yet to be made, how. A
// zero field means the default for a new cluster and "as it is" for one that
// exists.
type Config struct {
	// Home holds runtimes and clusters; DefaultHome if empty.
	Home string
	// Runtimes holds the installed HBase versions; Home/runtimes if empty.
	Runtimes string
	// Name tells the clusters of one home apart.
	Name string
	// Version is HBase's, as Maven knows it: "2.6.4-hadoop3".
	Version string
	// RegionServers is how many are run.
	RegionServers int
	// HeapMB is the maximum heap of each RegionServer.
	HeapMB int
	// Storage is StorageFile or StorageHDFS.
	Storage string
}

// InputError says that what was asked for cannot be, or does not fit the cluster
// that exists.
type InputError struct{ Message string }

func (e *InputError) Error() string { return e.Message }

func inputError(format string, args ...any) error {
	return &InputError{fmt.Sprintf(format, args...)}
}

// DefaultHome is $HBTUNE_HOME, or a folder in the user's cache folder.
func DefaultHome() (string, error) {
	if home := os.Getenv("HBTUNE_HOME"); home != "" {
		return filepath.Abs(home)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", inputError("no folder for the local HBase (%v): set HBTUNE_HOME to one that hbtune may use", err)
	}
	return filepath.Join(cache, "hbtune"), nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// located fills in the fields that say where things are.
func (c Config) located() (Config, error) {
	if c.Home == "" {
		home, err := DefaultHome()
		if err != nil {
			return c, err
		}
		c.Home = home
	}
	home, err := filepath.Abs(c.Home)
	if err != nil {
		return c, err
	}
	c.Home = home
	if c.Runtimes == "" {
		c.Runtimes = filepath.Join(c.Home, "runtimes")
	}
	if c.Name == "" {
		c.Name = DefaultName
	}
	if !plainName.MatchString(c.Name) {
		return c, inputError("cluster name %q: use letters, digits, dots and dashes", c.Name)
	}
	return c, nil
}

// completed fills in the defaults of a cluster that is yet to be made and
// reports every fault in the fields.
func (c Config) completed() (Config, error) {
	if c.Version == "" {
		c.Version = DefaultVersion
	}
	c.Version = canonicalVersion(c.Version)
	if c.RegionServers == 0 {
		c.RegionServers = DefaultRegionServers
	}
	if c.HeapMB == 0 {
		c.HeapMB = DefaultHeapMB
	}
	if c.Storage == "" {
		c.Storage = StorageFile
	}
	return c, c.validate()
}

func (c Config) validate() error {
	var faults []error
	if c.Version != "" && !plainName.MatchString(c.Version) {
		faults = append(faults, inputError("version %q is not an HBase version such as %s", c.Version, DefaultVersion))
	}
	if c.RegionServers < 0 || c.RegionServers > 16 {
		faults = append(faults, inputError("%d RegionServers: ask for 1 to 16", c.RegionServers))
	}
	if c.HeapMB != 0 && c.HeapMB < 64 {
		faults = append(faults, inputError("a heap of %d MB is too small for a RegionServer: ask for 64 MB or more", c.HeapMB))
	}
	if c.Storage != "" && c.Storage != StorageFile && c.Storage != StorageHDFS {
		faults = append(faults, inputError("storage %q: use %q or %q", c.Storage, StorageFile, StorageHDFS))
	}
	return errors.Join(faults...)
}

// Folder is where the cluster's folder is, or would be.
func (c Config) Folder() (string, error) {
	c, err := c.located()
	return c.dir(), err
}

func (c Config) dir() string { return filepath.Join(c.Home, "clusters", c.Name) }
