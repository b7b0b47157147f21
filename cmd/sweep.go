package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hbtune/hbaseconf"
	"hbtune/sweep"
	"hbtune/sweep/apply"
)

type sweepOptions struct {
	file   string
	dir    string
	budget time.Duration
	timed  bool // budget was given
	quick  bool
	dryRun bool
	yes    bool
}

func newSweep(e *env) *cobra.Command {
	var o sweepOptions
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Sweep parameters on a real HBase and recommend values",
		Long: `Measures what parameters do on a real HBase and recommends values.

Without -f it starts an HBase on this machine and sweeps the four classic
parameters of a RegionServer. Every variant is applied by a restart, read back
from the running server, measured under a randomized load at each cache-hit
level, and compared with the baseline in randomized blocks; the winner is
measured again on fresh restarts before anything is recommended. The target's
files are saved first and put back at the end.

Exit status: 0 done (also when no gain was detectable), 1 refused, because
another hbtune works on the target or has settings in force there, 2 bad input
or something is missing on this machine, 3 the target failed or gave no
measurement, 4 interrupted and restored, 5 interrupted and NOT restored.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.timed = c.Flags().Changed("budget")
			return runSweep(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.file, "file", "f", "", "spec of the sweep (default: the built-in one)")
	f.StringVar(&o.dir, "dir", "", "folder for the sweep (default: sweep-DATE-TIME here)")
	f.DurationVar(&o.budget, "budget", 0, "time that the sweep may take, instead of the spec's")
	f.BoolVar(&o.quick, "quick", false, "fewer blocks and shorter windows: an answer within half an hour")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the plan and touch nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask before restarting the target")
	c.AddCommand(newSweepResume(e), newSweepStatus(e), newSweepRestore(e))
	return c
}

func runSweep(ctx context.Context, e *env, o sweepOptions) error {
	catalogue := hbaseconf.Builtin()
	spec, err := o.spec()
	if err != nil {
		return badInput(err)
	}
	if err := spec.Validate(sweepRules(catalogue)); err != nil {
		return badInput(o.named(err))
	}
	preview, err := sweep.NewPreview(spec, catalogue)
	if err != nil {
		return badInput(o.named(err))
	}
	for _, note := range spec.Notes() {
		fmt.Fprintln(e.Err, note)
	}
	if o.dryRun {
		if e.json {
			return e.printJSON(preview)
		}
		return preview.Write(e.Out)
	}
	if o.dir == "" {
		o.dir = time.Now().Format("sweep-20060102-150405")
	}
	if err := e.confirm(o.yes, fmt.Sprintf("This restarts the local HBase's RegionServer about %d times.", preview.Restarts)); err != nil {
		return err
	}
	_, err = sweep.Run(ctx, spec, e.sweepOptions(o.dir, spec, catalogue))
	return e.finishSweep(o.dir, spec, catalogue, err)
}

// named puts the spec's file in front of a fault in it.
func (o sweepOptions) named(err error) error {
	if o.file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", o.file, err)
}

func (o sweepOptions) spec() (sweep.Spec, error) {
	var spec sweep.Spec
	var err error
	if o.file == "" {
		spec, err = sweep.DefaultSpec(o.quick)
	} else {
		spec, err = sweep.ReadSpec(o.file, o.quick)
	}
	if o.timed {
		spec.Budget = o.budget
	}
	return spec, err
}

// confirm asks before something is done to a cluster.
func (e *env) confirm(yes bool, what string) error {
	if yes {
		return nil
	}
	in, ok := e.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return badInput(fmt.Errorf("%s Add --yes to go on without being asked", what))
	}
	fmt.Fprintf(e.Err, "%s Go on? [y/N] ", what)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return badInput(err)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return &exitError{code: exitFound}
	}
	return nil
}

func newSweepResume(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a sweep that was interrupted",
		Long: `Measures what the sweep's journal does not hold yet. Files that a killed run has
left on the target are put back first; a target that no longer runs with the
values that the sweep began with is refused.

Exit status: as of sweep; 1 also where the target is not as the sweep began.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			catalogue := hbaseconf.Builtin()
			spec, err := sweep.OpenSpec(args[0], sweepRules(catalogue))
			if err != nil {
				return sweepError(err)
			}
			_, err = sweep.Resume(c.Context(), e.sweepOptions(args[0], spec, catalogue))
			return e.finishSweep(args[0], spec, catalogue, err)
		},
	}
}

