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

// DownAll stops every cluster of a home and of the homes of tests within it;
// clusters that a test made for itself alone are removed too.
func DownAll(ctx context.Context, home string) error {
	var failed []error
	for _, dir := range clusterDirs(home) {
		cluster := &Cluster{layout{dir}, filepath.Base(dir)}
		if err := cluster.Down(ctx); err != nil && !errors.Is(err, ErrNoCluster) {
			failed = append(failed, err)
		}
	}
	private, _ := filepath.Glob(filepath.Join(home, privateHomes, "*"))
	for _, home := range private {
		for _, dir := range clusterDirs(home) {
			if err := Delete(ctx, Config{Home: home, Name: filepath.Base(dir)}); err != nil && !errors.Is(err, ErrNoCluster) {
				failed = append(failed, err)
			}
		}
		failed = append(failed, os.RemoveAll(home))
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
