package sweep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// Status is where a sweep stands by its folder.
type Status struct {
	Sweep    string `json:"sweep"`
	Phase    string `json:"phase"` // not begun, explore, confirm, done, or journal lost
	Sessions int    `json:"sessions"`
	Planned  int    `json:"planned"`
	Trials   int    `json:"trials"`
	Failed   int    `json:"failed"`
	// LeftSeconds is the time the sessions that are left will take.
	LeftSeconds float64 `json:"left_seconds"`
	LastEvent   string  `json:"last_event,omitempty"`
	// Running says that an hbtune works on the sweep, as process PID.
	Running bool `json:"running"`
	PID     int  `json:"pid,omitempty"`
	// Ended is how the last run of a sweep that is neither done nor Running ended:
	// killed, interrupted, failed or not-restored; empty where there was none.
	Ended string `json:"ended,omitempty"`
	// TargetChanged says that the target may have settings of the sweep, those of
	// Variant where that shows.
	TargetChanged bool   `json:"target_changed"`
	Variant       string `json:"variant,omitempty"`
	// Next is what to do.
	Next string `json:"next,omitempty"`
}

// Phases of a Status that are none of the sweep's own.
const (
	notBegun    = "not begun"
	done        = "done"
	journalLost = "journal lost"
)

// killed is how a run ended that could not say so itself.
const killed = "killed"

// ReadStatus says where the sweep in dir stands. It asks no server.
func ReadStatus(dir string, rules Rules) (Status, error) {
	spec, err := OpenSpec(dir, rules)
	if err != nil {
		return Status{}, err
	}
	remains, err := apply.LookInto(dir)
	if err != nil {
		return Status{}, inputError(err)
	}
	by, running, err := apply.LookLock(filepath.Join(dir, lockName))
	if err != nil {
		return Status{}, inputError(err)
	}
	var status Status
	switch content, err := journal.Read(dir); {
	case errors.Is(err, os.ErrNotExist) && (remains.Saved || remains.Changed):
		status.Phase = journalLost // originals are saved after the journal was begun
	case errors.Is(err, os.ErrNotExist):
		status.Phase = notBegun
	case err != nil && remains.Changed:
		return Status{}, inputError(fmt.Errorf("%w; the target still has settings of the sweep: `hbtune sweep restore %s` puts it back", err, dir))
	case err != nil:
		return Status{}, inputError(err)
	default:
		last, ended := lastEvents(content.Events)
		status = StatusOf(content.Sweep, spec.Design, content.Records, ended == doneEvent)
		status.LastEvent = last
		if status.Phase != done && !running {
			status.Ended = ended
		}
	}
	status.Running, status.TargetChanged, status.Variant = running, remains.Changed, remains.Variant
	if running {
		status.PID = by.PID
	}
	status.Next = status.next(dir)
	return status, nil
}

// lastEvents returns the last event as text and how the last run ended.
func lastEvents(events []journal.Event) (last, ended string) {
	ended = killed
	for _, e := range events {
		last = e.Time.Format(time.RFC3339) + " " + e.Message
		switch e.Code {
		case doneEvent, interruptedEvent, failedEvent, notRestoredEvent:
			ended = e.Code
		case refusedEvent: // which did nothing
		default:
			ended = killed // unless it goes on
		}
	}
	return last, ended
}

// next is what to do about the state of a sweep.
func (s Status) next(dir string) string {
	restore := fmt.Sprintf("`hbtune sweep restore %s` puts the target back", dir)
	switch {
	case s.Running:
		return ""
	case s.Phase == journalLost && s.TargetChanged:
		return restore + "; then begin anew, with another --dir"
	case s.Phase == journalLost:
		return "begin anew, with another --dir: what was measured is lost, and the target is as it was"
	case s.Phase == done && s.TargetChanged:
		return restore
	case s.Phase == done:
		return ""
	case s.TargetChanged:
		return fmt.Sprintf("%s, `hbtune sweep resume %s` does so and goes on", restore, dir)
	case s.Phase == notBegun:
		return fmt.Sprintf("`hbtune sweep resume %s` begins it", dir)
	}
	return fmt.Sprintf("`hbtune sweep resume %s` goes on", dir)
}

// StatusOf reads the state of a sweep out of its records; finished says that it
// came to its end.
func StatusOf(s trial.Sweep, design DesignSpec, records []trial.Record, finished bool) Status {
	explore := plan(s, design)
	status := Status{Sweep: s.ID, Phase: string(trial.Explore), Planned: len(explore) + 2*s.Confirm, Trials: len(records)}
	var first, last time.Time
	for _, r := range records {
		if r.Fault != nil {
			status.Failed++
		}
		if r.Phase == trial.Confirm {
			status.Phase = string(trial.Confirm)
		}
		if first.IsZero() || r.Start.Before(first) {
			first = r.Start
		}
		if r.End.After(last) {
			last = r.End
		}
	}
	status.Sessions = len(recorded(records))
	if finished {
		status.Phase, status.Planned = done, status.Sessions
	}
	if status.Sessions > 0 {
		each := last.Sub(first).Seconds() / float64(status.Sessions)
		status.LeftSeconds = each * float64(status.Planned-status.Sessions)
	}
	return status
}

// Write prints the status for a person.
func (s Status) Write(w io.Writer) error {
	var err error
	line := func(name, format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-9s "+format+"\n", append([]any{name}, args...)...)
		}
	}
	if s.Sweep != "" {
		line("sweep", "%s", s.Sweep)
	}
	line("phase", "%s", s.Phase)
	if s.Sweep != "" {
		line("restarts", "%d of %d", s.Sessions, s.Planned)
		line("trials", "%d, %d failed", s.Trials, s.Failed)
	}
	if s.LeftSeconds > 0 {
		line("left", "about %v", time.Duration(s.LeftSeconds*float64(time.Second)).Round(time.Second))
	}
	if s.LastEvent != "" {
		line("last", "%s", s.LastEvent)
	}
	switch {
	case s.Running && s.PID > 0:
		line("hbtune", "works on it (process %d)", s.PID)
	case s.Running:
		line("hbtune", "works on it")
	case s.Ended == killed:
		line("hbtune", "does not run: it was killed")
	case s.Ended != "":
		line("hbtune", "does not run: %s", s.Ended)
	}
	switch {
	case s.TargetChanged && s.Variant != "":
		line("target", "changed: the settings of variant %s are on it", s.Variant)
	case s.TargetChanged:
		line("target", "changed: settings of the sweep may be on it")
	default:
		line("target", "as it was")
	}
	if s.Next != "" {
		line("next", "%s", s.Next)
	}
	return err
}
