package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/load"
	"hbtune/sweep/trial"
)

// maxRows is far above what a sweep can fill, and far below where a product of
// rows and bytes overflows.
const maxRows = 10_000_000_000

// workloadName keeps names fit for tables, charts and the names of files.
var workloadName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Rules are what a spec is judged by that others know better: the catalogue its
// properties, and whoever will analyse the sweep what it may be asked.
type Rules struct {
	Catalogue *hbaseconf.Catalogue
	// Objective and Constraint say what is wrong with "p99_us" as the one and
	// with "p99_us<=20000" as the other.
	Objective, Constraint func(text string) error
}

// Validate lists every fault of a spec, so that one reading mends them all.
func (s Spec) Validate(rules Rules) error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }

	if s.V != 1 {
		bad("v: version %d is not known, this hbtune reads 1", s.V)
	}
	if s.Target.Kind != "local" {
		bad("target.kind: %q is not known, use local", s.Target.Kind)
	}
	if s.Target.Heap < 256<<20 {
		bad("target.heap: %s is too little for a RegionServer, use 256MB or more", hbaseconf.Bytes(s.Target.Heap))
	}
	if s.Target.RegionServers < 1 {
		bad("target.regionservers: at least 1")
	}
	if s.Data.Rows < 1000 || s.Data.Rows > maxRows {
		bad("data.rows: %d is outside 1000 to %d", s.Data.Rows, int64(maxRows))
	}
	if s.Data.ValueSize < 8 || s.Data.ValueSize > 10<<20 {
		bad("data.value_size: %s is outside 8B to 10MB", hbaseconf.Bytes(s.Data.ValueSize))
	}
	if s.Data.Regions < 1 || s.Data.Regions > 1000 {
		bad("data.regions: %d is outside 1 to 1000", s.Data.Regions)
	}
	faults = append(faults, s.validateWorkloads()...)
	if _, err := s.parameters(rules.Catalogue); err != nil {
		faults = append(faults, err)
	}
	if err := rules.Objective(s.Objective); err != nil {
		faults = append(faults, err)
	}
	if !(s.Equivalence > 0 && s.Equivalence < 0.5) {
		bad("equivalence: %v is outside 0 to 0.5 (0.03 means ±3 %%)", s.Equivalence)
	}
	for _, c := range s.Constraints {
		if err := rules.Constraint(c); err != nil {
			faults = append(faults, err)
		}
	}
	if s.Design.Blocks < 1 || s.Design.Blocks > 100 {
		bad("design.blocks: %d is outside 1 to 100", s.Design.Blocks)
	}
	if s.Design.Levels != AllLevels && s.Design.Levels != AlternateLevels {
		bad("design.levels: %q is not known, use all or alternate", s.Design.Levels)
	}
	if s.Design.Sentinels < 1 || s.Design.Sentinels > 10 {
		bad("design.sentinels: %d is outside 1 to 10", s.Design.Sentinels)
	}
	if s.Design.Confirm < 0 || s.Design.Confirm > 100 {
		bad("design.confirm: %d is outside 0 to 100 (4 pairs are the least that can show anything)", s.Design.Confirm)
	}
	m := s.Measure
	if m.Window < time.Second {
		bad("measure.window: %v is under 1s", m.Window)
	}
	if m.WarmupCap < time.Second || m.SettleCap < time.Second {
		bad("measure: warmup_cap and settle_cap are at least 1s")
	}
	if s.Budget <= 0 {
		bad("budget: give a time such as 30m")
	}
	return errors.Join(faults...)
}

