package analyze

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Load factors: what a table may vary beside HBase's properties.
const (
	factorThreads = "threads"
	factorBatch   = "batch"
	factorHit     = "hit"
	factorRegions = "regions"
)

// maxRows bounds an import. One row is one measurement, of which nobody has
// half a million.
const maxRows = 500_000

// Import collects measurements that other tools made. The zero value is not
// ready: use NewImport.
type Import struct {
	catalogue *hbaseconf.Catalogue
	ignore    map[string]bool
	factors   []string // properties and load factors, in order of appearance
	place     map[string]int
	rows      []row
}

// row is one imported measurement.
type row struct {
	file     string
	line     int
	workload []string
	block    string
	trial    string
	values   []hbaseconf.Value // of Import.factors; may be shorter
	metrics  [metricCount]float64
	bytes    float64 // of a message
	rate     float64 // MB/s, as printed
	decimals int     // with how many decimals
	offered  float64
	count    float64 // operations
	reason   string  // why it can't be used
}

// NewImport starts an import. ignore names columns to pass over.
func NewImport(catalogue *hbaseconf.Catalogue, ignore ...string) *Import {
	im := &Import{catalogue: catalogue, ignore: map[string]bool{}, place: map[string]int{}}
	for _, name := range ignore {
		im.ignore[strings.ToLower(strings.TrimSpace(name))] = true
	}
	return im
}

func newRow(file string, line int) row {
	return row{file: file, line: line, metrics: noMetrics(), bytes: unknown, rate: unknown, offered: unknown, count: unknown}
}

// factor is the place of a factor, made on first use.
func (im *Import) factor(name string) int {
	i, ok := im.place[name]
	if !ok {
		i = len(im.factors)
		im.place[name] = i
		im.factors = append(im.factors, name)
	}
	return i
}

func (r *row) set(i int, v hbaseconf.Value) {
	for len(r.values) <= i {
		r.values = append(r.values, "")
	}
	r.values[i] = v
}

func (r *row) value(i int) hbaseconf.Value {
	if i < 0 || i >= len(r.values) {
		return ""
	}
	return r.values[i]
}

// add takes a row in, or refuses one too many.
func (im *Import) add(r row) error {
	if len(im.rows) >= maxRows {
		return fmt.Errorf("%s:%d: more than %s rows: a row is one measurement of many operations, with its percentiles; summarise first",
			r.file, r.line, thousands(maxRows))
	}
	im.rows = append(im.rows, r)
	return nil
}

func isLoadFactor(name string) bool {
	switch name {
	case factorThreads, factorBatch, factorHit, factorRegions:
		return true
	}
	return false
}

// Set makes the samples of an analysis. The baseline is what the caller says,
// else the rows whose trial is labelled "baseline", else HBase's defaults; a
// table that varies only the load is compared with its lowest level.
func (im *Import) Set(o Options) (*Set, error) {
	if len(im.rows) == 0 {
		return nil, errors.New("nothing imported: no file holds a measurement")
	}
	set := &Set{Imported: true}
	plan, err := im.plan(o, set)
	if err != nil {
		return nil, err
	}
	set.Baseline = plan.baseline
	for i, name := range im.factors {
		set.Factors = append(set.Factors, im.describe(i, name, plan.baseline))
	}
	names := im.names()
	blocks, repeats := map[string]int{}, map[string]int{}
	for i := range im.rows {
		r := &im.rows[i]
		if r.reason != "" {
			set.Excluded = append(set.Excluded, Exclusion{Trial: names[i], Reason: r.reason})
			if failed := im.settings(r); failed.Len() > 0 && r.metrics[Throughput] == 0 {
				set.failed = append(set.failed, failed) // nothing was served
			}
			continue
		}
		s := im.sample(r, &plan)
		s.ID = names[i]
		if r.block != "" {
			if _, ok := blocks[r.block]; !ok {
				blocks[r.block] = len(blocks) + 1
			}
			s.Block = blocks[r.block]
		}
		// The k-th row of a variant in every condition stands for the same start
		// of the server, so that conditions can be combined.
		key := fmt.Sprintf("%s|%d|%s", s.Condition, s.Block, s.Arm)
		repeats[key]++
		s.Session = fmt.Sprintf("%d|%s|%d", s.Block, s.Arm, repeats[key])
		s.Order = i + 1
		set.Samples = append(set.Samples, s)
	}
	if err := set.mixedUnits(); err != nil {
		return nil, err
	}
	return set, nil
}

