package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// TestHome is the home within a home in which tests keep their clusters, so
// that they never touch those that people use.
func TestHome(home string) string { return filepath.Join(home, "test") }

// Reserve keeps others from working on the cluster in a folder until it is
// released, or refuses because somebody does.
type Reserve func(dir string) (release func() error, err error)

// DownAll stops every cluster of a home and of the homes of tests within it that
// can be reserved; clusters that a test made for itself alone are removed too.
func DownAll(ctx context.Context, home string, reserve Reserve) error {
	var failed []error
	stop := func(dir string, down func() error) {
		release, err := reserve(dir)
		if err == nil {
			err = errors.Join(down(), release())
		}
		if err != nil && !errors.Is(err, ErrNoCluster) {
			failed = append(failed, err)
		}
	}
	for _, dir := range clusterDirs(home) {
		cluster := &Cluster{layout{dir}, filepath.Base(dir)}
		stop(dir, func() error { return cluster.Down(ctx) })
	}
	private, _ := filepath.Glob(filepath.Join(home, privateHomes, "*"))
	for _, home := range private {
		before := len(failed)
		for _, dir := range clusterDirs(home) {
			stop(dir, func() error { return Delete(ctx, Config{Home: home, Name: filepath.Base(dir)}) })
		}
		if len(failed) > before {
			continue
		}
		if err := os.RemoveAll(home); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// privateHomes is where tests that need a cluster for themselves have theirs.
const privateHomes = "private"

// PrivateHome makes an empty home for one test within the tests' home.
func PrivateHome(testHome string) (string, error) {
	parent := filepath.Join(testHome, privateHomes)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "")
}

func clusterDirs(home string) []string {
	states, _ := filepath.Glob(filepath.Join(home, "clusters", "*", stateFile))
	dirs := make([]string, len(states))
	for i, path := range states {
		dirs[i] = filepath.Dir(path)
	}
	return dirs
}
