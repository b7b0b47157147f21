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

Exit status: 0 done (also when no gain was detectable), 2 bad input, 3 the
target failed, 4 interrupted and restored, 5 interrupted and NOT restored.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runSweep(c.Context(), e, o) },
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
		if o.file != "" {
			err = fmt.Errorf("%s: %w", o.file, err)
		}
		return badInput(err)
	}
	preview, err := sweep.NewPreview(spec, catalogue)
	if err != nil {
		return badInput(err)
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

func (o sweepOptions) spec() (sweep.Spec, error) {
	var spec sweep.Spec
	var err error
	if o.file == "" {
		spec, err = sweep.DefaultSpec(o.quick)
	} else {
		spec, err = sweep.ReadSpec(o.file, o.quick)
	}
	if o.budget != 0 {
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
		Args:  cobra.ExactArgs(1),
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
		Args:  cobra.ExactArgs(1),
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
				return sweepError(err)
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
		return e.printJSON(r.result)
	}
	return r.print(e.Out, dir)
}

// sweepError gives a sweep's error its exit code.
func sweepError(err error) error {
	var input *sweep.InputError
	var lost *apply.NotRestored
	switch {
	case errors.As(err, &lost):
		return withCode(exitNotRestored, err)
	case errors.As(err, &input):
		return badInput(err)
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, errors.New("interrupted; the target is as it was"))
	default:
		return targetError(err)
	}
}