// settings are the factors of a row as they stand there.
func (im *Import) settings(r *row) hbaseconf.Settings {
	var out hbaseconf.Settings
	for i, name := range im.factors {
		if v := r.value(i); v != "" {
			out = out.With(hbaseconf.Setting{Name: name, Value: v})
		}
	}
	return out
}

// names gives every row a name of its own: the trial's label where no other row
// has it, else its line, and its file where there are several.
func (im *Import) names() []string {
	labels, files := map[string]int{}, map[string]bool{}
	for i := range im.rows {
		labels[im.rows[i].trial]++
		files[im.rows[i].file] = true
	}
	out := make([]string, len(im.rows))
	for i := range im.rows {
		r := &im.rows[i]
		switch {
		case r.trial != "" && labels[r.trial] == 1:
			out[i] = r.trial
		case len(files) > 1:
			out[i] = fmt.Sprintf("%s:%d", r.file, r.line)
		default:
			out[i] = fmt.Sprintf("row %d", r.line)
		}
	}
	return out
}

// sample turns a row into a sample by the plan.
func (im *Import) sample(r *row, p *plan) Sample {
	s := Sample{
		File: r.file, Row: r.line, Phase: "import",
		Workload: strings.Join(r.workload, " "), Metrics: r.metrics, Hit: unknown,
		Threads: im.number(r, factorThreads), Batch: im.number(r, factorBatch),
		MessageBytes: r.bytes, MegabytesPerSecond: r.rate, MegabytesDecimals: r.decimals,
		Offered: r.offered, Operations: r.count,
	}
	if h := im.number(r, factorHit); share(h) {
		s.Hit = h
	}
	if cpu, x := s.Metrics[ServerCPU], s.Metrics[Throughput]; cpu > 0 && x > 0 {
		s.Metrics[ServerCPUPerOp] = 1e6 * cpu / x // of all the server's cores together
	}
	s.Values = make([]hbaseconf.Value, len(im.factors))
	copy(s.Values, r.values)
	var label strings.Builder
	label.WriteString(s.Workload)
	moved := 0
	for i, name := range im.factors {
		v := r.value(i)
		if !p.arm[i] {
			if p.varies[i] && v != "" && isLoadFactor(name) {
				if name == factorHit {
					v = roughly(v)
				}
				fmt.Fprintf(&label, ", %s %s", name, v)
			}
			continue
		}
		if base, _ := p.baseline.Get(name); v != base && v != "" {
			s.Settings = s.Settings.With(hbaseconf.Setting{Name: name, Value: v})
			s.Moved = name
			moved++
		}
	}
	if moved > 1 {
		s.Moved = ""
	}
	s.Condition = strings.TrimPrefix(label.String(), ", ")
	if s.Condition == "" {
		s.Condition = "all rows"
	}
	switch {
	case p.labelled && isBaselineLabel(r.trial):
		s.Arm = trial.BaselineID
	case p.labelled:
		s.Arm = armLabel(r.trial)
	case p.known && moved == 0:
		s.Arm = trial.BaselineID
	case moved == 0:
		s.Arm = "as given"
	default:
		s.Arm = s.Settings.String()
	}
	return s
}

// number reads a factor of a row as a number, unknown if it has none.
func (im *Import) number(r *row, name string) float64 {
	i, ok := im.place[name]
	if !ok {
		return unknown
	}
	x, ok := r.value(i).Number()
	if !ok {
		return unknown
	}
	return x
}

// roughly rounds a measured hit rate, so that rows at one level stay together.
func roughly(v hbaseconf.Value) hbaseconf.Value {
	x, ok := v.Number()
	if !ok {
		return v
	}
	return hbaseconf.Value(strconv.FormatFloat(math.Round(x*20)/20, 'g', -1, 64))
}

// describe makes a factor of a column.
func (im *Import) describe(i int, name string, baseline hbaseconf.Settings) Factor {
	f := Factor{Name: name, Load: isLoadFactor(name)}
	f.Baseline, _ = baseline.Get(name)
	f.Log = f.Load && name != factorHit
	if f.Load {
		f.Unit = map[string]string{factorThreads: "threads", factorBatch: "rows a call", factorRegions: "regions", factorHit: "share"}[name]
	} else if p, ok := im.catalogue.Lookup(name); ok {
		f.Unit, f.Log = p.Unit, p.Scale == hbaseconf.Log
	}
	return f
}
