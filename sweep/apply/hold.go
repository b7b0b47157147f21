package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Those who only look who has a lock share it for an instant; whoever takes it
// asks for so long before he believes that somebody works.
const (
	lockPatience = 300 * time.Millisecond
	lockRetry    = 10 * time.Millisecond
)

// Holder is who has a lock, as far as he has written it down.
type Holder struct {
	PID int    // 0 where it isn't known
	Dir string // the folder that he works for; empty where it isn't known
}

func (h Holder) String() string {
	switch {
	case h.PID > 0 && h.Dir != "":
		return fmt.Sprintf("another hbtune (pid %d, for %s)", h.PID, h.Dir)
	case h.PID > 0:
		return fmt.Sprintf("another hbtune (pid %d)", h.PID)
	}
	return "another hbtune"
}

// Lock is a file that one process at a time has. It is given back when that
// process ends, in whatever way.
type Lock struct{ file *flock.Flock }

// TakeLock takes the lock in path for a process that works for the folder dir;
// where held is true, somebody else has it.
func TakeLock(path, dir string) (lock *Lock, by Holder, held bool, err error) {
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	switch _, err := file.TryLockContext(ctx, lockRetry); {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, readHolder(path), true, nil
	case err != nil:
		return nil, by, false, err
	}
	// Only a help for whom we keep out: a full disk must keep nobody from
	// restoring.
	_ = os.WriteFile(path, []byte(fmt.Sprintf("%d\n%s\n", os.Getpid(), dir)), 0o644)
	return &Lock{file}, by, false, nil
}

// LookLock says who has the lock in path. It makes no file.
func LookLock(path string) (by Holder, held bool, err error) {
	file := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := file.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return by, false, nil
	case err != nil:
		return by, false, fmt.Errorf("look who has %s: %w", path, err)
	case free:
		return by, false, file.Unlock()
	}
	return readHolder(path), true, nil
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Unlock() }

// readHolder reads who has a lock. He may not have written it down yet.
func readHolder(path string) Holder {
	data, _ := os.ReadFile(path)
	pid, dir, _ := strings.Cut(string(data), "\n")
	number, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		return Holder{}
	}
	return Holder{PID: number, Dir: strings.TrimSpace(dir)}
}

// Reserve keeps everybody from working on the target whose own folder is home,
// until it is released: for those who want to stop it. A *Locked says that
// somebody works on it. Where there is no such folder there is nothing to keep.
func Reserve(home string) (release func() error, err error) {
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	lock, err := lockTarget(home, localName, "")
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}

// lockTarget takes the lock of a target, or says who has it.
func lockTarget(home, target, dir string) (*Lock, error) {
	lock, by, held, err := TakeLock(filepath.Join(home, lockName), dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock target %s: %w", target, err)
	case held:
		return nil, &Locked{Target: target, Holder: by}
	}
	return lock, nil
}
