package apply

import (
	"fmt"

	"hbtune/sweep/trial"
)

// Fault means that settings could not be put in force: the trial failed, the
// sweep goes on. Unless they were refused before anything was changed, the
// target is again as it was and serves.
type Fault struct {
	trial.Fault
	Err error
}

func (e *Fault) Error() string { return e.Message }
func (e *Fault) Unwrap() error { return e.Err }

func fault(code string, err error) *Fault {
	return &Fault{Fault: trial.Fault{Code: code, Message: oneLine(err.Error())}, Err: err}
}

// NotRestored means that the target may differ from its originals and could
// not be brought back: nothing must be measured or applied until a person has
// looked at it.
type NotRestored struct {
	Target    string
	Originals string // the folder that holds the originals
	Undo      string // the command that tries again
	Cause     error  // what made restoring necessary; nil if it was asked for
	Err       error  // why it failed
}

func (e *NotRestored) Error() string {
	cause := ""
	if e.Cause != nil {
		cause = fmt.Sprintf(" (after: %s)", oneLine(e.Cause.Error()))
	}
	return fmt.Sprintf("target %s is NOT as it was: %s%s; mend that and run `%s` (the original files are in %s)",
		e.Target, oneLine(e.Err.Error()), cause, e.Undo, e.Originals)
}

func (e *NotRestored) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}

// Changed means that a file of the target is neither the original nor
// anything that we wrote: somebody else edited it, and it is left alone.
type Changed struct {
	Node, Path string
	SHA256     string // what is there; empty if nothing is
	Original   string // the original's hash
}

func (e *Changed) Error() string {
	if e.SHA256 == "" {
		return fmt.Sprintf("%s (%s) was removed by somebody else: put it back with --force", e.Path, e.Node)
	}
	return fmt.Sprintf("%s (%s) was changed by somebody else (sha256 %.12s, the original is %.12s): keep that change by hand, or overwrite it with --force (a copy is put aside)",
		e.Path, e.Node, e.SHA256, e.Original)
}
