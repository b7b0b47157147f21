package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hbtune/hbaseconf"
	"hbtune/profiles"
	"hbtune/sweep/apply"
	"hbtune/sweep/local"
)

// profileTargetOptions say on which target a profile is meant.
type profileTargetOptions struct {
	target  string
	cluster string
	yes     bool
	force   bool
}

func (o *profileTargetOptions) bind(c *cobra.Command) {
	c.Flags().StringVar(&o.target, "target", "local", "which target: local")
	c.Flags().StringVar(&o.cluster, "name", local.DefaultName, "which local cluster, if there are several")
}

// label tells the targets of this machine apart.
func (o profileTargetOptions) label() string {
	if o.cluster == local.DefaultName {
		return o.target
	}
	return o.target + "/" + o.cluster
}

// open finds the target's cluster; it may not be running.
func (o profileTargetOptions) open(e *env) (*local.Cluster, error) {
	if o.target != "local" {
		return nil, badInput(fmt.Errorf("--target %q: the only target is local", o.target))
	}
	cluster, err := local.OpenNamed(local.Config{Home: e.home, Name: o.cluster})
	return cluster, localError(err)
}

// settleTimeout bounds the wait for a target that is just starting.
const settleTimeout = 2 * time.Minute

// serving opens the target and returns it for reading, with its heap.
func (o profileTargetOptions) serving(ctx context.Context, e *env) (*apply.Local, int64, profiles.Opener, error) {
	cluster, err := o.open(e)
	if err != nil {
		return nil, 0, nil, err
	}
	status, err := cluster.Status(ctx)
	if err != nil {
		return nil, 0, nil, localError(err)
	}
	if !status.Serving {
		if err := o.settle(ctx, cluster, status); err != nil {
			return nil, 0, nil, err
		}
	}
	reader, err := apply.NewLocal(cluster, "", hbaseconf.Builtin(), apply.Options{})
	return reader, int64(status.HeapMB) << 20, o.opener(cluster), err
}

// settle waits for a target whose daemons run to serve.
func (o profileTargetOptions) settle(ctx context.Context, cluster *local.Cluster, status *local.Status) error {
	for _, node := range status.Nodes {
		if !node.Running {
			return targetError(fmt.Errorf("target %s does not serve (%s): `hbtune local up` starts it", o.label(), status.Pending))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	return localError(cluster.WaitServing(ctx))
}

func (o profileTargetOptions) opener(cluster *local.Cluster) profiles.Opener {
	return func(dir, undo string) (profiles.Target, error) {
		return apply.NewLocal(cluster, dir, hbaseconf.Builtin(), apply.Options{Force: o.force, Undo: undo})
	}
}

func newProfileDiff(e *env) *cobra.Command {
	var o profileTargetOptions
	c := &cobra.Command{
		Use:   "diff NAME|FILE|DIR [OTHER]",
		Short: "Compare a profile with an hbase-site.xml, another profile, or a running target",
		Long: `Compares a profile with OTHER, which is an hbase-site.xml or another profile;
without OTHER, with what the target's RegionServers run with.

Exit status: 0 the same, 1 it differs, 2 bad input, 3 the target failed.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			other := ""
			if len(args) == 2 {
				other = args[1]
			}
			return runProfileDiff(c.Context(), e, o, args[0], other)
		},
	}
	o.bind(c)
	return c
}

func runProfileDiff(ctx context.Context, e *env, o profileTargetOptions, ref, other string) error {
	p, err := e.findProfile(ref)
	if err != nil {
		return err
	}
	if other == "" {
		return e.compareRunning(ctx, o, p)
	}
	side, err := profiles.FindSide(profiles.Open(e.home, hbaseconf.Builtin()), other)
	if err != nil {
		return badInput(err)
	}
	return e.printDiff(profiles.Compare(p, side, hbaseconf.Builtin()))
}

func newProfileVerify(e *env) *cobra.Command {
	var o profileTargetOptions
	c := &cobra.Command{
		Use:   "verify NAME|FILE|DIR",
		Short: "Read a target's running values and say whether the profile is in force",
		Long: `Asks every RegionServer of the target for the values it runs with and compares
them with the profile. It changes nothing.

Exit status: 0 in force, 1 it differs, 2 bad input, 3 the target failed.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := e.findProfile(args[0])
			if err != nil {
				return err
			}
			return e.compareRunning(c.Context(), o, p)
		},
	}
	o.bind(c)
	return c
}

func (e *env) compareRunning(ctx context.Context, o profileTargetOptions, p profiles.Profile) error {
	reader, _, _, err := o.serving(ctx, e)
	if err != nil {
		return err
	}
	d, err := profiles.CompareRunning(ctx, p, reader, hbaseconf.Builtin())
	if err != nil {
		return profileError(err)
	}
	return e.printDiff(d)
}

// printDiff prints a comparison; differences are something found.
func (e *env) printDiff(d profiles.Diff) error {
	var err error
	if e.json {
		err = e.printJSON(d)
	} else {
		err = d.Write(e.Out)
	}
	if err == nil && d.Differences() > 0 {
		return &exitError{code: exitFound}
	}
	return err
}
