package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"hbtune/sweep/load"
	"hbtune/sweep/trial"
)

// loadOptions are the flags of `hbtune load`.
type loadOptions struct {
	place  loadPlace
	output loadOutput

	preset    string
	file      string
	print     bool
	list      bool
	merge     []string
	readShare float64
	rate      string
	poisson   bool

	threads    []int
	duration   time.Duration
	warmupCap  time.Duration
	records    int64
	fields     int
	valueBytes int
	regions    []int
	batch      int
	followers  int
	hit        float64
	workingSet int64
	cache      string
	quiesce    bool
	table      string
	seed       uint64
	client     uint64
	verify     bool

	suite   string
	batches []int
	hits    []float64

	scenario *load.Scenario    // of preset or file, with what the flags change
	planned  load.SuiteOptions // of a suite
}

func newLoad(e *env) *cobra.Command { return newLoadWith(e, &loadOptions{}) }

func newLoadWith(e *env, o *loadOptions) *cobra.Command {
	c := &cobra.Command{
		Use:   "load",
		Short: "Drive one load, or a suite of them, and measure it",
		Long: `Loads a table, unless it is loaded already, drives reads and writes until
throughput and hit rate are steady, and measures a window after that. Tables that
hbtune did not make are never written. What the figures of client and servers show
is said below them: each conclusion with its evidence, what to do, what would be
the tempting mistake, and what would refute it.

What is done comes from a preset (--list names them, --print shows one as a file)
or from a workload file of YCSB (--workload); flags change it. By default a
thread starts an operation when the one before has ended; with --rate operations
start by a schedule, and times count from when they should have started.

--suite measures a published benchmark's scenarios one after the other and puts
the shape of the results beside the published one.

Exit status: 0 done, 2 bad input, 3 the cluster failed, 4 interrupted.`,
		Example: `  hbtune load --preset get --threads 16 --hit 0.9
  hbtune load --workload workloada --records 100000 --rate 2000/s --format ycsb
  hbtune load --suite random --threads 250 --hits 0.2,0.5,0.8,0.95 --chart hit.svg
  hbtune load --zk zk1:2181,zk2:2181 --preset mixed --read-share 0.8 --duration 1m`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.list {
				return listPresets(e.Out)
			}
			if c.Flags().Changed("merge") { // also of a shell variable that is empty
				if err := o.output.check(); err != nil {
					return badInput(err)
				}
				return mergeLoads(e, *o)
			}
			if err := o.complete(c.Flags().Changed); err != nil {
				return badInput(err)
			}
			switch {
			case o.print:
				_, err := io.WriteString(e.Out, o.scenario.Text())
				return err
			case o.suite != "":
				return runSuite(c.Context(), e, *o)
			}
			return runLoad(c.Context(), e, *o)
		},
	}
	o.bind(c)
	return c
}

func (o *loadOptions) bind(c *cobra.Command) {
	f := c.Flags()
	o.place.bind(f)
	o.output.bind(f)
	f.StringVar(&o.preset, "preset", "get", "which workload; --list names them")
	f.StringVarP(&o.file, "workload", "P", "", "a workload file of YCSB, in place of a preset")
	f.BoolVar(&o.print, "print", false, "print the workload as a file, and do nothing else")
	f.BoolVar(&o.list, "list", false, "list the presets, and do nothing else")
	f.StringSliceVar(&o.merge, "merge", nil, "show these documents of --json, of clients that ran at the same time, as one, and do nothing else")
	f.Float64Var(&o.readShare, "read-share", 0.5, "share of reads, 0 to 1, with --preset mixed")
	f.IntSliceVar(&o.threads, "threads", []int{16}, "operations under way at any time, or at most with --rate; a suite takes several numbers")
	f.StringVar(&o.rate, "rate", "", "operations to start a second, whether or not those before have ended: 5000, 5k, 5000/s")
	f.BoolVar(&o.poisson, "poisson", false, "with --rate: start them at random times instead of evenly")
	f.DurationVar(&o.duration, "duration", 20*time.Second, "length of the measured window, after the warm-up")
	f.DurationVar(&o.warmupCap, "warmup-cap", load.DefaultWarmupCap, "longest warm-up; it ends earlier once throughput and hit rate are steady")
	f.Int64Var(&o.records, "records", 200_000, "rows of the table")
	f.IntVar(&o.fields, "fields", 1, "columns of a row")
	f.IntVar(&o.valueBytes, "value-bytes", 1000, "size of a column's value")
	f.IntSliceVar(&o.regions, "regions", []int{4}, "regions that the table is split into; --suite random takes several numbers")
	f.IntVar(&o.batch, "batch", 1, "rows that a read, put or insert handles in one call")
	f.IntVar(&o.followers, "followers", 0, "threads that read what --preset log writes")
	f.Float64Var(&o.hit, "hit", 0, "data-block hit rate to calibrate the working set for, as 0.9; 0: read all rows")
	f.Int64Var(&o.workingSet, "working-set", 0, "rows to read from, as an earlier calibration found them; 0: all")
	f.StringVar(&o.cache, "cache", "keep", "what to do with the block cache before: keep, clear, or warm (read the working set once)")
	f.BoolVar(&o.quiesce, "quiesce", false, "wait before the load until no flush and no compaction is waiting")
	f.StringVar(&o.table, "table", "hbtune_load", "table to read; writes of their own go to one of this name and _w")
	f.Uint64Var(&o.seed, "seed", 1, "seed of keys and values")
	f.Uint64Var(&o.client, "client", 0, "number of this client where several drive one load: each draws rows of its own (see --merge)")
	f.BoolVar(&o.verify, "verify", false, "compare every byte that is read")
	f.StringVar(&o.suite, "suite", "", "measure a published benchmark's scenarios: whitepaper, queue or random")
	f.IntSliceVar(&o.batches, "batches", nil, "with --suite queue: messages a call (default 1,10,100,1000)")
	f.Float64SliceVar(&o.hits, "hits", nil, "with --suite random: hit rates (default 0.2 to 0.99)")
}

func runLoad(ctx context.Context, e *env, o loadOptions) error {
	for _, note := range o.scenario.Notes {
		fmt.Fprintln(e.Err, note)
	}
	s, err := o.place.open(ctx, e)
	if err != nil {
		return err
	}
	defer s.close()
	m, err := loadOnce(ctx, e.Err, s, o)
	if err != nil {
		return loadError(err)
	}
	return o.output.write(e, m, s.diagnosis(ctx, e, m))
}

// loadOnce fills, calibrates and measures, telling w how it goes.
func loadOnce(ctx context.Context, w io.Writer, s *loadSession, o loadOptions) (*trial.Measurement, error) {
	job := load.Job{
		Config: o.config(), Shape: o.shape(), OwnWrites: o.scenario.OwnWrites, Cache: load.CacheState(o.cache),
		Filling: fillProgress(w),
		Tell:    func(line string) { fmt.Fprintln(w, line) },
	}
	job.Config.Second = func(s trial.Second) {
		stage := "measuring"
		if s.Warmup {
			stage = "warming up"
		}
		fmt.Fprintf(w, "%4.0f s  %-10s  %8.0f operations/s  p99 %s\n", s.T, stage, s.Throughput, microsText(s.P99Micros))
	}
	return job.Run(ctx, s.tables, s.figures)
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
