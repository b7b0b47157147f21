package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// Options are what Run, Resume and Restore need besides the spec.
type Options struct {
	Home string // HBTUNE_HOME
	Dir  string // the sweep's folder
	Rules
	Analyst Analyst
	Events  Events
	// Force lets Restore overwrite files that somebody else changed.
	Force bool
}

// Events hears how a sweep goes on.
type Events interface {
	Stage(message string)
	Session(Progress)
}

// restoreCap bounds the restore after an interruption, a hanging server
// included.
const restoreCap = 10 * time.Minute

// Run runs a new sweep in o.Dir. When it returns, the target is as it was,
// whatever the error, unless that is an *apply.NotRestored.
func Run(ctx context.Context, spec Spec, o Options) (Outcome, error) {
	if err := errors.Join(spec.Validate(o.Rules), spec.checkBudget()); err != nil {
		return Outcome{}, inputError(err)
	}
	unmake, err := create(o.Dir, spec)
	if err != nil {
		return Outcome{}, err
	}
	return run(ctx, spec, o, unmake)
}

// Resume goes on with the sweep in o.Dir: what its journal holds is not
// measured again.
func Resume(ctx context.Context, o Options) (Outcome, error) {
	spec, err := OpenSpec(o.Dir, o.Rules)
	if err != nil {
		return Outcome{}, err
	}
	return run(ctx, spec, o, func() {})
}

// run does what is left of the sweep in o.Dir. Where the target can't be had,
// it is as if the sweep had not been asked for: unmake takes its folder away.
func run(ctx context.Context, spec Spec, o Options, unmake func()) (out Outcome, err error) {
	began := time.Now()
	lock, err := lockFolder(o.Dir)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := undoKilled(ctx, o); err != nil {
		return Outcome{}, err
	}
	r, err := openRig(ctx, spec, o)
	if err != nil {
		unmake()
		return Outcome{}, err
	}
	defer r.close()
	// From here on the target may have been changed, by us or by the sweep that
	// is resumed: it is restored whatever happens, also after Ctrl-C.
	var j *journal.Journal
	var refused *Refused
	defer func() {
		if !errors.As(err, &refused) && !r.gaveUp {
			err = errors.Join(err, r.putBack(ctx))
		}
		if j != nil {
			err = errors.Join(err, j.AppendEvent(lastWord(out, err)), j.Close())
		}
	}()
	var content *journal.Content
	j, content, err = journal.Open(o.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		j, content, err = r.start(ctx, time.Now())
	case err == nil:
		err = r.goOn(ctx, j, content.Sweep)
	}
	if err != nil {
		return Outcome{}, err
	}
	r.sides = &sides{
		servers: r.target, clients: r.clients, catalogue: o.Catalogue, baseline: content.Sweep.Baseline,
		clientsOnly: len(spec.observedOf(o.Catalogue, false)) == 0,
	}
	engine := &Engine{
		Sweep: content.Sweep, Design: spec.Design, Budget: spec.Budget,
		Target: r.sides, Load: r, Analyst: o.Analyst, Journal: j, Records: content.Records,
		Progress: o.Events.Session, Now: time.Now, Began: began,
	}
	return engine.Run(ctx)
}

// undoKilled puts back what a killed run has left on the target: with it, HBase
// might not even start.
func undoKilled(ctx context.Context, o Options) error {
	remains, err := apply.LookInto(o.Dir)
	if err != nil || !remains.Changed {
		return err
	}
	o.Events.Stage("put back what a run that was killed has left on the target")
	_, err = Restore(ctx, o)
	return err
}

// putBack restores the target, whatever has ended the sweep.
func (r *rig) putBack(ctx context.Context) error {
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreCap)
	defer cancel()
	r.options.Events.Stage("put the target's own files back")
	return r.target.Restore(restore)
}

// lastWord is what the journal is to say of how the sweep ended.
func lastWord(out Outcome, err error) journal.Event {
	last := journal.Event{Time: time.Now().UTC()}
	var lost *apply.NotRestored
	var refused *Refused
	switch {
	case errors.As(err, &lost):
		last.Code, last.Message = notRestoredEvent, err.Error()
	case errors.As(err, &refused):
		last.Code, last.Message = refusedEvent, err.Error()
	case errors.Is(err, context.Canceled):
		last.Code, last.Message = interruptedEvent, "interrupted; the target is as it was"
	case err != nil:
		last.Code, last.Message = failedEvent, err.Error()
	default:
		last.Code, last.Message = doneEvent, out.String()+"; the target is as it was"
	}
	return last
}

// Restore puts the target of the sweep in o.Dir back as it was and returns
// the files that it vouches for.
func Restore(ctx context.Context, o Options) ([]trial.File, error) {
	spec, err := OpenSpec(o.Dir, o.Rules)
	if err != nil {
		return nil, err
	}
	cluster, err := local.Open(o.Home)
	if errors.Is(err, local.ErrNoCluster) {
		if _, stat := os.Stat(filepath.Join(o.Dir, "original")); errors.Is(stat, os.ErrNotExist) {
			return nil, nil // the sweep never came so far as to have a target
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find the local HBase: %w", err)
	}
	target, err := newTarget(cluster, spec, o)
	if err != nil {
		return nil, err
	}
	defer target.Close()
	if err := target.Restore(ctx); err != nil {
		return nil, err
	}
	return target.Files()
}
