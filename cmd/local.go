package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hbtune/sweep/apply"
	"hbtune/sweep/local"
)

// localOptions are the flags that say which cluster, and how it is to be made.
type localOptions struct {
	config  local.Config
	heap    string
	timeout time.Duration
	purge   bool
	test    bool
	lines   int
	follow  bool
}

func newLocal(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "local",
		Short: "Run a real HBase on this machine",
		Long: `Runs a real HBase on this machine: ZooKeeper, a Master and RegionServers, each
a process of its own, all of them reachable from this machine only. The jars
come from Maven Central; everything lies under HBTUNE_HOME.

What a sweep or a profile works on is not stopped: down refuses and says who
works there.

Exit status: 0 done, 1 it does not serve (status) or is in use (down), 2 bad
input or something is missing on this machine, 3 HBase failed, 4 interrupted.`,
	}
	c.AddCommand(newLocalInstall(e), newLocalUp(e), newLocalDown(e), newLocalStatus(e), newLocalLogs(e))
	return c
}

func (o *localOptions) bindName(c *cobra.Command) {
	c.Flags().StringVar(&o.config.Name, "name", local.DefaultName, "which cluster, if there are several")
}

func (o *localOptions) bindVersion(c *cobra.Command) {
	c.Flags().StringVar(&o.config.Version, "version", "", "HBase version (default "+local.DefaultVersion+"; also known to run: 2.5.13-hadoop3, 2.4.18, 3.0.0-alpha-4, 1.7.2)")
}

func newLocalInstall(e *env) *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "install",
		Short: "Fetch an HBase by Maven, unless it is there",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.config.Home = e.home
			if err := local.Install(c.Context(), o.config, e.Err); err != nil {
				return localError(err)
			}
			if e.json {
				return e.printJSON(map[string]any{"installed": true})
			}
			fmt.Fprintln(e.Out, "HBase is installed")
			return nil
		},
	}
	o.bindVersion(c)
	return c
}

func newLocalUp(e *env) *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "up",
		Short: "Start the local HBase and wait until it serves",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("regionservers") && o.config.RegionServers == 0 {
				return badInput(errors.New("--regionservers 0: ask for 1 to 16"))
			}
			return runLocalUp(c.Context(), e, o)
		},
	}
	o.bindName(c)
	o.bindVersion(c)
	f := c.Flags()
	f.IntVar(&o.config.RegionServers, "regionservers", 0, fmt.Sprintf("how many RegionServers (default %d)", local.DefaultRegionServers))
	f.StringVar(&o.heap, "heap", "", fmt.Sprintf("heap of each RegionServer, such as 1g (default %dm)", local.DefaultHeapMB))
	f.StringVar(&o.config.Storage, "storage", "", "file or hdfs: where HBase keeps its data (default file)")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "give up if it does not serve by then, installation included")
	return c
}

