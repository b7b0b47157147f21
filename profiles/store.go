package profiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
)

const extension = ".yaml"

// Store keeps profiles as NAME.yaml in a folder, beside the built-in ones.
type Store struct {
	dir       string // empty where there is no home: then nothing can be kept
	catalogue *hbaseconf.Catalogue
}

// ErrNoHome says that there is no folder in which anything could be kept.
var ErrNoHome = errors.New("there is no folder to keep it in: set HBTUNE_HOME to one that hbtune may use")

// Open returns the store in hbtune's home folder; it makes no folder yet. Without
// a home it has the built-in profiles alone.
func Open(home string, catalogue *hbaseconf.Catalogue) *Store {
	s := &Store{catalogue: catalogue}
	if home != "" {
		s.dir = filepath.Join(home, "profiles")
	}
	return s
}

// Listed is a profile of the list, or why it can't be read.
type Listed struct {
	Profile Profile `json:"profile"`
	BuiltIn bool    `json:"built_in"`
	Path    string  `json:"path,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// List returns the stored profiles and the built-in ones by name. One that
// can't be read is listed with its fault rather than hiding the others.
func (s *Store) List() ([]Listed, error) {
	entries, err := s.files()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list profiles: %w", err)
	}
	var list []Listed
	stored := map[string]bool{}
	for _, entry := range entries {
		name, isProfile := strings.CutSuffix(entry.Name(), extension)
		if !isProfile || CheckName(name) != nil {
			continue
		}
		stored[name] = true
		one := Listed{Path: filepath.Join(s.dir, entry.Name())}
		if one.Profile, err = ReadFile(one.Path, s.catalogue); err != nil {
			one.Profile.Name, one.Error = name, err.Error()
		}
		list = append(list, one)
	}
	builtIn, err := Builtin(s.catalogue)
	if err != nil {
		return nil, err
	}
	for _, p := range builtIn {
		if !stored[p.Name] {
			list = append(list, Listed{Profile: p, BuiltIn: true})
		}
	}
	slices.SortFunc(list, func(a, b Listed) int { return cmp.Compare(a.Profile.Name, b.Profile.Name) })
	return list, nil
}

func (s *Store) files() ([]fs.DirEntry, error) {
	if s.dir == "" {
		return nil, nil
	}
	return os.ReadDir(s.dir)
}

// NotFound says that nothing goes by a name.
type NotFound struct {
	Name string
	Near string // what may have been meant
}

func (e *NotFound) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("no profile %q: did you mean %s? (`hbtune profile list` lists them)", e.Name, e.Near)
	}
	return fmt.Sprintf("no profile %q: `hbtune profile list` lists them, and a file is given by its path, such as ./%s%s", e.Name, e.Name, extension)
}

// Find returns the profile that a person means: the path of a profile file or
// of a sweep's folder, else the name of a stored or built-in profile.
func (s *Store) Find(ref string) (Profile, error) {
	if ref == "" {
		return Profile{}, errors.New("no profile is named")
	}
	if info, err := os.Stat(ref); isPath(ref) || err == nil && info.IsDir() {
		return s.fromPath(ref)
	}
	if CheckName(ref) != nil {
		return Profile{}, &NotFound{Name: ref}
	}
	path := filepath.Join(s.dir, ref+extension)
	if _, err := os.Stat(path); err == nil && s.dir != "" {
		return ReadFile(path, s.catalogue)
	}
	list, err := s.List()
	if err != nil {
		return Profile{}, err
	}
	near := ""
	for _, one := range list {
		if one.Profile.Name == ref {
			return one.Profile, nil
		}
		if strings.HasPrefix(one.Profile.Name, ref) || strings.HasPrefix(ref, one.Profile.Name) {
			near = one.Profile.Name
		}
	}
	return Profile{}, &NotFound{Name: ref, Near: near}
}

// isPath tells a file from a name: names hold no separator and do not end like
// a file of profiles.
func isPath(ref string) bool {
	return strings.ContainsRune(ref, filepath.Separator) || filepath.Ext(ref) == extension || filepath.Ext(ref) == ".yml"
}

func (s *Store) fromPath(path string) (Profile, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		inside := filepath.Join(path, "profile"+extension)
		if _, err := os.Stat(inside); err != nil {
			return Profile{}, fmt.Errorf("%s holds no profile%s: it is not the folder of a finished sweep", path, extension)
		}
		path = inside
	}
	return ReadFile(path, s.catalogue)
}

// ReadFile reads one profile file.
func ReadFile(path string, catalogue *hbaseconf.Catalogue) (Profile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Profile{}, fmt.Errorf("read profile: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return Profile{}, fmt.Errorf("%s is no profile: give a YAML file of at most 1 MB", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Profile{}, fmt.Errorf("read profile: %w", err)
	}
	return Parse(path, data, catalogue)
}

// Exists says that a name is taken.
type Exists struct{ Name, Path string }

func (e *Exists) Error() string {
	return fmt.Sprintf("profile %s is kept already in %s: choose another --name, or --force to replace it", e.Name, e.Path)
}

// Save keeps a profile under its name and returns its file. It replaces an
// older one only with force.
func (s *Store) Save(p Profile, force bool) (string, error) {
	if err := CheckName(p.Name); err != nil {
		return "", err
	}
	if s.dir == "" {
		return "", fmt.Errorf("keep profile %s: %w", p.Name, ErrNoHome)
	}
	path := filepath.Join(s.dir, p.Name+extension)
	if _, err := os.Stat(path); err == nil && !force {
		return "", &Exists{Name: p.Name, Path: path}
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", fmt.Errorf("keep profile %s: %w", p.Name, err)
	}
	return path, WriteFile(path, p)
}

// WriteFile writes a profile atomically.
func WriteFile(path string, p Profile) error {
	data, err := p.Marshal()
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("keep the profile: %w", apply.WriteError(path, err))
	}
	return nil
}
