package load

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hbtune/sweep/trial"
)

// Names of the suites.
const (
	SuiteWhitepaper = "whitepaper"
	SuiteQueue      = "queue"
	SuiteRandom     = "random"
)

// SuiteOptions scale a suite; what is zero is as the suite has it.
type SuiteOptions struct {
	Records    int64
	WorkingSet int64 // the whitepaper's range of keys; 0: a tenth of the rows
	ValueBytes int
	Regions    []int
	Threads    []int // partitions of the queue
	Batches    []int
	Hits       []float64
	Duration   time.Duration
	WarmupCap  time.Duration
	Seed       uint64
	Table      string // names of tables begin with it
	DebtDone   bool
}

// Step is one measurement of a suite.
type Step struct {
	Scenario string
	Workload trial.Workload
	Regions  int
	// Fill says that the table must be loaded, FreshWrites that the one that is
	// written is made anew.
	Fill, FreshWrites bool
}

// Label names a step in a line of progress.
func (s *Step) Label() string {
	label := fmt.Sprintf("%s, %d threads", s.Scenario, s.Workload.Threads)
	if s.Workload.Queue {
		label += fmt.Sprintf(", batches of %d", max(s.Workload.Batch, 1))
	}
	if s.Workload.HitTarget > 0 {
		label += fmt.Sprintf(", hit rate %g", s.Workload.HitTarget)
	}
	if s.Scenario == randomWrite || s.Scenario == randomRead {
		label += fmt.Sprintf(", %d regions", s.Regions)
	}
	return label
}

// Steps of the random suite.
const (
	randomWrite = "random write"
	randomRead  = "random read"
)

// PlanSuite lists a suite's steps in the order in which they are measured.
func PlanSuite(name string, o SuiteOptions) ([]Step, error) {
	o.Table = cmp.Or(o.Table, "hbtune_suite")
	var steps []Step
	var err error
	switch name {
	case SuiteWhitepaper:
		steps, err = planWhitepaper(o)
	case SuiteQueue:
		steps, err = planQueue(o)
	case SuiteRandom:
		steps, err = planRandom(o)
	default:
		return nil, fmt.Errorf("%q is unknown: use %s, %s or %s", name, SuiteWhitepaper, SuiteQueue, SuiteRandom)
	}
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if err := ValidateWorkload(steps[i].Workload); err != nil {
			return nil, fmt.Errorf("%s: %w", steps[i].Label(), err)
		}
		if err := ShapeOf(steps[i].Workload, steps[i].Regions, 1).Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", steps[i].Label(), err)
		}
	}
	return steps, nil
}

// planWhitepaper: six scenarios on one table of 100 columns of 20 bytes.
func planWhitepaper(o SuiteOptions) ([]Step, error) {
	rows := cmp.Or(o.Records, 100_000)
	base := trial.Workload{
		Table: o.Table + "_wide", Rows: rows, Columns: 100, ValueBytes: cmp.Or(o.ValueBytes, 20),
		WorkingSet: cmp.Or(o.WorkingSet, max(rows/10, 1)), // 30 of 300 million
	}
	var steps []Step
	for _, s := range []struct {
		name        string
		mix         trial.Mix
		columns     int
		shortest, n int
	}{
		{"GET", trial.Mix{Read: 1}, 1, 0, 0},
		{"SCAN", trial.Mix{Scan: 1}, 1, 1, 50},
		{"PUT", trial.Mix{Update: 1}, 1, 0, 0},
		{"A", trial.Mix{Read: 0.5, Update: 0.5}, 20, 0, 0},
		{"C", trial.Mix{Read: 1}, 20, 0, 0},
		{"E", trial.Mix{Scan: 0.95, Update: 0.05}, 20, 1, 100},
	} {
		for _, threads := range orInts(o.Threads, 128, 1024) {
			w := base
			w.Name, w.Mix, w.Threads = s.name, s.mix, threads
			w.ReadShare = s.mix.Read + s.mix.Scan
			w.ReadColumns, w.WriteColumns = s.columns, s.columns
			w.Scan = trial.ScanRows{Min: s.shortest, Max: s.n}
			steps = append(steps, Step{Scenario: s.name, Workload: w, Regions: orInts(o.Regions, 8)[0], Fill: true})
		}
	}
	return steps, nil
}

// planQueue: appends alone, then appends and reads, by batch and partitions.
func planQueue(o SuiteOptions) ([]Step, error) {
	var steps []Step
	for _, mode := range []string{"write", "read+write"} {
		for _, batch := range orInts(o.Batches, 1, 10, 100, 1000) {
			for _, threads := range orInts(o.Threads, 1, 8, 16, 32, 64, 128) {
				w := trial.Workload{
					Name: "log", Table: o.Table + "_queue", Rows: 1, ValueBytes: cmp.Or(o.ValueBytes, 100),
					Threads: threads, Batch: batch, Queue: true,
				}
				if mode == "read+write" {
					w.Followers = threads
				}
				steps = append(steps, Step{Scenario: mode, Workload: w, Regions: threads, FreshWrites: true})
			}
		}
	}
	return steps, nil
}

// planRandom: writes by threads and regions, then reads by threads and hit rate.
// Levels go up from the widest working set, so that the cache need not be filled
// anew for each.
func planRandom(o SuiteOptions) ([]Step, error) {
	rows := cmp.Or(o.Records, 400_000)
	size := cmp.Or(o.ValueBytes, 1000)
	regions := orInts(o.Regions, 4)
	threads := orInts(o.Threads, 10, 50, 100, 250, 500)
	hits := o.Hits
	if len(hits) == 0 {
		hits = []float64{0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99}
	}
	hits = slices.Sorted(slices.Values(hits))
	var steps []Step
	for _, n := range regions {
		for _, t := range threads {
			steps = append(steps, Step{Scenario: randomWrite, Regions: n, FreshWrites: true, Workload: trial.Workload{
				Name: "random-write", Table: o.Table + "_read", WriteTable: o.Table + "_write", Rows: rows, ValueBytes: size, Threads: t,
			}})
		}
	}
	for _, n := range regions {
		for _, hit := range hits {
			for _, t := range threads {
				steps = append(steps, Step{Scenario: randomRead, Regions: n, Fill: true, Workload: trial.Workload{
					Name: "random-read", Table: o.Table + "_read", Rows: rows, ValueBytes: size, Threads: t, ReadShare: 1, HitTarget: hit,
				}})
			}
		}
	}
	return steps, nil
}

func orInts(list []int, otherwise ...int) []int {
	if len(list) > 0 {
		return list
	}
	return otherwise
}
