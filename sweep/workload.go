package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/load"
	"hbtune/sweep/trial"
)

// WorkloadSpec is one load, measured at every hit level in turn. Preset or File
// says what it does; without them gets and puts of whole rows are done. The
// other keys override what preset or file say.
type WorkloadSpec struct {
	Name   string `yaml:"name"`
	Preset string `yaml:"preset,omitempty"`
	// File is a workload file of YCSB, in the spec's folder unless it says another.
	File      string    `yaml:"file,omitempty"`
	ReadShare *float64  `yaml:"read_share,omitempty"`
	Threads   int       `yaml:"threads"`
	Hits      []float64 `yaml:"hits"`
	// Driver and API override the spec's.
	Driver string `yaml:"driver,omitempty"`
	API    string `yaml:"api,omitempty"`

	scenario *load.Scenario // of preset or file
	text     []byte         // the file's
}

const (
	// defaultThreads are those of a preset or file that does not say.
	defaultThreads = 16
	// filesFolder of a sweep holds its workload files.
	filesFolder = "workloads"
)

// readWorkloads reads presets and files, the latter from a folder on, and
// completes the workloads by what they say.
func (s *Spec) readWorkloads(dir string) error {
	s.Workloads = slices.Clone(s.Workloads)
	for i := range s.Workloads {
		if err := s.Workloads[i].read(dir); err != nil {
			return fmt.Errorf("workloads[%d]%w", i, err)
		}
	}
	return nil
}

func (w *WorkloadSpec) read(dir string) (err error) {
	switch {
	case w.Preset != "" && w.File != "":
		return errors.New(": preset and file both say what to do: use one of them")
	case w.Preset != "":
		if w.scenario, err = load.PresetScenario(w.Preset); err != nil {
			return fmt.Errorf(".preset: %w", err)
		}
	case w.File != "":
		path := w.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if w.text, err = hbaseconf.ReadFile(path); err != nil {
			return fmt.Errorf(".file: %w", err)
		}
		if w.scenario, err = load.ParseScenario(path, string(w.text)); err != nil {
			return fmt.Errorf(".file: %w", err)
		}
	default:
		return nil
	}
	from := w.scenario.Workload
	w.Name = cmp.Or(w.Name, from.Name)
	w.Threads = cmp.Or(w.Threads, from.Threads, defaultThreads)
	if w.Hits == nil && from.HitTarget > 0 {
		w.Hits = []float64{from.HitTarget}
	}
	return nil
}

// Notes name what the workload files say to no effect.
func (s Spec) Notes() []string {
	var notes []string
	for _, w := range s.Workloads {
		if w.File == "" {
			continue
		}
		notes = append(notes, w.scenario.Notes...)
		if w.scenario.Duration > 0 {
			notes = append(notes, fmt.Sprintf("%s: maxexecutiontime does nothing in a sweep: measure.window of the spec says how long every trial is measured (%v)", w.File, s.Measure.Window))
		}
	}
	return notes
}

// verifies tells whether every byte that a workload reads is to be compared.
func (s Spec) verifies(workload string) bool {
	return slices.ContainsFunc(s.Workloads, func(w WorkloadSpec) bool {
		return w.Name == workload && w.scenario != nil && w.scenario.Verify
	})
}

// keepFiles writes the workload files into the sweep's folder, and returns the
// spec that names them there: the folder alone is enough to go on.
func (s Spec) keepFiles(dir string) (Spec, error) {
	s.Workloads = slices.Clone(s.Workloads)
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if w.File == "" {
			continue
		}
		// Names of workloads are unique and plain.
		w.File = filepath.Join(filesFolder, w.Name)
		path := filepath.Join(dir, w.File)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return s, fmt.Errorf("keep the workload files: %w", err)
		}
		if err := renameio.WriteFile(path, w.text, 0o644); err != nil {
			return s, fmt.Errorf("keep the workload files: %w", err)
		}
	}
	return s, nil
}

// load is the workload as trials drive it, but for its hit level and tables.
func (s Spec) load(w WorkloadSpec) trial.Workload {
	plain := trial.Workload{
		Name: w.Name, Rows: s.Data.Rows, ValueBytes: int(s.Data.ValueSize), Threads: w.Threads, Driver: s.driverOf(w).record(),
	}
	if w.ReadShare != nil {
		plain.ReadShare = *w.ReadShare
	}
	if w.scenario == nil {
		return plain
	}
	one := w.scenario.Workload
	one.Name, one.Threads, one.Driver, one.HitTarget = plain.Name, plain.Threads, plain.Driver, 0
	one.Rows = cmp.Or(one.Rows, plain.Rows)
	if w.Preset != "" && one.Columns <= 1 && !one.Queue {
		one.ValueBytes = plain.ValueBytes // such a preset is about rows, whatever their size
	}
	if w.ReadShare != nil {
		one.Mix = trial.Mix{Read: plain.ReadShare, Update: 1 - plain.ReadShare}
	}
	one.ReadShare = min(one.Mix.Read+one.Mix.Scan, 1)
	if len(w.Hits) > 0 {
		one.WorkingSet = 0 // it is calibrated
	}
	return one
}

// reads tells whether the workload reads rows that were loaded before.
func reads(w trial.Workload) bool {
	mix := w.Shares()
	return !w.Queue && mix.Read+mix.Scan+mix.ReadModifyWrite > 0
}

// grows tells whether the workload must add rows to the table that it reads,
// because its reads follow them.
func grows(w trial.Workload) bool {
	return !w.Queue && w.Shares().Insert > 0 && (w.Keys.Kind == trial.Latest || w.Keys.Kind == trial.Exponential)
}

// placed is a workload with the tables that it goes to, and their shape.
type placed struct {
	trial.Workload
	shape load.Shape
}

// placed gives every workload its tables. What is read is the same table for all
// workloads with rows of that shape, and no sweep changes it: puts and inserts go
// to another, made afresh for every session. Only where reads follow inserts is
// it the same one, which is then loaded again for every session.
func (s Spec) placed() []placed {
	var list []placed
	suffix := map[load.Shape]string{s.plainShape(): ""}
	for _, w := range s.Workloads {
		p := placed{Workload: s.load(w)}
		regions := s.Data.Regions
		if w.scenario != nil {
			regions = cmp.Or(w.scenario.Regions, regions)
		}
		if p.Queue {
			regions = p.Threads
		}
		p.shape = load.ShapeOf(p.Workload, regions, s.Seed)
		own := "_" + p.Name
		shared, known := suffix[p.shape]
		switch {
		case p.Queue:
			p.Table = writeTable + own
		case grows(p.Workload):
			p.Table = readTable + own
		default:
			if !known {
				shared = own
				suffix[p.shape] = own
			}
			p.Table = readTable + shared
			if mix := p.Shares(); mix.Update+mix.Insert+mix.ReadModifyWrite > 0 {
				p.WriteTable = writeTable + shared
			}
		}
		list = append(list, p)
	}
	return list
}

// plainShape is that of rows as the spec's data describes them.
func (s Spec) plainShape() load.Shape {
	return load.ShapeOf(trial.Workload{Rows: s.Data.Rows, ValueBytes: int(s.Data.ValueSize)}, s.Data.Regions, s.Seed)
}
