package cmd

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"hbtune/hbaseconf"
	"hbtune/profiles"
	"hbtune/sweep/apply"
	"hbtune/sweep/trial"
)

func newProfileApply(e *env) *cobra.Command {
	var o profileTargetOptions
	c := &cobra.Command{
		Use:   "apply NAME|FILE|DIR",
		Short: "Put a profile on a target, verify it and print the receipt",
		Long: `Shows what would change, asks, saves the target's original files, writes the
settings, restarts the RegionServers, waits until all regions serve, and reads
the running values back. If any of this fails the originals go back. The receipt
has the ID by which ` + "`hbtune profile rollback`" + ` takes the settings off again.

Exit status: 0 in force, 1 refused, 2 bad input, 3 the target failed and is as
it was, 4 interrupted and restored, 5 NOT restored (says how).`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runProfileApply(c.Context(), e, o, args[0])
		},
	}
	o.bind(c)
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask before restarting the target")
	return c
}

// profileApplied is what `profile apply --json` prints.
type profileApplied struct {
	Plan    profiles.Diff   `json:"plan"`
	Applied *profiles.Entry `json:"applied"` // null where nothing was to be done
}

func runProfileApply(ctx context.Context, e *env, o profileTargetOptions, ref string) error {
	p, err := e.findProfile(ref)
	if err != nil {
		return err
	}
	reader, heapBytes, open, err := o.serving(ctx, e)
	if err != nil {
		return err
	}
	plan, err := profiles.Plan(ctx, p, reader, heapBytes, hbaseconf.Builtin())
	if !e.json && plan.Profile != "" {
		err = errors.Join(err, plan.Write(e.Out)) // also what is refused
	}
	if err != nil {
		return profileError(err)
	}
	if plan.Differences() == 0 {
		if e.json {
			return e.printJSON(profileApplied{Plan: plan})
		}
		return nil
	}
	if err := e.confirm(o.yes, "This restarts the RegionServers of target "+o.label()+"."); err != nil {
		return err
	}
	entry, err := profiles.OpenLedger(e.home).Apply(ctx, plan, o.label(), open)
	var printErr error
	switch {
	case entry.ID != "":
		printErr = e.printEntry(profileApplied{plan, &entry}, entry)
	case e.json: // refused before anything was written
		printErr = e.printJSON(profileApplied{Plan: plan})
	}
	if err == nil {
		err = printErr
	}
	return profileError(err)
}

// printEntry prints a receipt, or the document that holds it.
func (e *env) printEntry(document any, entry profiles.Entry) error {
	if e.json {
		return e.printJSON(document)
	}
	return entry.Write(e.Out)
}

func newProfileRollback(e *env) *cobra.Command {
	var o profileTargetOptions
	c := &cobra.Command{
		Use:   "rollback [ID]",
		Short: "Take an applied profile off its target again",
		Long: `Puts the target's files back as they were before the profile was applied,
restarts what ran with others, waits until it serves, and proves the files by
their hashes. Without an ID it takes off what was applied last. It may be run
any number of times, also after hbtune was killed.

Exit status: 0 rolled back, 2 bad input or nothing to roll back, 3 rolled back
but the target does not tell its values, 5 NOT restored (says how).`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			return runProfileRollback(c.Context(), e, o, id)
		},
	}
	o.bind(c)
	c.Flags().BoolVar(&o.force, "force", false, "also overwrite a file that somebody changed meanwhile (a copy is kept)")
	return c
}

func runProfileRollback(ctx context.Context, e *env, o profileTargetOptions, id string) error {
	ledger := profiles.OpenLedger(e.home)
	if _, err := ledger.Last(o.label(), id); err != nil {
		return profileError(err)
	}
	cluster, err := o.open(e)
	if err != nil {
		return err
	}
	entry, err := ledger.Rollback(ctx, o.label(), id, o.opener(cluster))
	switch {
	case err != nil && entry.Open():
		return withCode(exitNotRestored, err)
	case err != nil:
		return targetError(err)
	}
	return e.printEntry(entry, entry)
}

// profileError gives an error of profiles and sweep/apply its exit code.
func profileError(err error) error {
	var (
		refused *profiles.Refused
		fault   *apply.Fault
		lost    *apply.NotRestored
		nothing *profiles.NothingApplied
		covered *profiles.Covered
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lost):
		return withCode(exitNotRestored, err)
	case errors.As(err, &refused), errors.As(err, &fault) && fault.Code == trial.FaultRefused, inUse(err):
		return withCode(exitFound, err)
	case errors.As(err, &nothing), errors.As(err, &covered), errors.Is(err, os.ErrPermission):
		return badInput(err)
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, err)
	}
	return localError(err)
}
