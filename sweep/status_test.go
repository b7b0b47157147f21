package sweep

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
)

// folder is a sweep's folder as hbtune leaves it at some time.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder {
	f := folder{t, t.TempDir()}
	f.write(specName, sound)
	return f
}

func (f folder) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// originals lays down saved originals; away says that variant v07 is on the
// target.
func (f folder) originals(away bool) {
	f.t.Helper()
	const original, variant = "<configuration/>", "<configuration><!-- v07 --></configuration>"
	f.write("original/rs1/hbase-site.xml", original)
	f.write("variants/v07/rs1/hbase-site.xml", variant)
	f.write("target/hbase-site.xml", original)
	f.write("original/manifest.json", fmt.Sprintf(
		`{"v":1,"id":"i","target":"local","files":[{"node":"rs1","path":%q,"copy":"rs1/hbase-site.xml","sha256":"%x"}]}`,
		filepath.Join(f.dir, "target/hbase-site.xml"), sha256.Sum256([]byte(original))))
	if away {
		f.write("original/departure.json", `{"v":1,"since":"2026-01-02T03:04:05Z","written":{"rs1":[]}}`)
		f.write("target/hbase-site.xml", variant)
	}
}

func (f folder) journal(codes ...string) {
	f.t.Helper()
	j, err := journal.Create(f.dir, testSweep(1))
	if err != nil {
		f.t.Fatal(err)
	}
	defer j.Close()
	for _, code := range codes {
		if err := j.AppendEvent(journal.Event{Code: code, Message: code}); err != nil {
			f.t.Fatal(err)
		}
	}
}

func TestStatusSaysWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		make func(f folder)
		want []string // lines of the text, in part
		no   string
	}{
		"not begun": {
			func(folder) {},
			[]string{"phase     not begun", "target    as it was", "next      `hbtune sweep resume DIR` begins it"},
			"restore",
		},
		"killed under a variant": {
			func(f folder) { f.journal("calibrated"); f.originals(true) },
			[]string{
				"hbtune    does not run: it was killed", "target    changed: the settings of variant v07 are on it",
				"next      `hbtune sweep restore DIR` puts the target back, `hbtune sweep resume DIR` does so and goes on",
			},
			"",
		},
		"killed, and restored": {
			func(f folder) { f.journal("calibrated"); f.originals(false) },
			[]string{"does not run: it was killed", "target    as it was", "next      `hbtune sweep resume DIR` goes on"},
			"restore",
		},
		"interrupted": {
			func(f folder) { f.journal("interrupted"); f.originals(false) },
			[]string{"does not run: interrupted", "next      `hbtune sweep resume DIR` goes on"},
			"killed",
		},
		"killed after it was resumed": {
			func(f folder) { f.journal("interrupted", "resumed") },
			[]string{"does not run: it was killed"},
			"",
		},
		"refused after it was done": {
			func(f folder) { f.journal("done", "refused") },
			[]string{"phase     done"},
			"next",
		},
		"not restored": {
			func(f folder) { f.journal("not-restored"); f.originals(true) },
			[]string{"does not run: not-restored", "`hbtune sweep restore DIR` puts the target back"},
			"",
		},
		"journal lost": {
			func(f folder) { f.originals(true) },
			[]string{"phase     journal lost", "target    changed", "`hbtune sweep restore DIR` puts the target back; then begin anew"},
			"not begun",
		},
		"journal lost, target as it was": {
			func(f folder) { f.originals(false) },
			[]string{"phase     journal lost", "target    as it was", "next      begin anew"},
			"restore",
		},
		"at work": {
			func(f folder) { f.journal("calibrated"); f.originals(true); f.hold() },
			[]string{fmt.Sprintf("hbtune    works on it (process %d)", os.Getpid()), "target    changed: the settings of variant v07"},
			"next",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			c.make(f)
			status, err := ReadStatus(f.dir, testRules)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := status.Write(&text); err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(text.String(), f.dir, "DIR")
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			if c.no != "" && strings.Contains(got, c.no) {
				t.Errorf("%q in\n%s", c.no, got)
			}
		})
	}
}

// hold has the folder's lock as a running sweep would.
func (f folder) hold() {
	f.t.Helper()
	lock, by, held, err := apply.TakeLock(filepath.Join(f.dir, lockName), f.dir)
	if err != nil || held {
		f.t.Fatal(by, err)
	}
	f.t.Cleanup(func() { _ = lock.Release() })
}

// A journal that can't be read must not hide that the target is changed.
func TestStatusOfADamagedJournal(t *testing.T) {
	f := newFolder(t)
	f.write(journal.FileName, "{}\n{}\n")
	f.originals(true)
	if _, err := ReadStatus(f.dir, testRules); err == nil || !strings.Contains(err.Error(), "hbtune sweep restore") {
		t.Error(err)
	}
}

// Two processes on one sweep would measure each other.
func TestASweepIsWorkedOnByOne(t *testing.T) {
	f := newFolder(t)
	f.hold()
	_, err := lockFolder(f.dir)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("another hbtune (pid %d, for %s) is working on it", os.Getpid(), f.dir)) {
		t.Error(err)
	}
}
