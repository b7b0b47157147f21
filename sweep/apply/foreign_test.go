package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const foreignText = "<configuration><!-- by hand --></configuration>\n"

func (r *rig) editByHand(t testing.TB, node string) {
	t.Helper()
	if err := os.WriteFile(r.site(node), []byte(foreignText), 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestAForeignChangeIsNotOverwritten(t *testing.T) {
	for _, applied := range []bool{true, false} {
		r := newRig(t)
		l := r.open(t, Options{})
		if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
			t.Fatal(err)
		}
		if !applied {
			if err := l.Restore(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r.editByHand(t, "rs2")

		var changed *Changed
		_, _, err := l.Apply(t.Context(), variant("v2", handlers+"=60"))
		if !errors.As(err, &changed) || changed.Path != r.site("rs2") {
			t.Errorf("apply: %v", err)
		}
		l = r.reopen(t, l, Options{})
		err = l.Restore(t.Context())
		if !errors.As(err, &changed) || changed.Node != "rs2" || !strings.Contains(err.Error(), "--force") {
			t.Errorf("restore: %v", err)
		}
		if data, _ := os.ReadFile(r.site("rs2")); string(data) != foreignText {
			t.Errorf("overwritten: %s", data)
		}

		l = r.reopen(t, l, Options{Force: true})
		if err := l.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.checkOriginal(t)
		aside, err := filepath.Glob(filepath.Join(r.dir, originalFolder, "aside", "rs2", "hbase-site.xml.*"))
		if err != nil || len(aside) != 1 {
			t.Fatalf("aside: %v, %v", aside, err)
		}
		if data, _ := os.ReadFile(aside[0]); string(data) != foreignText {
			t.Errorf("aside: %s", data)
		}
	}
}

func TestARemovedFileIsPutBackOnlyByForce(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.site("rs1")); err != nil {
		t.Fatal(err)
	}
	err := l.Restore(t.Context())
	if err == nil || !strings.Contains(err.Error(), "removed by somebody else") {
		t.Fatal(err)
	}
	if err := r.reopen(t, l, Options{Force: true}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestADamagedOriginalIsNotPutBack(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	before, _ := hashFile(r.site("rs1"))
	saved := filepath.Join(r.dir, originalFolder, "rs1", "hbase-site.xml")
	if err := os.WriteFile(saved, []byte("<configuration/>"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := r.reopen(t, l, Options{}).Restore(t.Context())
	if err == nil || !strings.Contains(err.Error(), saved) {
		t.Error(err)
	}
	if after, _ := hashFile(r.site("rs1")); after != before {
		t.Error("something was written")
	}
}

func TestTwoAtOnceAreRefused(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	other := r.open(t, Options{})
	_, _, err := other.Apply(t.Context(), variant("v1", handlers+"=10"))
	var locked *Locked
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Fatalf("%v", err)
	}
	if err := other.Restore(t.Context()); !errors.As(err, &locked) {
		t.Fatalf("%v", err)
	}
	if _, err := other.Effective(t.Context(), []string{handlers}); err != nil {
		t.Errorf("reading needs no lock: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
}

// A variant left behind by one folder must not be saved as the original of
// another.
func TestASecondFolderWaitsForTheFirst(t *testing.T) {
	r := newRig(t)
	r.task(scripts["apply"]...).run(t)
	second := &rig{fakeCluster: r.fakeCluster, dir: r.dir + "-2", hashes: r.hashes}
	l := second.open(t, Options{})
	var claimed *Claimed
	_, _, err := l.Apply(t.Context(), variant("v1", handlers+"=60"))
	if !errors.As(err, &claimed) || !strings.Contains(err.Error(), "hbtune sweep restore "+r.dir) {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(second.dir, originalFolder)); err == nil {
		t.Error("originals were saved")
	}
	_ = l.Close()

	// The folder may have been moved meanwhile.
	moved := r.dir + "-moved"
	if err := os.Rename(r.dir, moved); err != nil {
		t.Fatal(err)
	}
	first := &rig{fakeCluster: r.fakeCluster, dir: moved, hashes: r.hashes}
	_, _, err = l.Apply(t.Context(), variant("v1", handlers+"=60"))
	if !errors.As(err, &claimed) || !claimed.Lost {
		t.Errorf("%v", err)
	}
	_ = l.Close()
	if err := first.open(t, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.checkOriginal(t)
}

// With the originals gone, "nothing to restore" would be a lie.
func TestRestoreWithoutOriginalsSaysSo(t *testing.T) {
	r := newRig(t)
	r.task(scripts["apply"]...).run(t)
	if err := os.Rename(filepath.Join(r.dir, originalFolder), filepath.Join(r.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	l := r.open(t, Options{})
	defer l.Close()
	var not *NotRestored
	var claimed *Claimed
	if err := l.Restore(t.Context()); !errors.As(err, &not) || !errors.As(err, &claimed) || !claimed.Lost {
		t.Errorf("%v", err)
	}
}

// What a target runs with is nobody's baseline while it is another sweep's.
func TestFreeOnlyWithoutOthersSettings(t *testing.T) {
	r := newRig(t)
	free := func(dir string) error {
		l := (&rig{fakeCluster: r.fakeCluster, dir: dir, hashes: r.hashes}).open(t, Options{})
		defer l.Close()
		if err := l.Lock(); err != nil {
			t.Fatal(err)
		}
		return l.Free()
	}
	if err := free(r.dir + "-2"); err != nil {
		t.Fatalf("an untouched target: %v", err)
	}
	r.task(scripts["apply"]...).run(t)
	if err := free(r.dir + "-2"); !errors.As(err, new(*Claimed)) {
		t.Errorf("another sweep's settings: %v", err)
	}
	if err := free(r.dir); err != nil {
		t.Errorf("its own settings: %v", err)
	}
}

// What was kept is what later folders find as the original.
func TestAKeptVariantIsTheOriginalOfASecondFolder(t *testing.T) {
	r := newRig(t)
	profile := r.task(scripts["apply"]...)
	profile.Keep = true
	profile.run(t)
	kept, err := hashFile(r.site("rs1"))
	if err != nil {
		t.Fatal(err)
	}
	second := &rig{fakeCluster: r.fakeCluster, dir: r.dir + "-2"}
	l := second.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=60")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	first := r.open(t, Options{})
	var claimed *Claimed
	if err := first.Restore(t.Context()); !errors.As(err, &claimed) {
		t.Errorf("restored under another: %v", err)
	}
	_ = first.Close()
	if err := second.reopen(t, l, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, _ := hashFile(r.site("rs1")); now != kept {
		t.Error("the second folder did not put back what was kept")
	}
	if p, _ := r.process("rs2"); p.Conf[handlers] != "10" {
		t.Errorf("runs with %v", p.Conf)
	}
}

// What was kept and then replaced is a variant again.
func TestKeptIsForgottenByTheNextApply(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if err := l.Keep(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Apply(t.Context(), variant("v2", handlers+"=60")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	second := &rig{fakeCluster: r.fakeCluster, dir: r.dir + "-2"}
	var claimed *Claimed
	if _, _, err := second.open(t, Options{}).Apply(t.Context(), variant("v1", handlers+"=60")); !errors.As(err, &claimed) {
		t.Errorf("%v", err)
	}
}

func TestAFolderOfAnotherTarget(t *testing.T) {
	r := newRig(t)
	r.task(scripts["apply"]...).run(t)
	other := newRig(t)
	other.dir = r.dir
	l := other.open(t, Options{})
	if err := l.Restore(t.Context()); err == nil || !strings.Contains(err.Error(), "another target") {
		t.Errorf("restore: %v", err)
	}
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err == nil || !strings.Contains(err.Error(), "another target") {
		t.Errorf("apply: %v", err)
	}
	other.checkOriginalFiles(t)
}

// Who wants to stop a target must not do so under somebody's work, nor must
// anybody begin to work while it is being stopped.
func TestATargetAtWorkIsReserved(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	_, err := Reserve(r.home)
	var locked *Locked
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Dir != r.dir {
		t.Fatalf("%v", err)
	}
	if s, err := Look(r.home); err != nil || s.Working == nil || s.Working.Dir != r.dir || s.Claimed != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	release, err := Reserve(r.home)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Lock(); !errors.As(err, &locked) {
		t.Errorf("locked although it is reserved: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := l.Lock(); err != nil {
		t.Error(err)
	}

	absent := filepath.Join(r.home, "absent")
	if _, err := Reserve(absent); err != nil {
		t.Errorf("nothing is there: %v", err)
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("a folder was made")
	}
}

// What a killed process leaves shows, from the target and from its folder.
func TestLooking(t *testing.T) {
	r := newRig(t)
	look := func(saved, changed bool, variant string) {
		t.Helper()
		if got, err := LookInto(r.dir); err != nil || got != (Remains{saved, changed, variant}) {
			t.Errorf("%+v, %v", got, err)
		}
		s, err := Look(r.home)
		if err != nil || (s.Claimed != nil) != changed || s.Working != nil {
			t.Errorf("%+v, %v", s, err)
		}
	}
	look(false, false, "")
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil { // as the end of the process would
		t.Fatal(err)
	}
	look(true, true, "v1")
	l = r.reopen(t, l, Options{})
	if err := l.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	look(true, false, "")
	l = r.reopen(t, l, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	if err := l.Keep(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	look(true, false, "") // there to stay
}
