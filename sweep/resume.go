package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// resumable is a target with which a sweep may be gone on.
type resumable interface {
	Restore(ctx context.Context) error
	Effective(ctx context.Context, names []string) (hbaseconf.Settings, error)
}

// goOn readies target and tables for the rest of a sweep.
func (r *rig) goOn(ctx context.Context, j *journal.Journal, s trial.Sweep) error {
	if err := sameTarget(ctx, r.target, s, r.options.Dir); err != nil {
		var lost *apply.NotRestored
		r.gaveUp = errors.As(err, &lost)
		return err
	}
	if err := r.fill(ctx); err != nil {
		return err
	}
	return j.AppendEvent(journal.Event{Time: time.Now().UTC(), Code: resumedEvent, Message: "gone on with"})
}

// sameTarget makes sure that what is still to be measured can be compared with
// what was: the target's own files come back, if a killed run has left others,
// and then it has to run with the values that the sweep began with.
func sameTarget(ctx context.Context, target resumable, s trial.Sweep, dir string) error {
	err := target.Restore(ctx)
	var changed *apply.Changed
	var lost *apply.NotRestored
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // run restores, and tells how that went
	case errors.As(err, &changed) && !errors.As(err, &lost):
		return &Refused{fmt.Errorf("%s was changed since the sweep began: put it back with `hbtune sweep restore --force %s` (a copy is kept) and resume, or begin a new sweep", changed.Path, dir)}
	case err != nil:
		return err
	}
	now, err := target.Effective(ctx, s.Baseline.Names())
	if err != nil {
		return fmt.Errorf("read the baseline from the running servers: %w", err)
	}
	var differ []error
	for name, was := range s.Baseline.All() {
		if is, _ := now.Get(name); !sameValue(was, is) {
			differ = append(differ, fmt.Errorf("%s is %s and was %s when the sweep began", name, shown(is), shown(was)))
		}
	}
	if err := errors.Join(differ...); err != nil {
		return &Refused{fmt.Errorf("the target is not the one that was measured: %w: put that back and resume, or begin a new sweep with another --dir", err)}
	}
	return nil
}

// shown is a value for people.
func shown(v hbaseconf.Value) string {
	if v == "" {
		return "unset"
	}
	return string(v)
}
