package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	originalFolder = "original"
	manifestName   = "manifest.json"
	formatVersion  = 1
)

// siteFile is one configuration file of a target.
type siteFile struct {
	Node string
	Path string
}

// original is one file as it was before anything was touched.
type original struct {
	Node   string `json:"node"`
	Path   string `json:"path"` // on the target, links followed
	Copy   string `json:"copy"` // beside the manifest: NODE/NAME
	SHA256 string `json:"sha256"`
	attributes
}

// manifest says that the originals are complete: it is written after them,
// and the target is not touched before it is on disk.
type manifest struct {
	Version int        `json:"v"`
	ID      string     `json:"id"` // tells this store from every other
	Target  string     `json:"target"`
	Saved   time.Time  `json:"saved"`
	Files   []original `json:"files"`
}

// store keeps a target's originals and how far the target is from them, in
// DIR/original.
type store struct {
	dir      string // DIR/original, absolute
	manifest manifest
	step     func(string) // crash tests stop here; does nothing otherwise
}

// errNoOriginals means that nothing was ever saved, hence nothing changed.
var errNoOriginals = errors.New("no originals were saved")

// openStore reads the originals kept in dir and proves that each is what was
// saved.
func openStore(dir string, step func(string)) (*store, error) {
	s := &store{dir: filepath.Join(dir, originalFolder), step: step}
	path := filepath.Join(s.dir, manifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoOriginals
	}
	if err != nil {
		return nil, fmt.Errorf("read the originals: %w", err)
	}
	if err := json.Unmarshal(data, &s.manifest); err != nil {
		return nil, fmt.Errorf("%s is not a list of originals: %w", path, err)
	}
	if s.manifest.Version != formatVersion {
		return nil, fmt.Errorf("%s has version %d, this hbtune knows %d: use the hbtune that wrote it", path, s.manifest.Version, formatVersion)
	}
	for _, o := range s.manifest.Files {
		if _, err := s.bytes(o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// saveOriginals opens the originals kept in dir, or saves the files there now
// if none are complete. What a kill left half-saved is done again: without a
// manifest the target was never touched.
func saveOriginals(dir, target string, files []siteFile, step func(string)) (*store, error) {
	s, err := openStore(dir, step)
	if err == nil {
		return s, s.covers(files)
	}
	if !errors.Is(err, errNoOriginals) {
		return nil, err
	}
	s = &store{
		dir:  filepath.Join(dir, originalFolder),
		step: step,
		manifest: manifest{
			Version: formatVersion,
			Target:  target,
			Saved:   time.Now().UTC(),
		},
	}
	if _, departed, err := s.departure(); err != nil {
		return nil, err
	} else if departed {
		return nil, fmt.Errorf("%s is missing although settings were applied: the originals in %s can't be trusted, put them back by hand", manifestName, s.dir)
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return nil, fmt.Errorf("clear half-saved originals: %w", err)
	}
	s.step("save: begin")
	for _, f := range files {
		o, err := s.save(f)
		if err != nil {
			return nil, err
		}
		s.manifest.Files = append(s.manifest.Files, o)
		s.step("save: " + f.Node)
	}
	s.manifest.ID = s.identity()
	data, err := json.MarshalIndent(s.manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := replaceOwn(filepath.Join(s.dir, manifestName), append(data, '\n')); err != nil {
		return nil, err
	}
	s.step("save: complete")
	return s, nil
}

func (s *store) save(f siteFile) (original, error) {
	if err := checkFolderName(f.Node); err != nil {
		return original{}, fmt.Errorf("save the original of %s: %w", f.Node, err)
	}
	// A link stays a link: the file that it leads to is the one replaced.
	path, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return original{}, fmt.Errorf("save the original of %s: %w", f.Node, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return original{}, fmt.Errorf("save the original of %s: %w", f.Node, err)
	}
	if !info.Mode().IsRegular() {
		return original{}, fmt.Errorf("save the original of %s: %s is not a file", f.Node, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return original{}, fmt.Errorf("save the original of %s: %w", f.Node, err)
	}
	o := original{
		Node:       f.Node,
		Path:       path,
		Copy:       filepath.Join(f.Node, filepath.Base(path)),
		SHA256:     hashOf(data),
		attributes: attributesOf(info),
	}
	return o, writeNew(filepath.Join(s.dir, o.Copy), data, 0o600)
}

// identity is a name for this store that survives its folder being moved.
func (s *store) identity() string {
	var b strings.Builder
	fmt.Fprintln(&b, s.dir, s.manifest.Saved.UnixNano(), os.Getpid())
	for _, o := range s.manifest.Files {
		fmt.Fprintln(&b, o.Node, o.Path, o.SHA256)
	}
	return hashOf([]byte(b.String()))[:16]
}

// covers refuses files that were not saved: the target has changed its nodes.
func (s *store) covers(files []siteFile) error {
	for _, f := range files {
		if _, err := s.of(f.Node); err != nil {
			return err
		}
	}
	return s.sameTarget(files)
}

// sameTarget refuses originals of another target: a node of the same name has
// its file elsewhere.
func (s *store) sameTarget(files []siteFile) error {
	for _, f := range files {
		o, err := s.of(f.Node)
		if err != nil {
			continue // it joined later, which is no fault of the others
		}
		path, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			path = f.Path // removed by somebody else, which ours tells
		}
		if path != o.Path && f.Path != o.Path {
			return fmt.Errorf("%s holds the originals of another target (%s, here it is %s): use the HBTUNE_HOME of then, or another folder", s.dir, o.Path, path)
		}
	}
	return nil
}

// of returns the original of a node.
func (s *store) of(node string) (original, error) {
	i := slices.IndexFunc(s.manifest.Files, func(o original) bool { return o.Node == node })
	if i < 0 {
		return original{}, fmt.Errorf("node %s has no original in %s: it joined the target later; restore, then start a new folder", node, s.dir)
	}
	return s.manifest.Files[i], nil
}

// bytes reads an original and proves it by its hash.
func (s *store) bytes(o original) ([]byte, error) {
	path := filepath.Join(s.dir, o.Copy)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the original of %s: %w", o.Path, err)
	}
	if hash := hashOf(data); hash != o.SHA256 {
		return nil, fmt.Errorf("%s was changed since it was saved (sha256 %.12s, saved as %.12s): it can't be put back", path, hash, o.SHA256)
	}
	return data, nil
}

// checkFolderName refuses names that would lead out of our own folder.
func checkFolderName(name string) error {
	if name == "." || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return fmt.Errorf("%q can't be the name of a folder", name)
	}
	return nil
}
