package apply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxBackups bounds the backups that are kept beside one file.
const maxBackups = 1000

// Edit replaces the bytes of a configuration file that nobody sweeps, such as
// one that lint puts right: what it held lies beside it, forced to disk, before
// it changes, and the file is replaced in one step, with its owner and mode. It
// is an error where the file no longer holds what it is said to.
func Edit(path string, before, after []byte) (backup string, err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", path, err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", path, err)
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", path, err)
	}
	if !bytes.Equal(data, before) {
		return "", fmt.Errorf("edit %s: somebody changed it meanwhile; nothing was written", path)
	}
	attr := attributesOf(info)
	if backup, err = writeBackup(target, data, attr); err != nil {
		return "", fmt.Errorf("edit %s: keep what it holds: %w", path, err)
	}
	if err := replaceFile(target, after, attr); err != nil {
		return backup, errors.Join(err, clearStaging(target))
	}
	return backup, clearStaging(target)
}

// writeBackup lays a copy beside a file, under a name that is not taken.
func writeBackup(path string, data []byte, attr attributes) (string, error) {
	for n := 1; n <= maxBackups; n++ {
		backup := fmt.Sprintf("%s.before-hbtune.%d", path, n)
		file, err := os.OpenFile(backup, os.O_CREATE|os.O_EXCL|os.O_WRONLY, attr.Mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		err = errors.Join(fill(file, data, attr), file.Close())
		if err == nil {
			err = syncFolder(filepath.Dir(path))
		}
		if err != nil {
			_ = os.Remove(backup) // half a copy helps nobody
			return "", err
		}
		return backup, nil
	}
	return "", fmt.Errorf("%d backups lie beside it; remove some", maxBackups)
}
