package apply

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// server is one RegionServer of a target.
type server struct {
	name string
	site string // its hbase-site.xml
}

// cluster is what the protocol needs of a running HBase.
type cluster interface {
	servers() []server
	// version is HBase's: "2.6.4-hadoop3".
	version() string
	// stop ends a RegionServer; one that is down already is no error.
	stop(ctx context.Context, name string) error
	// up starts whatever is down and waits until all regions are open.
	up(ctx context.Context) error
	// started is when a RegionServer says that it started.
	started(ctx context.Context, name string) (time.Time, error)
	// conf is the running configuration of a RegionServer.
	conf(ctx context.Context, name string) (map[string]running, error)
	// heapBytes is the maximum heap of a RegionServer, running or not.
	heapBytes(ctx context.Context, name string) (int64, error)
}

// running is a property's value in a running server, and what set it.
type running struct {
	value  string
	source string
}

// Local is the target on this machine: files and processes of a local.Cluster.
// It is not safe for concurrent use.
type Local struct {
	cluster   cluster
	servers   []server
	catalogue *hbaseconf.Catalogue
	dir       string // the folder of the sweep or of the applied profile
	home      string // the target's own folder, where those who change it meet
	opt       Options
	step      func(string)

	seat  *seat  // while the target is locked
	store *store // once the originals are saved
}

const localName = "local"

func newLocal(c cluster, home, dir string, catalogue *hbaseconf.Catalogue, opt Options) (*Local, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	servers := c.servers()
	if len(servers) == 0 {
		return nil, fmt.Errorf("the cluster in %s has no RegionServers: `hbtune local up` makes one", home)
	}
	if opt.ServeTimeout == 0 {
		opt.ServeTimeout = defaultServeTimeout
	}
	if opt.Undo == "" {
		opt.Undo = "hbtune sweep restore " + dir
	}
	return &Local{
		cluster:   c,
		servers:   servers,
		catalogue: catalogue,
		dir:       dir,
		home:      home,
		opt:       opt,
		step:      func(string) {},
	}, nil
}

// Name is "local".
func (l *Local) Name() string { return localName }

// at marks a place where a kill must do no harm; tests kill there.
func (l *Local) at(place string) { l.step(place) }

// Lock keeps others from changing the target until Close. Apply and Restore
// lock it themselves; calling Lock first tells early that somebody else does.
func (l *Local) Lock() error {
	if l.seat != nil {
		return nil
	}
	seat, err := take(l.home, localName, l.dir)
	if err != nil {
		return err
	}
	l.seat = seat
	return nil
}

// Free refuses while settings that somebody else has put on the target are in
// force: what it runs with then is not its own. The target must be locked.
func (l *Local) Free() error {
	id := ""
	switch s, err := openStore(l.dir, l.at); {
	case err == nil:
		id = s.manifest.ID
	case !errors.Is(err, errNoOriginals):
		return err
	}
	return l.seat.free(id)
}

// Close gives the lock back. It changes nothing on the target.
func (l *Local) Close() error {
	if l.seat == nil {
		return nil
	}
	err := l.seat.release()
	l.seat = nil
	return err
}

// Keep leaves what was applied in force; Restore still takes it off.
func (l *Local) Keep() error {
	if l.store == nil || l.seat == nil {
		return errors.New("nothing was applied that could be kept")
	}
	if err := l.store.keep(); err != nil {
		return err
	}
	l.at("keep: noted")
	return l.seat.unclaim()
}

// Effective reads the running values of properties on all RegionServers; a
// property that a server has no value for counts with the catalogue's default.
func (l *Local) Effective(ctx context.Context, names []string) (hbaseconf.Settings, error) {
	confs, err := l.confs(ctx)
	if err != nil {
		return hbaseconf.Settings{}, err
	}
	return l.common(confs, names)
}

// Files lists the target's files: Before is the original's hash, After that of
// what is there now.
func (l *Local) Files() ([]trial.File, error) {
	s, err := openStore(l.dir, l.at)
	if errors.Is(err, errNoOriginals) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []trial.File
	for _, o := range s.manifest.Files {
		now, err := hashFile(o.Path)
		if err != nil {
			return nil, fmt.Errorf("prove %s of %s: %w", o.Path, o.Node, err)
		}
		files = append(files, trial.File{Node: o.Node, Path: o.Path, Before: o.SHA256, After: now})
	}
	return files, nil
}

// open locks the target and makes sure that its originals are saved.
func (l *Local) open() error {
	if err := l.Lock(); err != nil {
		return err
	}
	if l.store != nil {
		return nil
	}
	// Another folder's settings would be saved here as the original.
	s, err := openStore(l.dir, l.at)
	switch {
	case errors.Is(err, errNoOriginals):
		if err := l.seat.free(""); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if err := l.seat.free(s.manifest.ID); err != nil {
			return err
		}
	}
	l.store, err = saveOriginals(l.dir, localName, l.siteFiles(), l.at)
	return err
}

// siteFiles lists the files that may be changed.
func (l *Local) siteFiles() []siteFile {
	var files []siteFile
	for _, server := range l.servers {
		files = append(files, siteFile{Node: server.name, Path: server.site})
	}
	return files
}
