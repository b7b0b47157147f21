package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A target that can't be opened is one line, not a stack trace.
func TestSweepWithoutJava(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte("v: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("JAVA_HOME", "")
	t.Setenv("HBTUNE_HOME", filepath.Join(dir, "home"))
	var out, errs bytes.Buffer
	args := []string{"sweep", "-f", spec, "--yes", "--dir", filepath.Join(dir, "sweep")}
	code := run(t.Context(), args, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != exitTarget || !strings.Contains(errs.String(), "java not found") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
