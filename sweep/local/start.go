package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

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
