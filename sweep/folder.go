package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/trial"
)

const specName = "spec.yaml"

// InputError is a fault in what the user gave: nothing was done.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

func inputError(err error) error {
	if err == nil {
		return nil
	}
	return &InputError{Err: err}
}

// Refused means that the sweep was not begun, or not gone on with, because of
// what it met; nothing was done.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// create makes a sweep's folder with the completed spec in it; unmake takes it
// away again, as far as it was made here.
func create(dir string, spec Spec) (unmake func(), err error) {
	path := filepath.Join(dir, specName)
	if _, err := os.Stat(path); err == nil {
		return nil, inputError(fmt.Errorf("%s holds a sweep already: go on with `hbtune sweep resume %s` or choose another --dir", dir, dir))
	}
	_, err = os.Stat(dir)
	made := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, inputError(fmt.Errorf("make the sweep's folder: %w", err))
	}
	if spec, err = spec.keepFiles(dir); err != nil {
		return nil, inputError(err)
	}
	data, err := spec.Encode()
	if err != nil {
		return nil, err
	}
	if err := renameio.WriteFile(path, data, 0o644); err != nil {
		return nil, inputError(fmt.Errorf("keep the completed spec: %w", apply.WriteError(path, err)))
	}
	return func() {
		// What does not go away does no harm.
		_ = os.Remove(path)
		_ = os.Remove(filepath.Join(dir, lockName))
		_ = os.RemoveAll(filepath.Join(dir, filesFolder))
		if made {
			_ = os.Remove(dir) // empty, or somebody else's by now
		}
	}, nil
}

// lockName is the file that an hbtune has locked while it works on the sweep.
const lockName = "sweep.lock"

// lockFolder keeps a second hbtune from working on the sweep.
func lockFolder(dir string) (*apply.Lock, error) {
	lock, by, held, err := apply.TakeLock(filepath.Join(dir, lockName), dir)
	switch {
	case err != nil:
		return nil, inputError(fmt.Errorf("lock the sweep's folder: %w", apply.WriteError(filepath.Join(dir, lockName), err)))
	case held:
		return nil, &Refused{fmt.Errorf("%s is working on it: wait for it or stop it with Ctrl-C", by)}
	}
	return lock, nil
}

// OpenSpec reads the completed spec of a sweep's folder.
func OpenSpec(dir string, rules Rules) (Spec, error) {
	path := filepath.Join(dir, specName)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return Spec{}, inputError(fmt.Errorf("%s is a file: name the folder of a sweep", dir))
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return Spec{}, inputError(fmt.Errorf("%s is not a sweep's folder: it has no %s", dir, specName))
	}
	spec, err := ReadSpec(path, false)
	if err != nil {
		return Spec{}, inputError(err)
	}
	return spec, inputError(spec.Validate(rules))
}

// sweep turns the spec into the journal's header, as far as it is known
// without the target.
func (s Spec) sweep(catalogue *hbaseconf.Catalogue) (trial.Sweep, error) {
	parameters, err := s.parameters(catalogue)
	if err != nil {
		return trial.Sweep{}, err
	}
	one := trial.Sweep{
		Target: s.Target.Kind, HBaseVersion: s.Target.Version,
		Objective: s.Objective, Constraints: s.Constraints, Equivalence: s.Equivalence,
		Parameters: parameters, Blocks: s.Design.Blocks, Confirm: s.Design.Confirm, Seed: s.Seed,
	}
	for i, p := range s.placed() {
		if len(s.Workloads[i].Hits) == 0 {
			one.Workloads = append(one.Workloads, p.Workload)
		}
		for _, hit := range s.Workloads[i].Hits {
			p.HitTarget = hit
			one.Workloads = append(one.Workloads, p.Workload)
		}
	}
	return one, nil
}

// Codes of the events with which a run of a sweep ends, doneEvent where it
// measured all that it was to, and with which a later run begins.
const (
	doneEvent        = "done"
	interruptedEvent = "interrupted"
	failedEvent      = "failed"
	refusedEvent     = "refused"
	notRestoredEvent = "not-restored"
	resumedEvent     = "resumed"
)
