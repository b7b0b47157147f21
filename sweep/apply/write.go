package apply

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// variantFolder holds copies of what was applied: variants/ID/NODE/FILE.
const variantFolder = "variants"

// keepVariant keeps a copy of what is about to be applied.
func (l *Local) keepVariant(id string, edits []edit) error {
	if err := checkFolderName(id); err != nil {
		return fmt.Errorf("keep a copy of variant %s: %w", id, err)
	}
	for _, e := range edits {
		path := filepath.Join(l.dir, variantFolder, id, e.Node, filepath.Base(e.Path))
		if have, err := hashFile(path); err == nil && have == e.after {
			continue
		}
		if err := writeNew(path, e.data, 0o644); err != nil {
			return fmt.Errorf("keep a copy of variant %s: %w", id, err)
		}
	}
	return nil
}

// write puts the edits in place and returns when it was done. Where it fails,
// a target that was as it was is so again.
func (l *Local) write(edits []edit) (time.Time, error) {
	leaving := map[string]string{}
	for _, e := range edits {
		if e.leaves() {
			leaving[e.Node] = e.after
		}
	}
	_, departed, err := l.store.departure()
	if err != nil {
		return time.Time{}, err
	}
	if err = l.replace(edits, leaving); err == nil {
		return time.Now(), nil
	}
	if departed {
		return time.Time{}, err
	}
	// No server has been restarted, so files alone have to go back.
	if back := errors.Join(l.putFilesBack(), l.settle()); back != nil {
		return time.Time{}, l.notRestored(err, back)
	}
	return time.Time{}, err
}

// replace notes what is about to be written, then writes it. All that can fail
// for want of space or rights comes before the first rename.
func (l *Local) replace(edits []edit, leaving map[string]string) error {
	if len(leaving) > 0 {
		l.at("write: begin")
		if err := l.seat.claim(l.store, l.opt.Undo); err != nil {
			return err
		}
		l.at("write: claimed")
		if err := l.store.depart(leaving); err != nil {
			return err
		}
		l.at("write: noted")
	}
	var files []*staged
	defer func() {
		for _, s := range files {
			s.discard()
		}
	}()
	for _, e := range edits {
		if e.before == e.after {
			continue
		}
		if e.leaves() {
			if err := l.laySpare(e.original); err != nil {
				return err
			}
			l.at("write: spare " + e.Node)
		}
		s, err := stage(e.Path, e.data, e.attributes)
		if err != nil {
			return err
		}
		files = append(files, s)
		l.at("write: staged " + e.Node)
	}
	for _, s := range files {
		if err := s.commit(); err != nil {
			return err
		}
		l.at("write: renamed " + s.path)
	}
	return nil
}

// laySpare puts the original one rename away from its place.
func (l *Local) laySpare(o original) error {
	path := sparePath(o.Path)
	if hash, err := hashFile(path); err == nil && hash == o.SHA256 {
		return nil
	}
	data, err := l.store.bytes(o)
	if err != nil {
		return err
	}
	return writeSpare(path, data, o.attributes)
}
