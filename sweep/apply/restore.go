package apply

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Restore implements Target.
func (l *Local) Restore(ctx context.Context) error {
	if err := l.Lock(); err != nil {
		return err
	}
	s, err := openStore(l.dir, l.at)
	if errors.Is(err, errNoOriginals) {
		// Then nothing was changed either, unless the target says otherwise.
		if lost := l.seat.lost(l.dir); lost != nil {
			return &NotRestored{Target: localName, Originals: filepath.Join(l.dir, originalFolder), Undo: l.opt.Undo, Err: lost}
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := l.seat.free(s.manifest.ID); err != nil {
		return err
	}
	if err := s.sameTarget(l.siteFiles()); err != nil {
		return err
	}
	l.store = s
	_, departed, err := s.departure()
	if err != nil {
		return err
	}
	err = l.putBack(ctx)
	var changed *Changed
	if err == nil || !departed && errors.As(err, &changed) {
		return err // that change is not in our way: nothing of ours is in force
	}
	return l.notRestored(nil, err)
}

// putBack brings files and servers back to the originals. Any of its steps may
// have been done already, by us before a failure or by a process that was
// killed.
func (l *Local) putBack(ctx context.Context) error {
	if err := l.putFilesBack(); err != nil {
		return err
	}
	written := time.Now()
	stale, err := l.stale(ctx)
	if err != nil {
		return err
	}
	// To give up here is worse than to give a variant up: wait for longer.
	if _, _, err := l.restart(ctx, stale, 2*l.opt.ServeTimeout); err != nil {
		return err
	}
	for _, name := range stale {
		if _, err := l.startedAfter(ctx, name, written); err != nil {
			return err
		}
	}
	return l.settle()
}

// putFilesBack writes every original that isn't in its place.
func (l *Local) putFilesBack() error {
	d, _, err := l.store.departure()
	if err != nil {
		return err
	}
	var away []original
	for _, o := range l.store.manifest.Files {
		now, err := l.ours(o, d)
		var changed *Changed
		if l.opt.Force && errors.As(err, &changed) {
			err = l.adopt(changed)
		}
		if err != nil {
			return err
		}
		if now != o.SHA256 {
			away = append(away, o)
		}
	}
	for _, o := range away {
		if err := l.putFileBack(o); err != nil {
			return err
		}
		l.at("restore: renamed " + o.Node)
	}
	return nil
}

// putFileBack prefers the spare that lies ready one rename away, since the disk
// may have filled up meanwhile.
func (l *Local) putFileBack(o original) error {
	if hash, err := hashFile(sparePath(o.Path)); err == nil && hash == o.SHA256 {
		if err := os.Rename(sparePath(o.Path), o.Path); err == nil {
			return syncFolder(filepath.Dir(o.Path))
		}
	}
	data, err := l.store.bytes(o)
	if err != nil {
		return err
	}
	return replaceFile(o.Path, data, o.attributes)
}

// adopt makes a file that somebody else changed ours to replace: a copy is put
// aside first.
func (l *Local) adopt(c *Changed) error {
	hashes := map[string]string{c.Node: c.SHA256}
	if c.SHA256 != "" {
		data, err := os.ReadFile(c.Path)
		if err != nil {
			return fmt.Errorf("put %s aside: %w", c.Path, err)
		}
		hashes[c.Node] = hashOf(data)
		aside := filepath.Join(l.store.dir, "aside", c.Node, fmt.Sprintf("%s.%.12s", filepath.Base(c.Path), hashOf(data)))
		if err := writeNew(aside, data, 0o600); err != nil {
			return fmt.Errorf("put %s aside: %w", c.Path, err)
		}
		l.at("restore: aside " + c.Node)
	}
	if err := l.seat.claim(l.store, l.opt.Undo); err != nil {
		return err
	}
	if err := l.store.depart(hashes); err != nil {
		return err
	}
	return l.store.noteRestart() // by whoever changed the file
}

// settle notes that the target is as it was, once its files have proved it.
func (l *Local) settle() error {
	for _, o := range l.store.manifest.Files {
		if _, err := l.ours(o, departure{}); err != nil {
			return err
		}
		if err := clearStaging(o.Path); err != nil {
			return err
		}
	}
	l.at("settle: proved")
	if err := l.store.arrive(); err != nil {
		return err
	}
	l.at("settle: noted")
	return l.seat.unclaim()
}

func (l *Local) notRestored(cause, err error) *NotRestored {
	return &NotRestored{Target: localName, Originals: l.store.dir, Undo: l.opt.Undo, Cause: cause, Err: err}
}
