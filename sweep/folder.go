package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/journal"
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

// create makes a sweep's folder with the completed spec in it.
func create(dir string, spec Spec) error {
	if _, err := os.Stat(filepath.Join(dir, specName)); err == nil {
		return inputError(fmt.Errorf("%s holds a sweep already: go on with `hbtune sweep resume %s` or choose another --dir", dir, dir))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return inputError(fmt.Errorf("make the sweep's folder: %w", err))
	}
	spec, err := spec.keepFiles(dir)
	if err != nil {
		return err
	}
	data, err := spec.Encode()
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, specName), data, 0o644); err != nil {
		return fmt.Errorf("write the completed spec: %w", err)
	}
	return nil
}

// OpenSpec reads the completed spec of a sweep's folder.
func OpenSpec(dir string, catalogue *hbaseconf.Catalogue) (Spec, error) {
	path := filepath.Join(dir, specName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return Spec{}, inputError(fmt.Errorf("%s is not a sweep's folder: it has no %s", dir, specName))
	}
	spec, err := ReadSpec(path, false)
	if err != nil {
		return Spec{}, inputError(err)
	}
	return spec, inputError(spec.Validate(catalogue))
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

// doneEvent marks the end of a sweep that measured all it was to.
const doneEvent = "done"

// ReadStatus says where the sweep in dir stands.
func ReadStatus(dir string, catalogue *hbaseconf.Catalogue) (Status, error) {
	spec, err := OpenSpec(dir, catalogue)
	if err != nil {
		return Status{}, err
	}
	content, err := journal.Read(dir)
	if errors.Is(err, os.ErrNotExist) {
		return Status{Phase: "not begun"}, nil
	}
	if err != nil {
		return Status{}, inputError(err)
	}
	var last string
	done := false
	for _, e := range content.Events {
		last = e.Time.Format(time.RFC3339) + " " + e.Message
		done = done || e.Code == doneEvent
	}
	status := StatusOf(content.Sweep, spec.Design, content.Records, done)
	status.LastEvent = last
	return status, nil
}

// Write prints the status for a person.
func (s Status) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "sweep     %s\nphase     %s\nrestarts  %d of %d\ntrials    %d, %d failed\n", s.Sweep, s.Phase, s.Sessions, s.Planned, s.Trials, s.Failed)
	if err == nil && s.LeftSeconds > 0 {
		left := time.Duration(s.LeftSeconds * float64(time.Second)).Round(time.Second)
		_, err = fmt.Fprintf(w, "left      about %v\n", left)
	}
	if err == nil && s.LastEvent != "" {
		_, err = fmt.Fprintf(w, "last      %s\n", s.LastEvent)
	}
	return err
}
