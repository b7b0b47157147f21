package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	lockName  = "apply.lock"
	claimName = "apply.claim"
)

// Locked means that another process works on the same target.
type Locked struct {
	Target string
	Holder
}

func (e *Locked) Error() string {
	return fmt.Sprintf("%s is working on target %s: wait for it or stop it with Ctrl-C", e.Holder, e.Target)
}

// Claimed means that the target still has settings of another folder:
// what would be saved now as the original isn't one.
type Claimed struct {
	Target string
	Dir    string // the folder that holds the originals
	Undo   string // the command that puts them back
	Claim  string // the file that says so
	Lost   bool   // Dir holds no originals any more
}

func (e *Claimed) Error() string {
	if e.Lost {
		return fmt.Sprintf("target %s was changed by %s, which no longer holds its originals: check its configuration, then remove %s", e.Target, e.Dir, e.Claim)
	}
	return fmt.Sprintf("target %s still has settings of %s: put it back first with `%s`", e.Target, e.Dir, e.Undo)
}

// seat is the folder at a target where those who want to change it meet: it
// holds the lock, and a claim naming the folder whose settings are in force.
type seat struct {
	dir    string
	target string
	lock   *Lock
}

// take locks the target for the folder dir, or says who has it.
func take(home, target, dir string) (*seat, error) {
	if err := makeFolder(home); err != nil {
		return nil, err
	}
	lock, err := lockTarget(home, target, dir)
	if err != nil {
		return nil, err
	}
	return &seat{dir: home, target: target, lock: lock}, nil
}

func (t *seat) release() error { return t.lock.Release() }

// claim is what the claim file holds.
type claim struct {
	ID   string `json:"id"`   // of the store's manifest
	Dir  string `json:"dir"`  // the folder that holds it
	Undo string `json:"undo"` // the command that puts the originals back
}

// claimed reads who has claimed the target; false if nobody has.
func (t *seat) claimed() (c claim, path string, found bool, err error) {
	path = filepath.Join(t.dir, claimName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, path, false, nil
	}
	if err != nil {
		return c, path, false, fmt.Errorf("read who changed target %s: %w", t.target, err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, path, false, fmt.Errorf("%s is damaged: check the target's configuration, then remove it: %w", path, err)
	}
	return c, path, true, nil
}

// free refuses if the settings of another store are in force. The claim only
// points; the truth is that store's departure.
func (t *seat) free(id string) error {
	c, path, found, err := t.claimed()
	if err != nil || !found {
		return err
	}
	if c.ID == id && id != "" {
		return nil
	}
	other, err := openStore(c.Dir, func(string) {})
	if err != nil || other.manifest.ID != c.ID {
		return &Claimed{Target: t.target, Dir: c.Dir, Claim: path, Lost: true}
	}
	d, departed, err := other.departure()
	if err != nil {
		return err
	}
	if departed && !d.Kept {
		return &Claimed{Target: t.target, Dir: c.Dir, Undo: c.Undo, Claim: path}
	}
	return nil
}

// lost says that the target was changed by a sweep in dir, an absolute path as
// claims hold, in which the originals are no more.
func (t *seat) lost(dir string) error {
	c, path, found, err := t.claimed()
	if err != nil || !found || c.Dir != dir {
		return nil // nobody's, or somebody else's
	}
	return &Claimed{Target: t.target, Dir: c.Dir, Claim: path, Lost: true}
}

// claim notes that a store's settings are about to be in force.
func (t *seat) claim(s *store, undo string) error {
	data, err := json.Marshal(claim{ID: s.manifest.ID, Dir: filepath.Dir(s.dir), Undo: undo})
	if err != nil {
		return err
	}
	return replaceOwn(filepath.Join(t.dir, claimName), append(data, '\n'))
}

// unclaim notes that nobody's settings are in force.
func (t *seat) unclaim() error { return removeOwn(filepath.Join(t.dir, claimName)) }
