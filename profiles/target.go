package profiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/trial"
)

// Running is a target whose running values can be read.
type Running interface {
	Name() string
	Effective(ctx context.Context, names []string) (hbaseconf.Settings, error)
}

// serverSide makes a side of what a target's RegionServers run with.
func serverSide(ctx context.Context, p Profile, target Running, catalogue *hbaseconf.Catalogue) (Side, error) {
	reads := func(p hbaseconf.Property) (bool, string) {
		switch {
		case !p.InSite():
			return false, "not a property of hbase-site.xml; `hbtune profile export` writes it"
		case p.In(hbaseconf.RegionServer):
			return true, ""
		case p.In(hbaseconf.Client):
			return false, "read by clients, not by RegionServers; `hbtune profile export` writes it for them"
		}
		return false, "not read by RegionServers; `hbtune profile export` writes it"
	}
	var names []string
	for _, name := range p.Settings.Names() {
		if property, _ := catalogue.Lookup(name); property.InSite() && property.In(hbaseconf.RegionServer) {
			names = append(names, name)
		}
	}
	side := Side{Name: "target " + target.Name(), Reads: reads}
	if len(names) == 0 {
		return side, nil
	}
	var err error
	side.Values, err = target.Effective(ctx, names)
	return side, err
}

// CompareRunning sets a profile beside what a target's servers run with.
func CompareRunning(ctx context.Context, p Profile, target Running, catalogue *hbaseconf.Catalogue) (Diff, error) {
	side, err := serverSide(ctx, p, target, catalogue)
	if err != nil {
		return Diff{}, fmt.Errorf("compare profile %s: %w", p.Name, err)
	}
	return Compare(p, side, catalogue), nil
}

// Refused says that a profile can't work on a target.
type Refused struct {
	Profile, Target string
	Err             error
}

func (e *Refused) Error() string {
	return fmt.Sprintf("profile %s is refused for target %s: %v", e.Profile, e.Target, e.Err)
}

func (e *Refused) Unwrap() error { return e.Err }

// Plan compares a profile with a running target and refuses what HBase would
// refuse to start with on the target's heap.
func Plan(ctx context.Context, p Profile, target Running, heapBytes int64, catalogue *hbaseconf.Catalogue) (Diff, error) {
	d, err := CompareRunning(ctx, p, target, catalogue)
	if err != nil {
		return d, err
	}
	if len(d.Changes) == 0 && p.Settings.Len() > 0 {
		return d, &Refused{Profile: p.Name, Target: target.Name(), Err: errors.New("its RegionServers read none of its settings; `hbtune profile export` writes them for those who do")}
	}
	if d.Differences() == 0 {
		return d, nil
	}
	// What the target has besides counts too: shares of the heap add up.
	now, err := target.Effective(ctx, serverProperties(catalogue))
	if err != nil {
		return d, fmt.Errorf("check profile %s against the target: %w", p.Name, err)
	}
	now = set(now)
	if hbaseconf.Feasible(now, heapBytes) != nil {
		return d, nil // it runs all the same: sweep/apply weighs what the profile adds
	}
	if err := hbaseconf.Feasible(now.Merge(d.Wanted()), heapBytes); err != nil {
		return d, &Refused{Profile: p.Name, Target: target.Name(), Err: err}
	}
	return d, nil
}

// serverProperties lists what RegionServers read from their site file.
func serverProperties(catalogue *hbaseconf.Catalogue) []string {
	var names []string
	for _, property := range catalogue.All() {
		if property.InSite() && property.In(hbaseconf.RegionServer) {
			names = append(names, property.Name)
		}
	}
	return names
}

// set leaves out the properties that have neither a value nor a default.
func set(all hbaseconf.Settings) hbaseconf.Settings {
	var settings hbaseconf.Settings
	for name, value := range all.All() {
		if value != "" {
			settings = settings.With(hbaseconf.Setting{Name: name, Value: value})
		}
	}
	return settings
}

// Target is where profiles are put.
type Target interface {
	apply.Target
	// Files lists the files with the hashes of their originals and of what is
	// there now.
	Files() ([]trial.File, error)
}

// Opener returns a target that keeps its originals in dir and names undo as
// the command that puts them back.
type Opener func(dir, undo string) (Target, error)

// restoreTimeout bounds putting the originals back after an interruption: it
// must not be cut short by what interrupted the apply, nor last for ever.
const restoreTimeout = 10 * time.Minute

