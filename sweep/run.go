package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// Options are what Run, Resume and Restore need besides the spec.
type Options struct {
	Home      string // HBTUNE_HOME
	Dir       string // the sweep's folder
	Catalogue *hbaseconf.Catalogue
	Analyst   Analyst
	Events    Events
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
	if err := spec.Validate(o.Catalogue); err != nil {
		return Outcome{}, inputError(err)
	}
	if err := create(o.Dir, spec); err != nil {
		return Outcome{}, err
	}
	return run(ctx, spec, o)
}

// Resume goes on with the sweep in o.Dir: what its journal holds is not
// measured again.
func Resume(ctx context.Context, o Options) (Outcome, error) {
	spec, err := OpenSpec(o.Dir, o.Catalogue)
	if err != nil {
		return Outcome{}, err
	}
	return run(ctx, spec, o)
}

func run(ctx context.Context, spec Spec, o Options) (out Outcome, err error) {
	began := time.Now()
	r, err := openRig(ctx, spec, o)
	if err != nil {
		return Outcome{}, err
	}
	defer r.close()
	// From here on the target may have been changed, by us or by the sweep that
	// is resumed: it is restored whatever happens, also after Ctrl-C.
	var j *journal.Journal
	defer func() {
		restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreCap)
		defer cancel()
		o.Events.Stage("put the target's own files back")
		err = errors.Join(err, r.target.Restore(restore))
		if j != nil {
			err = errors.Join(err, finish(j, err), j.Close())
		}
	}()
	var content *journal.Content
	j, content, err = journal.Open(o.Dir)
	if errors.Is(err, os.ErrNotExist) {
		j, content, err = r.start(ctx, time.Now())
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

// finish writes the sweep's last word.
func finish(j *journal.Journal, err error) error {
	last := journal.Event{Time: time.Now().UTC(), Code: doneEvent, Message: "all was measured; the target is as it was"}
	var lost *apply.NotRestored
	switch {
	case errors.As(err, &lost):
		last.Code, last.Message = "not-restored", err.Error()
	case errors.Is(err, context.Canceled):
		last.Code, last.Message = "interrupted", "interrupted; the target is as it was"
	case err != nil:
		last.Code, last.Message = "failed", err.Error()
	}
	return j.AppendEvent(last)
}

// Restore puts the target of the sweep in o.Dir back as it was and returns
// the files that it vouches for.
func Restore(ctx context.Context, o Options) ([]trial.File, error) {
	spec, err := OpenSpec(o.Dir, o.Catalogue)
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
