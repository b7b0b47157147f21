package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hbtune/sweep/trial"
)

// SuiteResult is what a suite's steps gave.
type SuiteResult struct {
	Suite string    `json:"suite"`
	Steps []StepRun `json:"steps"`
}

// StepRun is one step and its measurement, or why there is none.
type StepRun struct {
	Scenario    string             `json:"scenario"`
	Workload    trial.Workload     `json:"workload"`
	Regions     int                `json:"regions"`
	Measurement *trial.Measurement `json:"measurement,omitempty"`
	// Refused says why the step could not be measured, such as a hit rate that is
	// out of reach.
	Refused string `json:"refused,omitempty"`
}

// suiteRun is a suite under way.
type suiteRun struct {
	cluster Cluster
	metrics Metrics
	options SuiteOptions
	tell    func(string)

	filled    map[string]Shape
	levels    map[level]*Calibration
	refused   map[level]error
	cached    float64 // rows that the cache was found to hold
	following bool
}

type level struct {
	regions int
	hit     float64
}

// RunSuite measures the steps of a suite one after the other. tell hears what is
// being done. A hit rate that is out of reach costs its own steps alone; any
// other failure ends the suite, with what was measured until then.
func RunSuite(ctx context.Context, c Cluster, m Metrics, name string, o SuiteOptions, tell func(string)) (*SuiteResult, error) {
	steps, err := PlanSuite(name, o)
	if err != nil {
		return nil, err
	}
	r := &suiteRun{cluster: c, metrics: m, options: o, tell: tell, filled: map[string]Shape{}, levels: map[level]*Calibration{}, refused: map[level]error{}}
	result := &SuiteResult{Suite: name}
	for i := range steps {
		tell(fmt.Sprintf("%d of %d: %s", i+1, len(steps), steps[i].Label()))
		run := StepRun{Scenario: steps[i].Scenario, Regions: steps[i].Regions}
		run.Measurement, err = r.step(ctx, &steps[i])
		run.Workload = steps[i].Workload
		var reach *HitOutOfReachError
		switch {
		case errors.As(err, &reach):
			run.Refused = reach.Error()
			tell(run.Refused)
		case err != nil:
			return result, fmt.Errorf("%s: %w", steps[i].Label(), err)
		}
		result.Steps = append(result.Steps, run)
	}
	return result, nil
}

func (r *suiteRun) step(ctx context.Context, s *Step) (*trial.Measurement, error) {
	shape := ShapeOf(s.Workload, s.Regions, max(r.options.Seed, 1))
	if s.Fill && r.filled[s.Workload.Table] != shape {
		filled, err := Fill(ctx, r.cluster, s.Workload.Table, shape, FillOptions{})
		if err != nil {
			return nil, err
		}
		if !filled.Reused {
			r.tell(fmt.Sprintf("loaded %v in %.1f s", shape, filled.Loading.Seconds()))
		}
		r.filled[s.Workload.Table] = shape
		clear(r.levels)
		clear(r.refused)
		r.cached = 0
	}
	writes := s.Workload.WriteTable
	if writes == "" {
		writes = s.Workload.Table
	}
	if s.FreshWrites {
		if err := ResetWriteTable(ctx, r.cluster, writes, shape); err != nil {
			return nil, err
		}
	}
	if s.Workload.HitTarget > 0 {
		if err := r.calibrate(ctx, s); err != nil {
			return nil, err
		}
	}
	cfg := Config{
		Workload: s.Workload, Seed: max(r.options.Seed, 1), Duration: r.options.Duration, WarmupCap: r.options.WarmupCap,
		Following: r.following, DebtDone: r.options.DebtDone,
	}
	if cfg.Duration <= 0 {
		cfg.Duration = 20 * time.Second
	}
	m, err := Run(ctx, r.cluster, r.metrics, cfg)
	r.following = err == nil
	return m, err
}

// calibrate finds the working set of a hit level, once for all threads.
func (r *suiteRun) calibrate(ctx context.Context, s *Step) error {
	key := level{s.Regions, s.Workload.HitTarget}
	found := r.levels[key]
	if err := r.refused[key]; err != nil {
		return err
	}
	if found == nil {
		var err error
		found, err = Calibrate(ctx, r.cluster, r.metrics, s.Workload, max(r.options.Seed, 1), r.cached, func(p Probe) {
			r.tell(fmt.Sprintf("hit rate %.3f over %d rows", p.Hit, p.WorkingSet))
		})
		if err != nil {
			r.refused[key] = err
			return err
		}
		r.levels[key], r.cached = found, found.CachedRows
	}
	s.Workload.WorkingSet = found.WorkingSet
	return nil
}
