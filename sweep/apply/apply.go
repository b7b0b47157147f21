package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Apply implements Target.
func (l *Local) Apply(ctx context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error) {
	receipt := trial.Receipt{Target: localName, ServerStart: map[string]time.Time{}}
	var observed hbaseconf.Settings
	if err := l.open(); err != nil {
		return receipt, observed, err
	}
	edits, err := l.plan(ctx, v.Settings)
	if err != nil {
		return receipt, observed, err
	}
	if err := l.keepVariant(v.ID, edits); err != nil {
		return receipt, observed, err
	}
	if err := ctx.Err(); err != nil {
		return receipt, observed, fmt.Errorf("apply %s: %w", v.ID, err)
	}
	written, err := l.write(edits)
	if err != nil {
		return receipt, observed, err
	}
	for _, e := range edits {
		receipt.Files = append(receipt.Files, trial.File{Node: e.Node, Path: e.Path, Before: e.before, After: e.after})
	}
	observed, err = l.enforce(ctx, v.Settings, written, &receipt)
	if err == nil && !slices.ContainsFunc(edits, edit.leaves) {
		err = l.settle() // the originals themselves are in force
	}
	if err == nil {
		return receipt, observed, nil
	}
	return receipt, observed, l.withdraw(ctx, v, err)
}

// enforce restarts the servers and proves that the settings are in force.
func (l *Local) enforce(ctx context.Context, settings hbaseconf.Settings, written time.Time, receipt *trial.Receipt) (hbaseconf.Settings, error) {
	if err := l.store.noteRestart(); err != nil {
		return hbaseconf.Settings{}, err
	}
	l.at("restart: begin")
	stop, start, err := l.restart(ctx, l.serverNames(), l.opt.ServeTimeout)
	receipt.StopSeconds, receipt.StartSeconds = stop.Seconds(), start.Seconds()
	if err != nil {
		return hbaseconf.Settings{}, err
	}
	for _, name := range l.serverNames() {
		began, err := l.startedAfter(ctx, name, written)
		if err != nil {
			return hbaseconf.Settings{}, err
		}
		receipt.ServerStart[name] = began
	}
	return l.readBack(ctx, settings)
}

// withdraw puts the originals back after a failed apply and returns what the
// caller is to know.
func (l *Local) withdraw(ctx context.Context, v trial.Variant, cause error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("apply %s: %w", v.ID, ctx.Err())
	}
	l.at("withdraw: begin")
	if err := l.putBack(ctx); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("apply %s: %w", v.ID, ctx.Err())
		}
		return l.notRestored(cause, err)
	}
	var f *Fault
	if errors.As(cause, &f) {
		return f
	}
	f = fault(trial.FaultStart, cause)
	f.Property = cmp.Or(blamed(v.Settings, f.Message), v.Factor)
	return f
}
