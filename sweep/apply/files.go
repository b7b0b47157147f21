package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// stagingName is a folder of ours beside a file that is to be replaced. What
// lies in it is ours by definition, so that what a kill left there can be
// removed without guessing from names.
const stagingName = ".hbtune-staging"

// attributes are what a replaced file keeps besides its bytes. The daemon may
// run as another user than hbtune: a file that changed hands or mode would be
// another configuration.
type attributes struct {
	Mode fs.FileMode `json:"mode"`
	UID  int         `json:"uid"`
	GID  int         `json:"gid"`
}

func attributesOf(info fs.FileInfo) attributes {
	a := attributes{Mode: info.Mode().Perm(), UID: -1, GID: -1}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		a.UID, a.GID = int(stat.Uid), int(stat.Gid)
	}
	return a
}

// hashOf is the hash by which contents are told apart.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hashFile is the hash of a file's contents as they are now.
func hashFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return hashOf(data), nil
}

// staged is a file written and forced to disk beside its place, one rename
// away from it.
type staged struct {
	file *renameio.PendingFile
	path string
}

// stage writes data next to path. Everything that can fail for lack of space
// or rights fails here, while the file itself is still what it was.
func stage(path string, data []byte, attr attributes) (*staged, error) {
	folder := filepath.Dir(sparePath(path))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, WriteError(path, err)
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(folder), renameio.WithStaticPermissions(attr.Mode))
	if err != nil {
		return nil, WriteError(path, err)
	}
	s := &staged{file: file, path: path}
	if err := fill(file.File, data, attr); err != nil {
		s.discard()
		return nil, WriteError(path, err)
	}
	return s, nil
}

// sparePath is where the original of a replaced file lies ready.
func sparePath(path string) string {
	return filepath.Join(filepath.Dir(path), stagingName, filepath.Base(path))
}

// writeSpare lays a spare ready; who uses it checks its hash.
func writeSpare(path string, data []byte, attr attributes) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return WriteError(path, err)
	}
	if err := removeOwn(path); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, attr.Mode)
	if err != nil {
		return WriteError(path, err)
	}
	err = file.Chmod(attr.Mode) // whatever the umask
	if err == nil {
		err = fill(file, data, attr)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return WriteError(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// fill gives a new file its owner and bytes and forces them to disk.
func fill(file *os.File, data []byte, attr attributes) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if have := attributesOf(info); attr.UID >= 0 && (have.UID != attr.UID || have.GID != attr.GID) {
		if err := file.Chown(attr.UID, attr.GID); err != nil {
			return fmt.Errorf("keep its owner (run hbtune as that user or root): %w", err)
		}
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Sync()
}

// commit puts the staged file in its place and forces the folder to disk.
func (s *staged) commit() error {
	if err := s.file.CloseAtomicallyReplace(); err != nil {
		return WriteError(s.path, err)
	}
	return syncFolder(filepath.Dir(s.path))
}

// discard removes what was staged; after commit it does nothing.
func (s *staged) discard() {
	// Nothing can be done about an error here: what stays lies in the staging
	// folder, which clearStaging removes whole.
	_ = s.file.Cleanup()
}

// replaceFile replaces a file atomically and durably.
func replaceFile(path string, data []byte, attr attributes) error {
	s, err := stage(path, data, attr)
	if err != nil {
		return err
	}
	defer s.discard()
	return s.commit()
}

// clearStaging removes the staging folder beside path with what a kill may
// have left in it.
func clearStaging(path string) error {
	folder := filepath.Join(filepath.Dir(path), stagingName)
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove %s: %w", folder, err)
	}
	return syncFolder(filepath.Dir(path))
}

// writeNew creates a file of ours and forces it to disk, its folders included.
// It is for files that nothing refers to until something written later does;
// it replaces what an earlier attempt left.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return WriteError(path, err)
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return WriteError(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// replaceOwn replaces a file of ours atomically and durably.
func replaceOwn(path string, data []byte) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return WriteError(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// removeOwn removes a file of ours durably; it may be gone already.
func removeOwn(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolder makes a folder with its parents, each forced to disk in the
// folder above it.
func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return WriteError(dir, err)
	}
	return syncFolder(parent)
}

// syncFolder forces a folder's entries to disk: without it a rename may be
// forgotten by a power cut although the file's own bytes were kept.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("force %s to disk: %w", dir, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("force %s to disk: %w", dir, err)
	}
	return nil
}

// WriteError says in one line what could not be written and the way out. It
// names the file that was meant, not the temporary one beside it.
func WriteError(path string, err error) error {
	var inner *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &rename):
		err = rename.Err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("write %s: %w: free some space there and try again", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("write %s: %w: run hbtune as a user who may write there", path, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("write %s: %w: remount it writable", path, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}
