package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk puts a file system of a few pages under a folder; its return value
// fills it up.
func smallDisk(t *testing.T, dir string) (fill func()) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("needs the right to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return func() {
		t.Helper()
		err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 1<<20), 0o600)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("filling up: %v", err)
		}
	}
}

// checkUntouched fails unless no server was restarted since the rig was made.
func (r *rig) checkUntouched(t *testing.T) {
	t.Helper()
	for _, n := range r.nodes {
		if p, _ := r.process(n); !p.Started.Equal(r.started[n]) {
			t.Errorf("%s was restarted", n)
		}
	}
}

func checkFull(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("error %v", err)
	}
}

func TestFullDiskAtTheTarget(t *testing.T) {
	base := memoryFolder(t)
	fill := smallDisk(t, filepath.Join(base, "home", "conf"))
	r := newRigIn(t, base, "rs1", "rs2")
	fill()
	_, _, err := r.open(t, Options{}).Apply(t.Context(), variant("v1", handlers+"=10"))
	checkFull(t, err)
	if err := os.Remove(filepath.Join(base, "home", "conf", "ballast")); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
	r.checkUntouched(t)
}

func TestADiskThatFillsUpMeanwhile(t *testing.T) {
	base := memoryFolder(t)
	fillTarget := smallDisk(t, filepath.Join(base, "home", "conf"))
	fillDir := smallDisk(t, filepath.Join(base, "sweep"))
	r := newRigIn(t, base, "rs1", "rs2")
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	fillTarget()
	fillDir()
	_, _, err := l.Apply(t.Context(), variant("v2", handlers+"=60"))
	checkFull(t, err)
	if err := r.reopen(t, l, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestFullDiskUnderTheSweep(t *testing.T) {
	base := memoryFolder(t)
	fill := smallDisk(t, filepath.Join(base, "sweep"))
	r := newRigIn(t, base, "rs1", "rs2")
	fill()
	_, _, err := r.open(t, Options{}).Apply(t.Context(), variant("v1", handlers+"=10"))
	checkFull(t, err)
	r.checkOriginal(t)
	r.checkUntouched(t)
}

// The same without the right to mount: one of the files can't be staged.
func TestAFileThatCannotBeWritten(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	obstacle := filepath.Join(filepath.Dir(r.site("rs2")), stagingName)
	if err := os.WriteFile(obstacle, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10"))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "rs2") {
		t.Errorf("error %v", err)
	}
	r.checkOriginal(t)
	r.checkUntouched(t)
}

func TestOwnerAndModeAreKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	r := newRig(t)
	if err := os.Chown(r.site("rs1"), 12345, 23456); err != nil {
		t.Fatal(err)
	}
	l := r.open(t, Options{})
	check := func() {
		t.Helper()
		info, err := os.Stat(r.site("rs1"))
		if err != nil {
			t.Fatal(err)
		}
		if want := (attributes{Mode: 0o640, UID: 12345, GID: 23456}); attributesOf(info) != want {
			t.Errorf("attributes %+v", attributesOf(info))
		}
	}
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	check()
	if err := l.Restore(t.Context()); err != nil { // from the spare
		t.Fatal(err)
	}
	check()
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(sparePath(r.site("rs1"))); err != nil {
		t.Fatal(err)
	}
	if err := l.Restore(t.Context()); err != nil { // from the copy
		t.Fatal(err)
	}
	check()
}

func TestALinkStaysALink(t *testing.T) {
	r := newRig(t)
	real := filepath.Join(r.home, "real.xml")
	if err := os.Rename(r.site("rs1"), real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, r.site("rs1")); err != nil {
		t.Fatal(err)
	}
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if p, _ := r.process("rs1"); p.Conf[handlers] != "10" {
		t.Errorf("runs with %v", p.Conf)
	}
	if err := l.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
	if target, err := os.Readlink(r.site("rs1")); err != nil || target != real {
		t.Errorf("link to %q, %v", target, err)
	}
}