func (s Spec) validateWorkloads() []error {
	var faults []error
	if len(s.Workloads) == 0 {
		faults = append(faults, errors.New("workloads: none given"))
	}
	names := map[string]bool{}
	for i, w := range s.Workloads {
		at := fmt.Sprintf("workloads[%d]", i)
		bad := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf(at+format, args...))
		}
		if w.Name == "" || names[w.Name] {
			bad(".name: %q is empty or used twice", w.Name)
		} else if !workloadName.MatchString(w.Name) {
			bad(".name: %q may have letters, digits and - _ . only", w.Name)
		}
		names[w.Name] = true
		if w.ReadShare != nil && !(*w.ReadShare >= 0 && *w.ReadShare <= 1) {
			bad(".read_share: %v is outside 0 to 1", *w.ReadShare)
		}
		if w.ReadShare != nil && w.scenario != nil {
			if mix := w.scenario.Workload.Mix; w.scenario.Workload.Queue || mix.Scan+mix.Insert+mix.ReadModifyWrite > 0 {
				bad(".read_share: it divides gets and puts, and %s does something else too: leave it out", cmp.Or(w.Preset, w.File))
			}
		}
		if w.Threads < 1 || w.Threads > 4096 {
			bad(".threads: %d is outside 1 to 4096", w.Threads)
		}
		if err := cmp.Or(s.sameDriver(w), s.driverOf(w).validate()); err != nil {
			bad(".%w", err)
		}
		one := s.load(w)
		if w.scenario != nil {
			one.Table, one.Threads = readTable, max(one.Threads, 1)
			if len(w.Hits) > 0 {
				one.HitTarget = 0.5 // levels are judged below
			}
			if err := load.ValidateWorkload(one); err != nil {
				bad(": %w", err)
			}
		}
		if len(w.Hits) > 0 && !reads(one) {
			bad(".hits: a load without reads has no hit level: leave hits out")
		}
		for _, h := range w.Hits {
			if !(h >= 0.05 && h <= 0.99) {
				bad(".hits: %v is outside 0.05 to 0.99", h)
			}
		}
	}
	return faults
}

// parameters turns the spec's parameters into typed ones, the values sorted
// and each checked against the catalogue.
func (s Spec) parameters(catalogue *hbaseconf.Catalogue) ([]trial.Parameter, error) {
	var faults []error
	var list []trial.Parameter
	seen := map[string]bool{}
	for i, p := range s.Parameters {
		property, known := catalogue.Lookup(p.Property)
		if !known {
			err := fmt.Errorf("parameters[%d]: unknown property %q", i, p.Property)
			if near := catalogue.Suggest(p.Property); near != "" {
				err = fmt.Errorf("%w: did you mean %s?", err, near)
			}
			faults = append(faults, err)
			continue
		}
		if seen[p.Property] {
			faults = append(faults, fmt.Errorf("parameters[%d]: %s is given twice", i, p.Property))
		}
		seen[p.Property] = true
		onlyClients := clientOnly(catalogue, p.Property)
		one := trial.Parameter{
			Property: p.Property, Log: property.Scale == hbaseconf.Log, Unit: property.Unit,
			Complement: p.Complement, ComplementTotal: p.ComplementTotal,
		}
		if len(p.Values) == 0 {
			faults = append(faults, fmt.Errorf("parameters[%d]: %s has no values", i, p.Property))
		}
		for _, text := range p.Values {
			value, err := catalogue.Value(p.Property, text.Text)
			if err != nil {
				faults = append(faults, fmt.Errorf("line %d: %w", text.Line, err))
				continue
			}
			if onlyClients {
				if err := s.driversRead(p.Property, value); err != nil {
					faults = append(faults, fmt.Errorf("parameters[%d]: %w", i, err))
					break // it is the same for every value
				}
			}
			if !slices.Contains(one.Values, value) {
				one.Values = append(one.Values, value)
			}
			if err := checkComplement(catalogue, one, value); err != nil {
				faults = append(faults, fmt.Errorf("line %d: %w", text.Line, err))
			}
		}
		slices.SortFunc(one.Values, compareValues)
		list = append(list, one)
	}
	if len(s.Parameters) == 0 {
		faults = append(faults, errors.New("parameters: none given"))
	}
	return list, errors.Join(faults...)
}

// driversRead refuses a client property that one of the workloads' drivers does
// not read.
func (s Spec) driversRead(property string, value hbaseconf.Value) error {
	for _, w := range s.Workloads {
		if err := s.driverOf(w).reads(property, value); err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}
	return nil
}

func checkComplement(catalogue *hbaseconf.Catalogue, p trial.Parameter, value hbaseconf.Value) error {
	if p.Complement == "" {
		return nil
	}
	if _, err := catalogue.Value(p.Complement, string(complementOf(p, value))); err != nil {
		return fmt.Errorf("complement of %s=%s: %w", p.Property, value, err)
	}
	return nil
}

// complementOf is what is left of the total for the complement; four decimals
// are finer than HBase looks at.
func complementOf(p trial.Parameter, value hbaseconf.Value) hbaseconf.Value {
	x, _ := value.Number()
	rest := math.Round((p.ComplementTotal-x)*1e4) / 1e4
	return hbaseconf.Value(strconv.FormatFloat(rest, 'f', -1, 64))
}

// compareValues orders numbers by size and the rest by text.
func compareValues(a, b hbaseconf.Value) int {
	x, okX := a.Number()
	y, okY := b.Number()
	if okX && okY {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
