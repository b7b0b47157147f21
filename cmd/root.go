// Package cmd is the command line: one file a command, each an options
// struct, a constructor and a runner. It binds flags to the configuration
// types of the packages below (sweep, analyze, profiles), prints what they
// return and turns errors into exit codes; it decides nothing itself.
package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Version is what `hbtune --version` prints.
const Version = "0.1.0-dev"

// Stdio is where a command reads and writes.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// env is what every command is given.
type env struct {
	Stdio
	// home is HBTUNE_HOME or hbtune's folder in the user's cache folder; empty where
	// there is neither, which whoever needs it reports.
	home string
	json bool // --json: one document on Out, nothing else there
}

// Main runs hbtune and returns its exit code.
func Main(args []string, stdio Stdio) int {
	// A first Ctrl-C ends the work in order: the command restores what it
	// changed. A second one is left to the default, which kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, args, stdio)
}

func run(ctx context.Context, args []string, stdio Stdio) int {
	e := &env{Stdio: stdio}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(stdio.In)
	root.SetOut(stdio.Out)
	root.SetErr(stdio.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var quiet *exitError
	if !errors.As(err, &quiet) || quiet.err != nil {
		fmt.Fprintf(stdio.Err, "hbtune: %s\n", oneLine(err))
	}
	return exitCode(err)
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:           "hbtune",
		Short:         "Tune HBase: measure, decide, apply, verify, roll back",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			var err error
			e.home, err = homeFolder()
			return err
		},
	}
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print one JSON document on stdout and nothing else there")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return badInput(fmt.Errorf("%s (see `%s --help`)", plainFlagError(err), c.CommandPath()))
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(commands(e)...)
	usageIsBadInput(root)
	return root
}

// plainFlagError says in a person's words, not in those of Go's library, what a
// flag's value should have been.
func plainFlagError(err error) string {
	text := err.Error()
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return strings.Replace(text, ": time: ", ": ", 1)
	}
	wanted := map[string]string{
		"ParseUint": "a whole number of 0 or more", "ParseFloat": "a number", "ParseBool": "true or false",
	}[number.Func]
	if wanted == "" {
		wanted = "a whole number"
	}
	if errors.Is(number.Err, strconv.ErrRange) {
		wanted += " that is not as large"
	}
	return strings.Replace(text, number.Error(), wanted+" is wanted", 1)
}

// usageIsBadInput gives wrong arguments, which cobra reports as plain errors,
// the exit code of bad input, and names the help that has the right ones.
func usageIsBadInput(c *cobra.Command) {
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
		if c.HasSubCommands() {
			check = cobra.NoArgs
		}
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return badInput(fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
		}
		return nil
	}
	for _, sub := range c.Commands() {
		usageIsBadInput(sub)
	}
}

// homeFolder is HBTUNE_HOME, or hbtune's folder in the user's cache folder. Many
// commands need none, so that it is no fault if there is none.
func homeFolder() (string, error) {
	if home := os.Getenv("HBTUNE_HOME"); home != "" {
		abs, err := filepath.Abs(home)
		if err != nil {
			return "", badInput(fmt.Errorf("HBTUNE_HOME: %w", err))
		}
		return abs, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil
	}
	return filepath.Join(cache, "hbtune"), nil
}

// printJSON writes the one document of --json.
func (e *env) printJSON(v any) error {
	enc := json.NewEncoder(e.Out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}