// Apply puts what a plan wants on the target for good, after a proof that it is
// in force. The entry tells what became of it, also beside an error: State is
// Failed where the target is as it was, and Applying where it may not be. What
// was refused before anything was written is no application: the entry is zero,
// and nothing is kept of it.
func (l *Ledger) Apply(ctx context.Context, plan Diff, targetName string, open Opener) (Entry, error) {
	var before hbaseconf.Settings
	for _, c := range plan.Changes {
		before = before.With(hbaseconf.Setting{Name: c.Property, Value: c.Have})
	}
	e, err := l.begin(plan.Profile, targetName, plan.Wanted(), before)
	if err != nil {
		return e, err
	}
	target, err := open(l.Dir(e.ID), e.Undo())
	if err != nil {
		return l.forget(e, err)
	}
	defer target.Close()
	receipt, observed, err := target.Apply(ctx, trial.Variant{ID: plan.Profile, Settings: e.Settings})
	if err != nil {
		return l.withdraw(ctx, e, target, err, interrupted(err))
	}
	if err := target.Keep(); err != nil {
		return l.withdraw(ctx, e, target, err, true)
	}
	e.State, e.Ended, e.Receipt, e.Observed = InForce, l.now(), &receipt, observed
	return e, l.write(e)
}

// interrupted tells an apply that was cut short, after which the target is to
// be restored, from one that failed and has put everything back itself.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// withdraw makes sure that after a failed apply the target is as it was.
func (l *Ledger) withdraw(ctx context.Context, e Entry, target Target, cause error, restore bool) (Entry, error) {
	var fault *apply.Fault
	var lost *apply.NotRestored
	switch {
	case errors.As(cause, &lost):
		return e, cause // stays Applying: only a rollback leads out
	case refused(cause):
		return l.forget(e, cause)
	case errors.As(cause, &fault):
		e.Fault = &fault.Fault
	case restore:
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTimeout)
		defer cancel()
		if err := target.Restore(within); err != nil {
			return e, errors.Join(cause, err)
		}
		cause = fmt.Errorf("%w: the target is as it was", cause)
	}
	return l.failed(e, cause)
}

// refused tells an apply that was turned away from one that failed.
func refused(err error) bool {
	var fault *apply.Fault
	var locked *apply.Locked
	var claimed *apply.Claimed
	return errors.As(err, &locked) || errors.As(err, &claimed) ||
		errors.As(err, &fault) && fault.Code == trial.FaultRefused
}

// forget takes back what begin has noted, nothing having been written since.
func (l *Ledger) forget(e Entry, cause error) (Entry, error) {
	if err := os.RemoveAll(l.Dir(e.ID)); err != nil {
		return l.failed(e, errors.Join(cause, err))
	}
	_ = os.Remove(l.dir) // if it was made for this
	return Entry{}, cause
}

func (l *Ledger) failed(e Entry, cause error) (Entry, error) {
	e.State, e.Ended = Failed, l.now()
	if e.Fault == nil {
		code := trial.FaultRefused
		if interrupted(cause) {
			code = trial.FaultInterrupted
		}
		e.Fault = &trial.Fault{Code: code, Message: cause.Error()}
	}
	return e, errors.Join(cause, l.write(e))
}

// Rollback takes an application off its target again; of one that is no longer
// in force it only returns the entry. An empty id means the last one.
func (l *Ledger) Rollback(ctx context.Context, targetName, id string, open Opener) (Entry, error) {
	e, err := l.Last(targetName, id)
	if err != nil || !e.Open() {
		return e, err
	}
	target, err := open(l.Dir(e.ID), e.Undo())
	if err != nil {
		return e, err
	}
	defer target.Close()
	if err := target.Restore(ctx); err != nil {
		return e, fmt.Errorf("roll back %s: %w", e.ID, err)
	}
	e.State, e.RolledBack = RolledBack, l.now()
	if e.Restored, err = target.Files(); err != nil {
		return e, errors.Join(err, l.write(e))
	}
	if e.Settings.Len() > 0 {
		if e.Observed, err = target.Effective(ctx, e.Settings.Names()); err != nil {
			return e, errors.Join(fmt.Errorf("read the values after the rollback: %w", err), l.write(e))
		}
	}
	return e, l.write(e)
}