func runLocalUp(ctx context.Context, e *env, o localOptions) error {
	o.config.Home = e.home
	if o.timeout <= 0 {
		return badInput(fmt.Errorf("--timeout %v: give a time such as 10m", o.timeout))
	}
	if o.heap != "" {
		mb, err := parseHeapMB(o.heap)
		if err != nil {
			return badInput(err)
		}
		o.config.HeapMB = mb
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	cluster, err := local.Up(ctx, o.config, e.Err)
	if err != nil {
		var failed *local.StartError
		if errors.As(err, &failed) {
			for _, line := range failed.Tail {
				fmt.Fprintln(e.Err, line)
			}
		}
		return localError(o.withWayOut(err))
	}
	o.noteStanding(e)
	err = e.printLocalStatus(ctx, cluster)
	var found *exitError
	if errors.As(err, &found) && found.code == exitFound {
		return targetError(errors.New("it served, and does no longer: `hbtune local logs` tells why, `hbtune local up` starts it again"))
	}
	return err
}

// standing says who works on the cluster and whose settings it has.
func (o *localOptions) standing() (apply.Standing, error) {
	dir, err := o.config.Folder()
	if err != nil {
		return apply.Standing{}, err
	}
	return apply.Look(dir)
}

// withWayOut adds to a cluster's failure whose settings it was to start with,
// where these are not its own.
func (o *localOptions) withWayOut(err error) error {
	if s, lookErr := o.standing(); lookErr == nil && s.Claimed != nil && s.Working == nil {
		return fmt.Errorf("%w; %s", err, s.Claimed) // not wrapped: the failure is what counts
	}
	return err
}

// noteStanding says on stderr that a cluster runs with settings that a sweep or
// a profile, cut short, has left.
func (o *localOptions) noteStanding(e *env) {
	switch s, err := o.standing(); {
	case err != nil:
		fmt.Fprintf(e.Err, "note: %s\n", oneLine(err))
	case s.Working != nil:
		fmt.Fprintf(e.Err, "note: %s is working on it\n", s.Working.Holder)
	case s.Claimed != nil:
		fmt.Fprintf(e.Err, "note: %s\n", oneLine(s.Claimed))
	}
}

// parseHeapMB reads a heap size as Java and HBase's scripts write it; a bare
// number is MB.
func parseHeapMB(text string) (int, error) {
	number, factor := strings.ToLower(strings.TrimSpace(text)), 1
	switch {
	case strings.HasSuffix(number, "g"):
		number, factor = strings.TrimSuffix(number, "g"), 1024
	case strings.HasSuffix(number, "m"):
		number = strings.TrimSuffix(number, "m")
	}
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || n > 1<<20 {
		return 0, fmt.Errorf("--heap %q: write it as 512m or 2g", text)
	}
	return n * factor, nil
}

func newLocalDown(e *env) *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "down",
		Short: "Stop the local HBase; its data stay",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.config.Home = e.home
			return localError(o.down(c.Context()))
		},
	}
	o.bindName(c)
	c.Flags().BoolVar(&o.purge, "delete", false, "also remove the cluster: configuration, data and logs")
	c.Flags().BoolVar(&o.test, "test", false, "stop the clusters that hbtune's own tests left running")
	return c
}

// down stops the cluster, unless somebody works on it; nobody begins to while it
// is being stopped.
func (o *localOptions) down(ctx context.Context) (err error) {
	dir, err := o.config.Folder()
	if err != nil {
		return err
	}
	if o.test {
		return local.DownAll(ctx, local.TestHome(o.config.Home), apply.Reserve)
	}
	release, err := apply.Reserve(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if o.purge {
		return local.Delete(ctx, o.config)
	}
	cluster, err := local.OpenNamed(o.config)
	if err != nil {
		return err
	}
	return cluster.Down(ctx)
}

func newLocalStatus(e *env) *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "status",
		Short: "Tell what runs and whether it serves",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.config.Home = e.home
			cluster, err := local.OpenNamed(o.config)
			if err != nil {
				return localError(err)
			}
			o.noteStanding(e)
			return e.printLocalStatus(c.Context(), cluster)
		},
	}
	o.bindName(c)
	return c
}

func newLocalLogs(e *env) *cobra.Command {
	var o localOptions
	c := &cobra.Command{
		Use:   "logs [DAEMON]",
		Short: "Print the last lines of the daemons' logs",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.config.Home = e.home
			if o.lines < 0 {
				return badInput(fmt.Errorf("--lines %d: give 0 or more", o.lines))
			}
			cluster, err := local.OpenNamed(o.config)
			if err != nil {
				return localError(err)
			}
			daemon := ""
			if len(args) == 1 {
				daemon = args[0]
			}
			return localError(cluster.Logs(c.Context(), e.Out, daemon, o.lines, o.follow))
		},
	}
	o.bindName(c)
	c.Flags().IntVarP(&o.lines, "lines", "n", 20, "how many lines of each log")
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on as the logs grow, until Ctrl-C")
	return c
}

func (e *env) printLocalStatus(ctx context.Context, cluster *local.Cluster) error {
	status, err := cluster.Status(ctx)
	if err != nil {
		return localError(err)
	}
	if e.json {
		err = e.printJSON(status)
	} else {
		err = status.Write(e.Out)
	}
	if err == nil && !status.Serving {
		return &exitError{code: exitFound}
	}
	return err
}

// localError gives an error of sweep/local its exit code.
func localError(err error) error {
	var setup *local.SetupError
	var input *local.InputError
	switch {
	case err == nil:
		return nil
	case inUse(err):
		return withCode(exitFound, err)
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, err)
	case errors.As(err, &setup), errors.As(err, &input), errors.Is(err, local.ErrNoCluster):
		return badInput(err)
	}
	return targetError(err)
}