func newSweepStatus(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "Say where a sweep stands",
		Long: `Says how far a sweep is, whether hbtune works on it, whether the target has
settings of the sweep, and what to do. It asks no server; the folder is enough.

Exit status: 0 said, 2 not a sweep's folder.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := sweep.ReadStatus(args[0], sweepRules(hbaseconf.Builtin()))
			if err != nil {
				return sweepError(err)
			}
			if e.json {
				return e.printJSON(status)
			}
			return status.Write(e.Out)
		},
	}
}

func newSweepRestore(e *env) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "restore DIR",
		Short: "Put the target back as it was before the sweep",
		Long: `Puts the target's own files back, restarts what ran with others, waits
until it serves, and proves the files by their hashes. It may be run at any
time and any number of times, also after hbtune was killed.

Exit status: 0 restored, 2 not a sweep's folder, 5 NOT restored (says why).`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o := sweep.Options{Home: e.home, Dir: args[0], Rules: sweepRules(hbaseconf.Builtin()), Force: force}
			files, err := sweep.Restore(c.Context(), o)
			if err != nil {
				return restoreError(err)
			}
			if e.json {
				return e.printJSON(map[string]any{"restored": files})
			}
			if len(files) == 0 {
				fmt.Fprintln(e.Out, "Nothing to restore: the sweep never changed its target.")
			}
			for _, f := range files {
				fmt.Fprintf(e.Out, "restored %s (%s, sha256 %s)\n", f.Path, f.Node, f.After)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "also overwrite a file that somebody changed meanwhile (a copy is kept)")
	return c
}

func (e *env) sweepOptions(dir string, spec sweep.Spec, catalogue *hbaseconf.Catalogue) sweep.Options {
	return sweep.Options{
		Home: e.home, Dir: dir, Rules: sweepRules(catalogue),
		Analyst: newAnalyst(spec, catalogue), Events: newSweepProgress(e.Err),
	}
}

// finishSweep turns what a sweep left in its folder into the results, and
// prints them.
func (e *env) finishSweep(dir string, spec sweep.Spec, catalogue *hbaseconf.Catalogue, err error) error {
	if err != nil {
		return sweepError(err)
	}
	r, err := readResults(dir, newAnalyst(spec, catalogue))
	if err != nil {
		return err
	}
	if err := r.write(dir, catalogue); err != nil {
		return err
	}
	if e.json {
		err = e.printJSON(r.result)
	} else {
		err = r.print(e.Out, dir)
	}
	if err == nil && r.result.Samples == 0 {
		return targetError(fmt.Errorf("no trial gave a usable measurement%s", r.firstFault()))
	}
	return err
}

// sweepError gives a sweep's error its exit code.
func sweepError(err error) error {
	var (
		input   *sweep.InputError
		refused *sweep.Refused
		lost    *apply.NotRestored
		changed *apply.Changed
	)
	switch {
	case errors.As(err, &lost):
		return withCode(exitNotRestored, err)
	case errors.As(err, &input):
		return badInput(err)
	case errors.As(err, &refused), errors.As(err, &changed), inUse(err):
		return withCode(exitFound, err)
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, errors.New("interrupted; the target is as it was"))
	default:
		return localError(err)
	}
}

// restoreError gives the code to what keeps a target from being restored: it is
// NOT restored, for whatever reason.
func restoreError(err error) error {
	var input *sweep.InputError
	if errors.As(err, &input) {
		return badInput(err)
	}
	return withCode(exitNotRestored, err)
}

// inUse tells an error that says that a target is somebody else's for now.
func inUse(err error) bool {
	var locked *apply.Locked
	var claimed *apply.Claimed
	return errors.As(err, &locked) || errors.As(err, &claimed)
}
