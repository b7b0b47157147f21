package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const departureName = "departure.json"

// departure says that the target may differ from its originals, and with what
// bytes. It is on disk before the first byte of the target changes, and goes
// away when the originals are back and served; where there is none, the target
// is as it was. Its absence says "clean" so that a full disk can't keep us
// from saying so.
type departure struct {
	Version int `json:"v"`
	// Since is when the target began to differ. A server that started earlier
	// and was not Restarted runs with the original.
	Since time.Time `json:"since"`
	// Restarted says that servers may have been restarted since. Start times
	// alone would be no proof: a clock may be set back.
	Restarted bool `json:"restarted,omitempty"`
	// Written holds by node the hash of everything that may have been written
	// since then.
	Written map[string][]string `json:"written"`
	// Kept says that the settings were put there to stay, verified: a profile
	// in force, not a trial under way.
	Kept bool `json:"kept,omitempty"`
}

// wrote reports whether a node's file may hold these bytes because of us.
func (d departure) wrote(node, hash string) bool {
	return slices.Contains(d.Written[node], hash)
}

// departure reads how the target differs; false means not at all.
func (s *store) departure() (departure, bool, error) {
	path := filepath.Join(s.dir, departureName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return departure{}, false, nil
	}
	if err != nil {
		return departure{}, false, fmt.Errorf("read how the target differs: %w", err)
	}
	var d departure
	if err := json.Unmarshal(data, &d); err != nil {
		return departure{}, false, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return d, true, nil
}

// depart notes that the given bytes are about to be written.
func (s *store) depart(hashes map[string]string) error {
	d, departed, err := s.departure()
	if err != nil {
		return err
	}
	if !departed {
		d = departure{Since: time.Now().UTC(), Written: map[string][]string{}}
	}
	d.Version, d.Kept = formatVersion, false
	for node, hash := range hashes {
		if !d.wrote(node, hash) {
			d.Written[node] = append(d.Written[node], hash)
		}
	}
	return s.writeDeparture(d)
}

// noteRestart notes that servers are about to be restarted.
func (s *store) noteRestart() error {
	d, departed, err := s.departure()
	if err != nil || !departed || d.Restarted {
		return err
	}
	d.Restarted = true
	return s.writeDeparture(d)
}

// keep notes that what was applied is there to stay.
func (s *store) keep() error {
	d, departed, err := s.departure()
	if err != nil || !departed {
		return err
	}
	d.Kept = true
	return s.writeDeparture(d)
}

// arrive notes that the target is as it was.
func (s *store) arrive() error {
	return removeOwn(filepath.Join(s.dir, departureName))
}

func (s *store) writeDeparture(d departure) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return replaceOwn(filepath.Join(s.dir, departureName), append(data, '\n'))
}
