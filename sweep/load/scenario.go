package load

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hbtune/sweep/trial"
)

// Scenario is a workload as a file describes it: YCSB's properties of its
// CoreWorkload, and some of hbtune's own that begin with "hbtune.".
type Scenario struct {
	// Workload has everything but Table and WriteTable, which are left to who
	// runs it; Rows and Threads are 0 where the file does not say them.
	Workload trial.Workload
	Regions  int           // 0: not said
	Duration time.Duration // of the measured window; 0: not said
	Verify   bool
	// OwnWrites says that puts go to a table of their own, made afresh.
	OwnWrites bool
	// Notes name what the file says to no effect.
	Notes []string
}

// FileError is a fault of a workload file.
type FileError struct {
	Path string
	Line int // 0: of the whole
	Err  error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// ParseScenario reads a workload file; path is for messages and names the
// workload. Every fault is listed.
func ParseScenario(path, text string) (*Scenario, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, &FileError{Path: path, Err: errors.New("no workload: it is a binary file")}
	}
	list, err := parseProperties(text)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	s := defaultScenario()
	s.Workload.Name = workloadOf(path)
	given := map[string]int{}
	var faults []error
	for _, p := range list {
		known, err := s.take(path, p)
		if known {
			if earlier := given[p.name]; earlier > 0 {
				s.Notes = append(s.Notes, fmt.Sprintf("%s:%d: %s is given again, which is what counts; line %d does nothing", path, p.line, p.name, earlier))
			}
			given[p.name] = p.line
		}
		if err != nil {
			faults = append(faults, &FileError{path, p.line, err})
		}
	}
	if len(given) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("no workload: it sets none of the properties of YCSB's CoreWorkload (such as recordcount or readproportion)")}
	}
	s.completeShares(given)
	if s.Workload.Mix == (trial.Mix{}) {
		faults = append(faults, &FileError{Path: path, Err: errors.New("nothing to do: every proportion is 0")})
	}
	if len(faults) == 0 {
		w := s.Workload
		w.Table, w.Rows, w.Threads = "t", cmp.Or(w.Rows, 1), cmp.Or(w.Threads, 1) // what is said elsewhere
		w.WorkingSet = 0
		if err := ValidateWorkload(w); err != nil {
			faults = append(faults, &FileError{Path: path, Err: err})
		}
	}
	return s, errors.Join(faults...)
}

// workloadOf is the file's name without folder and extension.
func workloadOf(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(name, ".properties")
}

// defaultScenario is what YCSB does where a file says nothing.
func defaultScenario() *Scenario {
	return &Scenario{Workload: trial.Workload{
		Columns: 10, ValueBytes: 100, MinValueBytes: 1, Lengths: trial.Constant, WriteColumns: 1, Hashed: true,
		Mix:  trial.Mix{Read: 0.95, Update: 0.05},
		Keys: trial.Distribution{Kind: trial.Uniform, HotRows: 0.2, HotDraws: 0.8, Percent: 95, Within: 0.8571428571},
		Scan: trial.ScanRows{Min: 1, Max: 1000, Distribution: trial.Uniform},
	}}
}

// take puts one property of a file where it belongs; known is false for what is
// no workload property at all.
func (s *Scenario) take(path string, p property) (known bool, err error) {
	if i := slices.IndexFunc(settings(), func(d setting) bool { return d.name == p.name }); i >= 0 {
		if err := settings()[i].set(s, p.value); err != nil {
			return true, fmt.Errorf("%s=%s: %w", p.name, p.value, err)
		}
		return true, nil
	}
	if why, ok := idle(p.name); ok {
		s.Notes = append(s.Notes, fmt.Sprintf("%s:%d: %s does nothing here: %s", path, p.line, p.name, why))
		return p.name != "table", nil
	}
	if meant := meantBy(p.name); meant != "" {
		return false, fmt.Errorf("%s does nothing: %s is meant?", p.name, meant)
	}
	if strings.Contains(p.name, ".") {
		s.Notes = append(s.Notes, fmt.Sprintf("%s:%d: %s does nothing here: it is no property of YCSB's CoreWorkload", path, p.line, p.name))
		return false, nil
	}
	return false, fmt.Errorf("%s is no property of a workload: remove it, or see `hbtune load --preset a --print` for all there are", p.name)
}

// completeShares drops the defaults of the proportions where those that the file
// gives are all there is to do, as people mean it who write readproportion=1
// alone.
func (s *Scenario) completeShares(given map[string]int) {
	sum := 0.0
	for _, d := range proportions() {
		if given[d.name] > 0 {
			sum += *d.of(&s.Workload.Mix)
		}
	}
	if sum < 1-shareTolerance || sum > 1+shareTolerance {
		return
	}
	for _, d := range proportions() {
		if share := d.of(&s.Workload.Mix); given[d.name] == 0 && *share > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s is not given and taken as 0, for the others make up the whole (YCSB would take %v)", d.name, *share))
			*share = 0
		}
	}
}

// Text writes the scenario as a file that ParseScenario reads back, with what
// each property means.
func (s *Scenario) Text() string {
	var b strings.Builder
	section := ""
	for _, d := range settings() {
		value, said := d.get(s)
		if !said {
			continue
		}
		if d.section != section {
			section = d.section
			fmt.Fprintf(&b, "\n# %s\n", section)
		}
		line := d.name + "=" + value
		fmt.Fprintf(&b, "# %s\n%s\n", d.doc, line)
	}
	return strings.TrimLeft(b.String(), "\n")
}
