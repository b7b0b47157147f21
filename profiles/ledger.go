package profiles

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// State says how far an application of a profile got.
type State string

// States of an Entry. One that is found Applying was killed on its way; only a
// rollback leads out of it.
const (
	Applying   State = "applying"
	InForce    State = "in-force"
	RolledBack State = "rolled-back"
	Failed     State = "failed" // and the target is as it was
)

// Entry is one application of a profile to a target.
type Entry struct {
	Version int    `json:"v"`
	ID      string `json:"id"`
	Profile string `json:"profile"`
	Target  string `json:"target"`
	// Settings is what was put on the target: of the profile, what its servers
	// read.
	Settings   hbaseconf.Settings `json:"settings"`
	State      State              `json:"state"`
	Began      time.Time          `json:"began"`
	Ended      time.Time          `json:"ended,omitzero"` // of the apply
	RolledBack time.Time          `json:"rolled_back,omitzero"`
	// Before and Observed are the running values before and after.
	Before   hbaseconf.Settings `json:"before"`
	Observed hbaseconf.Settings `json:"observed,omitzero"`
	Receipt  *trial.Receipt     `json:"receipt,omitempty"`
	Restored []trial.File       `json:"restored,omitempty"` // by a rollback
	Fault    *trial.Fault       `json:"fault,omitempty"`
}

// Open reports whether the target may differ from what it was before.
func (e Entry) Open() bool { return e.State == Applying || e.State == InForce }

// Undo is the command that takes the entry's settings off again.
func (e Entry) Undo() string { return "hbtune profile rollback " + e.ID }

const (
	entryName    = "receipt.json"
	entryVersion = 1
)

// Ledger remembers which profiles were put on targets, and keeps the targets'
// original files, in one folder an application.
type Ledger struct {
	dir string
	now func() time.Time
}

// OpenLedger returns the ledger in hbtune's home folder; it makes no folder yet.
// Without a home there is nothing in it, and nothing can be applied.
func OpenLedger(home string) *Ledger {
	l := &Ledger{now: func() time.Time { return time.Now().UTC() }}
	if home != "" {
		l.dir = filepath.Join(home, "applied")
	}
	return l
}

// Dir is the folder of an application: its receipt and the original files.
func (l *Ledger) Dir(id string) string { return filepath.Join(l.dir, id) }

// Entries returns all applications, the oldest first.
func (l *Ledger) Entries() ([]Entry, error) {
	if l.dir == "" {
		return nil, nil
	}
	folders, err := os.ReadDir(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list applied profiles: %w", err)
	}
	var list []Entry
	for _, folder := range folders {
		e, err := l.read(folder.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // made, and killed before anything was done
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func (l *Ledger) read(id string) (Entry, error) {
	var e Entry
	path := filepath.Join(l.Dir(id), entryName)
	data, err := os.ReadFile(path)
	if err != nil {
		return e, fmt.Errorf("read an applied profile: %w", err)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if e.Version != entryVersion || e.ID != id {
		return e, fmt.Errorf("%s was not written by this version of hbtune", path)
	}
	return e, nil
}

func (l *Ledger) write(e Entry) error {
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(l.Dir(e.ID), entryName), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("note that profile %s is %s: %w", e.Profile, e.State, err)
	}
	return nil
}

// begin notes that a profile is about to be applied and returns its entry,
// with an ID and a folder of its own.
func (l *Ledger) begin(profile, target string, settings, before hbaseconf.Settings) (Entry, error) {
	e := Entry{
		Version: entryVersion, Profile: profile, Target: target, Settings: settings,
		Before: before, State: Applying, Began: l.now(),
	}
	if l.dir == "" {
		return e, fmt.Errorf("keep the original files: %w", ErrNoHome)
	}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return e, fmt.Errorf("keep the original files: %w", err)
	}
	stem := e.Began.Format("20060102-150405") + "-" + profile
	for i := 1; ; i++ {
		e.ID = stem
		if i > 1 {
			e.ID = fmt.Sprintf("%s-%d", stem, i)
		}
		err := os.Mkdir(l.Dir(e.ID), 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return e, fmt.Errorf("keep the original files: %w", err)
		}
		return e, l.write(e)
	}
}

// NothingApplied says that there is nothing to roll back.
type NothingApplied struct {
	Target, ID string
}

func (e *NothingApplied) Error() string {
	if e.ID != "" {
		return fmt.Sprintf("no application %q: `hbtune profile list --applied` lists them", e.ID)
	}
	return fmt.Sprintf("no profile is in force on target %s: nothing to roll back", e.Target)
}

// Covered says that a later application has to be rolled back first: it was
// put on top, and its originals hold the settings of the one below.
type Covered struct {
	ID, By string
}

func (e *Covered) Error() string {
	return fmt.Sprintf("%s lies below %s, which was applied later: roll that back first with `hbtune profile rollback %s`", e.ID, e.By, e.By)
}

// Last returns the application that a rollback is to take off: the named one,
// or without a name the last that is open on the target.
func (l *Ledger) Last(target, id string) (Entry, error) {
	entries, err := l.Entries()
	if err != nil {
		return Entry{}, err
	}
	top := ""
	for _, e := range slices.Backward(entries) {
		if e.Target != target {
			continue
		}
		if e.Open() && top == "" {
			top = e.ID
		}
		if e.ID != id && (id != "" || !e.Open()) {
			continue
		}
		if top != "" && top != e.ID && e.Open() {
			return e, &Covered{ID: e.ID, By: top}
		}
		return e, nil
	}
	return Entry{}, &NothingApplied{Target: target, ID: id}
}
