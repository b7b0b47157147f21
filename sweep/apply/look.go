package apply

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Standing is who works on a target, and whose settings are in force on it.
type Standing struct {
	// Working is set while another process works on the target.
	Working *Locked
	// Claimed is set where a sweep, or an apply under way, has put settings on
	// the target that are not back yet.
	Claimed *Claimed
}

// Look says how it stands with the target whose own folder is home. It changes
// nothing.
func Look(home string) (Standing, error) {
	var s Standing
	by, held, err := LookLock(filepath.Join(home, lockName))
	if err != nil {
		return s, err
	}
	if held {
		s.Working = &Locked{Target: localName, Holder: by}
	}
	err = (&seat{dir: home, target: localName}).free("")
	if errors.As(err, &s.Claimed) {
		return s, nil
	}
	return s, err
}

// Remains is what a folder knows of its target.
type Remains struct {
	Saved   bool   // it has the originals
	Changed bool   // the target may differ from them
	Variant string // whose files lie on the target, where that shows
}

// LookInto says from the folder dir of a sweep, or of an application of a
// profile, what has become of its target. It changes nothing.
func LookInto(dir string) (Remains, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Remains{}, err
	}
	s, err := openStore(dir, func(string) {})
	if errors.Is(err, errNoOriginals) {
		_, err := os.Stat(filepath.Join(dir, originalFolder, departureName))
		return Remains{Changed: !errors.Is(err, fs.ErrNotExist)}, nil
	}
	if err != nil {
		return Remains{}, err
	}
	d, departed, err := s.departure()
	if err != nil {
		return Remains{}, err
	}
	r := Remains{Saved: true, Changed: departed && !d.Kept}
	if r.Changed {
		r.Variant = variantInPlace(dir, s.manifest.Files)
	}
	return r, nil
}

// variantInPlace names the variant whose files the target has; nothing where
// that is none, or where the target is on another machine.
func variantInPlace(dir string, files []original) string {
	variants, err := os.ReadDir(filepath.Join(dir, variantFolder))
	if err != nil {
		return ""
	}
	for _, v := range variants {
		same := len(files) > 0
		for _, o := range files {
			now, err := hashFile(o.Path)
			kept, keptErr := hashFile(filepath.Join(dir, variantFolder, v.Name(), o.Copy))
			same = same && err == nil && keptErr == nil && now == kept
		}
		if same {
			return v.Name()
		}
	}
	return ""
}
