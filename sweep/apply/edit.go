package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// edit is what a variant makes of one file.
type edit struct {
	original
	before string // hash of what is there now
	data   []byte // what is to be there
	after  string // its hash
}

// leaves reports whether the file will be something else than the original.
func (e edit) leaves() bool { return e.after != e.SHA256 }

// plan makes the bytes of every file, always out of the original, and refuses
// what HBase would refuse and files that somebody else has changed.
func (l *Local) plan(ctx context.Context, settings hbaseconf.Settings) ([]edit, error) {
	d, _, err := l.store.departure()
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, server := range l.servers {
		o, err := l.store.of(server.name)
		if err != nil {
			return nil, err
		}
		original, err := l.store.bytes(o)
		if err != nil {
			return nil, err
		}
		e := edit{original: o}
		if e.before, err = l.ours(o, d); err != nil {
			return nil, err
		}
		if e.data, err = l.render(ctx, o, original, settings); err != nil {
			return nil, err
		}
		e.after = hashOf(e.data)
		edits = append(edits, e)
	}
	return edits, nil
}

// render puts settings into a file's original bytes.
func (l *Local) render(ctx context.Context, o original, data []byte, settings hbaseconf.Settings) ([]byte, error) {
	if settings.Len() == 0 {
		return data, nil
	}
	site, err := hbaseconf.ParseSite(o.Path, data)
	if err != nil {
		return nil, err
	}
	if err := site.Refusal(); err != nil {
		return nil, err // whatever the settings
	}
	edited, err := site.With(settings)
	if err != nil {
		f := fault(trial.FaultRefused, err)
		f.File = o.Path
		return nil, f
	}
	if l.opt.Unchecked {
		return edited.Bytes(), nil
	}
	heap, err := l.cluster.heapBytes(ctx, o.Node)
	if err != nil {
		return nil, fmt.Errorf("ask %s for its heap: %w", o.Node, err)
	}
	if err := feasible(site, edited, settings, heap); err != nil {
		return nil, err
	}
	return edited.Bytes(), nil
}

// ours returns the hash of what a file holds now, and refuses if that is
// neither the original nor something that we wrote.
func (l *Local) ours(o original, d departure) (string, error) {
	now, err := hashFile(o.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read %s of %s: %w", o.Path, o.Node, err)
	}
	if now != o.SHA256 && !d.wrote(o.Node, now) {
		return now, &Changed{Node: o.Node, Path: o.Path, SHA256: now, Original: o.SHA256}
	}
	return now, nil
}
