package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"hbtune/sweep/hbase"
	"hbtune/sweep/load"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// loadOptions are the flags of `hbtune load`.
var tableName = regexp.MustCompile(`^(\w+:)?\w[\w.-]*$`)

type loadOptions struct {
	quorum     string
	preset     string
	readShare  float64
	threads    int
	duration   time.Duration
	warmupCap  time.Duration
	records    int64
	valueBytes int
	regions    int
	hit        float64
	workingSet int64
	table      string
	seed       uint64
	verify     bool
}

func newLoad(e *env) *cobra.Command {
	o := loadOptions{}
	c := &cobra.Command{
		Use:   "load",
		Short: "Drive one load and measure it",
		Long: `Loads a table, unless it is loaded already, drives random reads and writes in a
closed loop until throughput and hit rate are steady, and measures a window
after that. Tables that hbtune did not make are never written.

Presets: get (reads only), put (writes only), mixed (half and half).

Exit status: 0 done, 2 bad input, 3 the cluster failed, 4 interrupted.`,
		Example: `  hbtune load --preset get --threads 16 --hit 0.9
  hbtune load --zk zk1:2181,zk2:2181 --preset mixed --read-share 0.8 --duration 1m`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.complete(c.Flags().Changed("read-share")); err != nil {
				return badInput(err)
			}
			return runLoad(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.quorum, "zk", "", "ZooKeeper of the cluster, host:port[,host:port…] (default: the local HBase)")
	f.StringVar(&o.preset, "preset", "get", "get, put or mixed")
	f.Float64Var(&o.readShare, "read-share", 0.5, "share of reads, 0 to 1, with --preset mixed")
	f.IntVar(&o.threads, "threads", 16, "operations under way at any time")
	f.DurationVar(&o.duration, "duration", 20*time.Second, "length of the measured window, after the warm-up")
	f.DurationVar(&o.warmupCap, "warmup-cap", load.DefaultWarmupCap, "longest warm-up; it ends earlier once throughput and hit rate are steady")
	f.Int64Var(&o.records, "records", 200_000, "rows of the table")
	f.IntVar(&o.valueBytes, "value-bytes", 1000, "size of a row's value")
	f.IntVar(&o.regions, "regions", 4, "regions that the table is split into")
	f.Float64Var(&o.hit, "hit", 0, "data-block hit rate to calibrate the working set for, as 0.9; 0: read all rows")
	f.Int64Var(&o.workingSet, "working-set", 0, "rows to read from, as an earlier calibration found them; 0: all")
	f.StringVar(&o.table, "table", "hbtune_load", "table to read; writes go to one of this name and _w")
	f.Uint64Var(&o.seed, "seed", 1, "seed of keys and values")
	f.BoolVar(&o.verify, "verify", false, "compare every byte that is read")
	return c
}

// complete checks what the flags say together.
func (o *loadOptions) complete(readShareSet bool) error {
	fixed := map[string]float64{"get": 1, "put": 0}
	switch share, ok := fixed[o.preset]; {
	case ok && readShareSet && share != o.readShare:
		return fmt.Errorf("--read-share %v contradicts --preset %s: use --preset mixed", o.readShare, o.preset)
	case ok:
		o.readShare = share
	case o.preset != "mixed":
		return fmt.Errorf("--preset %q is unknown: use get, put or mixed", o.preset)
	}
	switch {
	case o.records <= 0:
		return fmt.Errorf("--records %d: there must be at least one row", o.records)
	case !(o.readShare >= 0 && o.readShare <= 1):
		return fmt.Errorf("--read-share %v is not between 0 and 1", o.readShare)
	case !(o.hit >= 0 && o.hit < 1):
		return fmt.Errorf("--hit %v is not between 0 and 1 (0.9 means that nine of ten data blocks are in the cache)", o.hit)
	case o.hit > 0 && o.readShare == 0:
		return errors.New("--hit: a load that only writes has no hit rate")
	case o.hit > 0 && o.workingSet > 0:
		return errors.New("--hit finds the working set that --working-set gives: use one of them")
	case o.warmupCap <= 0:
		return fmt.Errorf("--warmup-cap %v is not positive", o.warmupCap)
	case !tableName.MatchString(o.table):
		return fmt.Errorf("--table %q is not a table's name: letters, digits and _ . - only, with namespace: before it where there is one", o.table)
	}
	cfg := o.config()
	return errors.Join(cfg.Validate(), o.shape().Validate())
}

func (o *loadOptions) shape() load.Shape {
	return load.Shape{Rows: o.records, ValueBytes: o.valueBytes, Regions: o.regions, Seed: o.seed}
}

func (o *loadOptions) config() load.Config {
	return load.Config{
		Workload: trial.Workload{
			Name:       o.preset,
			Table:      o.table,
			WriteTable: o.table + "_w",
			Rows:       o.records,
			ValueBytes: o.valueBytes,
			ReadShare:  o.readShare,
			Threads:    o.threads,
			HitTarget:  o.hit,
			WorkingSet: o.workingSet,
		},
		Seed:      o.seed,
		Duration:  o.duration,
		WarmupCap: o.warmupCap,
		Verify:    o.verify,
	}
}

func runLoad(ctx context.Context, e *env, o loadOptions) error {
	quorum, servers := o.quorum, []string(nil)
	if quorum == "" {
		cluster, err := local.Open(e.home)
		if err != nil {
			return localError(fmt.Errorf("%w (or name a cluster with --zk)", err))
		}
		quorum = cluster.ZooKeeper()
		for _, node := range cluster.RegionServers() {
			servers = append(servers, node.InfoURL)
		}
	}
	cfg := hbase.Config{Quorum: quorum}
	if err := cfg.Validate(); err != nil {
		return badInput(fmt.Errorf("--zk: %w", err))
	}
	client, err := hbase.Dial(ctx, cfg)
	if err != nil {
		return targetError(err)
	}
	defer client.Close()
	cluster, figures := load.OpenHBase(client, servers)
	m, err := loadOnce(ctx, e.Err, cluster, figures, o)
	if err != nil {
		return loadError(err)
	}
	if e.json {
		return e.printJSON(m)
	}
	printMeasurement(e.Out, m)
	return nil
}

// loadOnce fills, calibrates and measures, telling w how it goes.
func loadOnce(ctx context.Context, w io.Writer, cluster load.Cluster, figures load.Metrics, o loadOptions) (*trial.Measurement, error) {
	cfg := o.config()
	if o.readShare > 0 {
		filled, err := load.Fill(ctx, cluster, o.table, o.shape(), load.FillOptions{Progress: fillProgress(w)})
		if err != nil {
			return nil, err
		}
		if filled.Reused {
			fmt.Fprintf(w, "table %s holds %d rows already\n", o.table, filled.Rows)
		} else {
			fmt.Fprintf(w, "loaded %d rows in %.1f s, settled in %.1f s\n", filled.Rows, filled.Loading.Seconds(), filled.Settled.Seconds())
		}
	}
	if o.readShare < 1 {
		if err := load.ResetWriteTable(ctx, cluster, cfg.Workload.WriteTable, o.shape()); err != nil {
			return nil, err
		}
	}
	if o.hit > 0 {
		found, err := load.Calibrate(ctx, cluster, figures, cfg.Workload, o.seed, 0, func(p load.Probe) {
			fmt.Fprintf(w, "hit rate %.3f over %d rows\n", p.Hit, p.WorkingSet)
		})
		if err != nil {
			return nil, err
		}
		cfg.Workload.WorkingSet = found.WorkingSet
	}
	cfg.Second = func(s trial.Second) {
		stage := "measuring"
		if s.Warmup {
			stage = "warming up"
		}
		fmt.Fprintf(w, "%4.0f s  %-10s  %8.0f operations/s  p99 %s\n", s.T, stage, s.Throughput, microsText(s.P99Micros))
	}
	return load.Run(ctx, cluster, figures, cfg)
}

// fillProgress tells of every tenth that is loaded.
func fillProgress(w io.Writer) func(done, total int64) {
	told := int64(0)
	return func(done, total int64) {
		if tenth := done * 10 / total; tenth > told && tenth < 10 {
			told = tenth
			fmt.Fprintf(w, "loading: %d of %d rows\n", done, total)
		}
	}
}

// loadError gives an error of sweep/load its exit code: what the user can mend
// by other flags is bad input.
func loadError(err error) error {
	var foreign *load.ForeignTableError
	var missing *load.NotLoadedError
	var reach *load.HitOutOfReachError
	switch {
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &foreign), errors.As(err, &missing), errors.As(err, &reach):
		return badInput(err)
	}
	return targetError(err)
}

func microsText(micros int64) string {
	return time.Duration(micros * int64(time.Microsecond)).String()
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Round(1000*share)/10) }
