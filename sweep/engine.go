// Package sweep runs a sweep: it reads what is asked (Spec), plans the trials
// (randomized blocks with baseline sentinels, then a confirmation of the
// winner), and drives each through a Target, which puts a variant on the
// cluster, and a Load, which measures it. Every session's records go to the
// journal before the next begins, so a sweep goes on after any interruption,
// and the target's own files always come back.
//
// The neighbours: sweep/apply is the Target, sweep/load the Load, sweep/journal
// the memory, sweep/trial the vocabulary. What the numbers mean is decided in
// analyze, which this package does not know; cmd fills the Analyst.
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

// Target is the cluster under test.
type Target interface {
	// Apply puts a variant on the target on top of its original files, restarts
	// it and reads the running values back. An *apply.Fault is a result of the
	// trial: the original is back and serving.
	Apply(ctx context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error)
}

// Load measures what the target does under a workload.
type Load interface {
	// Begin readies the tables for a session on a freshly started server.
	Begin(ctx context.Context) error
	// Measure drives one trial; warm says that the server has run a load since
	// its start.
	Measure(ctx context.Context, t trial.Trial, warm bool) (*trial.Measurement, error)
}

// Analyst chooses, from what was explored, the variant to confirm. ok is
// false where nothing is worth a confirmation; reason says why.
type Analyst interface {
	Winner(s trial.Sweep, records []trial.Record) (winner trial.Variant, reason string, ok bool)
}

// Engine runs one sweep.
type Engine struct {
	Sweep   trial.Sweep
	Design  DesignSpec
	Budget  time.Duration
	Target  Target
	Load    Load
	Analyst Analyst
	Journal *journal.Journal
	// Records are those that the journal holds already.
	Records []trial.Record
	// Progress is told before each session and after the last.
	Progress func(Progress)
	Now      func() time.Time
	// Began is when the budget began to run.
	Began time.Time

	planned int             // sessions in all
	spent   []time.Duration // per session of this run
}

// Outcome says how a sweep ended.
type Outcome struct {
	Records     []trial.Record
	Winner      *trial.Variant
	BudgetSpent bool
}

// String says how much was measured.
func (o Outcome) String() string {
	failed := 0
	for _, r := range o.Records {
		if r.Fault != nil {
			failed++
		}
	}
	text := fmt.Sprintf("%d of %d trials measured", len(o.Records)-failed, len(o.Records))
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if o.BudgetSpent {
		text += ", the rest of the plan left out for want of time"
	}
	return text
}

// Run measures everything that the journal does not hold yet. It does not
// restore: the caller does, also after an error.
func (e *Engine) Run(ctx context.Context) (Outcome, error) {
	explore := plan(e.Sweep, e.Design)
	if comparesNothing(explore) {
		return Outcome{}, &Refused{errors.New("parameters: every value is what the target has already, so there is nothing to compare: give other values")}
	}
	e.planned = len(explore) + 2*e.Sweep.Confirm
	// Without time for it no gain could be confirmed, so the confirmation's
	// time is set aside before the exploration may spend it.
	cut, err := e.sessions(ctx, explore, 2*e.Sweep.Confirm)
	if err != nil {
		return e.outcome(nil, cut), err
	}
	if e.Sweep.Confirm == 0 {
		return e.outcome(nil, cut), nil
	}
	winner, reason, ok := e.Analyst.Winner(e.Sweep, explored(e.Records))
	if !ok {
		return e.outcome(nil, cut), e.event("nothing-to-confirm", reason)
	}
	if err := e.event("candidate", fmt.Sprintf("%s: %s", winner.Settings, reason)); err != nil {
		return e.outcome(nil, cut), err
	}
	confirm := confirmation(e.Sweep, winner, len(explore))
	cutConfirm, err := e.sessions(ctx, confirm, 0)
	return e.outcome(&winner, cut || cutConfirm), err
}

func (e *Engine) outcome(winner *trial.Variant, cut bool) Outcome {
	return Outcome{Records: e.Records, Winner: winner, BudgetSpent: cut}
}

// sessions runs those that are not recorded yet, as far as the budget goes;
// reserve is the number of sessions whose time must be left.
func (e *Engine) sessions(ctx context.Context, list []Session, reserve int) (cut bool, err error) {
	done := recorded(e.Records)
	for i, s := range list {
		if done[s.ID] {
			continue
		}
		if !e.affords(1 + reserve) {
			message := fmt.Sprintf("%v are spent: %d sessions of %s left out", e.Budget, len(list)-i, s.Phase)
			return true, e.event("budget-spent", message)
		}
		e.report(s)
		if err := e.session(ctx, s); err != nil {
			return false, err
		}
	}
	return false, nil
}

// session applies one variant, measures its trials and records them together:
// a session that is cut short leaves nothing, and is done again as a whole.
func (e *Engine) session(ctx context.Context, s Session) error {
	start := e.Now()
	receipt, observed, err := e.Target.Apply(ctx, s.Variant)
	var records []trial.Record
	switch fault := (*apply.Fault)(nil); {
	case errors.As(err, &fault):
		for _, t := range s.Trials {
			records = append(records, trial.Record{Trial: t, Start: start, End: e.Now(), Fault: &fault.Fault})
		}
	case err != nil:
		return fmt.Errorf("session %s: apply %s: %w", s.ID, s.Variant.ID, err)
	default:
		if records, err = e.measure(ctx, s, receipt, observed); err != nil {
			return fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	for _, r := range records {
		if err := e.Journal.AppendRecord(r); err != nil {
			return err
		}
		e.Records = append(e.Records, r)
	}
	e.spent = append(e.spent, e.Now().Sub(start))
	return nil
}

// measure runs the session's trials. A load that fails is the trial's fault
// and not the sweep's; only an interruption ends it.
func (e *Engine) measure(ctx context.Context, s Session, receipt trial.Receipt, observed hbaseconf.Settings) ([]trial.Record, error) {
	var records []trial.Record
	broken := e.Load.Begin(ctx)
	for i, t := range s.Trials {
		record := trial.Record{Trial: t, Start: e.Now(), Receipt: &receipt, Observed: observed}
		err := broken
		if err == nil {
			record.Measurement, err = e.Load.Measure(ctx, t, i > 0)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			record.Measurement = nil
			record.Fault = &trial.Fault{Code: trial.FaultLoad, Message: err.Error()}
		}
		record.End = e.Now()
		records = append(records, record)
	}
	return records, nil
}

func (e *Engine) event(code, message string) error {
	return e.Journal.AppendEvent(journal.Event{Time: e.Now().UTC(), Code: code, Message: message})
}

// recorded tells which sessions the journal holds.
func recorded(records []trial.Record) map[string]bool {
	done := map[string]bool{}
	for _, r := range records {
		done[r.Session] = true
	}
	return done
}

func explored(records []trial.Record) []trial.Record {
	var list []trial.Record
	for _, r := range records {
		if r.Phase == trial.Explore {
			list = append(list, r)
		}
	}
	return list
}
