package analyze

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Options says what to decide and how strictly. What is left empty is taken
// from the sweep, then from the defaults named here.
type Options struct {
	// Objective is what to tune for: "throughput" unless set.
	Objective string
	// Constraints are bounds such as "p99_us<=20000".
	Constraints []string
	// Baseline is the configuration to compare with, where the data does not
	// say which one it is.
	Baseline hbaseconf.Settings
	// Equivalence is the half width of the band in which two variants are taken
	// as equal; 0.03 unless set.
	Equivalence float64
	// Seed makes the bootstrap repeatable.
	Seed uint64
	// Resamples is how many bootstrap data sets stand behind a band; 400 unless
	// set.
	Resamples int
	// Feasible refuses settings that the server would refuse; nil accepts all.
	Feasible func(hbaseconf.Settings) error
	// Default gives HBase's own default of a property: what an imported table
	// without a baseline is compared with.
	Default func(property string) (hbaseconf.Value, bool)
}

// Alpha is the two-sided error rate that tests and intervals are made for.
const Alpha = 0.05

// Power is the chance of seeing a gain that the power statement speaks of.
const Power = 0.8

// rules are the options after they were completed and read.
type rules struct {
	objective   Metric
	constraints []Constraint
	equivalence float64
	seed        uint64
	resamples   int
	baseline    hbaseconf.Settings
	feasible    func(hbaseconf.Settings) error
	defaults    func(string) (hbaseconf.Value, bool)
}

// rules reads the options and lists every fault in them.
func (o Options) rules() (rules, error) {
	r := rules{
		equivalence: o.Equivalence, seed: o.Seed, resamples: o.Resamples,
		baseline: o.Baseline, feasible: o.Feasible, defaults: o.Default,
	}
	var faults []error
	if o.Objective == "" {
		o.Objective = Throughput.String()
	}
	var err error
	if r.objective, err = ParseObjective(o.Objective); err != nil {
		faults = append(faults, err)
	}
	for _, text := range o.Constraints {
		c, err := ParseConstraint(text)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		r.constraints = append(r.constraints, c)
	}
	if r.equivalence == 0 {
		r.equivalence = 0.03
	}
	if !(r.equivalence > 0 && r.equivalence < 1) {
		faults = append(faults, fmt.Errorf("equivalence %v: a share between 0 and 1, such as 0.03", o.Equivalence))
	}
	if r.resamples <= 0 {
		r.resamples = 400
	}
	if r.feasible == nil {
		r.feasible = func(hbaseconf.Settings) error { return nil }
	}
	if r.defaults == nil {
		r.defaults = func(string) (hbaseconf.Value, bool) { return "", false }
	}
	return r, errors.Join(faults...)
}

// For fills what is left empty from the sweep.
func (o Options) For(s trial.Sweep) Options {
	if o.Objective == "" {
		o.Objective = s.Objective
	}
	if o.Constraints == nil {
		o.Constraints = s.Constraints
	}
	if o.Baseline.Len() == 0 {
		o.Baseline = s.Baseline
	}
	if o.Equivalence == 0 {
		o.Equivalence = s.Equivalence
	}
	if o.Seed == 0 {
		o.Seed = s.Seed
	}
	return o
}

// random gives a generator of its own to every named piece of work, so that
// adding a curve never changes the band of another.
func (r rules) random(purpose string) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], r.seed)
	h := fnv.New64a()
	h.Write([]byte(purpose))
	h.Sum(key[8:8])
	return rand.New(rand.NewChaCha8(key))
}
