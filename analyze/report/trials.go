package report

import (
	"fmt"
	"slices"
	"strings"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// trialRow is one line of the table of all trials.
type trialRow struct {
	ID, Phase, Variant             string
	Moves                          []string
	Block                          int
	HitTarget, Hit, Throughput     string
	Ops                            []opRow
	ClientCPU, Steady, Flags, Note string
	Failed                         bool
}

// opRow is the latency of one kind of operation, in milliseconds.
type opRow struct{ Name, Mean, P50, P95, P99 string }

func trialRows(in view) []trialRow {
	rows := make([]trialRow, 0, len(in.Records))
	for _, r := range in.ordered {
		row := trialRow{
			ID: r.ID, Phase: string(r.Phase), Block: r.Block, Variant: r.Variant.ID,
			Moves: moves(r.Variant, in), HitTarget: "–", Steady: "–",
		}
		if r.Workload.HitTarget > 0 {
			row.HitTarget = percent(r.Workload.HitTarget)
		}
		if m := r.Measurement; m != nil {
			row.fill(m)
		}
		if f := r.Fault; f != nil {
			row.Failed = true
			row.Note = f.Code + ": " + f.Message
		}
		rows = append(rows, row)
	}
	return rows
}

func (row *trialRow) fill(m *trial.Measurement) {
	row.Throughput = quantity(m.Throughput)
	row.ClientCPU = percent(m.Client.CPUShare)
	row.Flags = strings.Join(m.Flags, ", ")
	if m.Hit.Lookups > 0 {
		row.Hit = percent(m.Hit.DataBlocks)
	}
	row.Steady = fmt.Sprintf("no (%.0f s)", m.WarmupSeconds)
	if m.Steady {
		row.Steady = fmt.Sprintf("%.0f s", m.WarmupSeconds)
	}
	for _, name := range opNames(m) {
		l := m.Ops[name]
		row.Ops = append(row.Ops, opRow{
			Name: name, Mean: millis(l.MeanMicros), P50: millis(float64(l.P50Micros)),
			P95: millis(float64(l.P95Micros)), P99: millis(float64(l.P99Micros)),
		})
	}
}

// opNames lists the kinds of operation, reads first.
func opNames(m *trial.Measurement) []string {
	var names []string
	for name := range m.Ops {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "read") != (b == "read") {
			if a == "read" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// inPlanOrder returns the records in the order in which they were measured.
func inPlanOrder(records []trial.Record) []trial.Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b trial.Record) int { return a.Order - b.Order })
	return sorted
}

// moves says in which settings a variant leaves the baseline, by short names.
func moves(v trial.Variant, in view) []string {
	var parts []string
	for name, value := range v.Settings.All() {
		if was, known := in.Sweep.Baseline.Get(name); known && was == value {
			continue
		}
		parts = append(parts, shortName(name)+" = "+setting(value, in.units[name]))
	}
	return parts
}

// shortName leaves out what most property names begin with.
func shortName(name string) string {
	name = strings.TrimPrefix(name, "hbase.")
	for _, prefix := range []string{"regionserver.", "hregion.", "hstore."} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return rest
		}
	}
	return name
}

// unitsOf maps each swept property to its unit.
func unitsOf(s trial.Sweep) map[string]string {
	units := map[string]string{}
	for _, p := range s.Parameters {
		units[p.Property] = p.Unit
	}
	return units
}

// condition is analyze's name for the condition that a workload is, or the
// workload's own where no measurement of it was analysed.
func condition(r *analyze.Result, w trial.Workload) string {
	for _, c := range r.Conditions {
		if c.Workload == w.Name && c.Target == w.HitTarget {
			return c.Name
		}
	}
	return w.Name
}

// operations says what is done, with shares.
func operations(w trial.Workload) string {
	if w.Queue {
		return fmt.Sprintf("appends to a message queue and %d readers, batches of %d messages", w.Followers, max(w.Batch, 1))
	}
	mix := w.Shares()
	if w.Mix == (trial.Mix{}) || mix.Read+mix.Update > 1-1e-9 {
		return fmt.Sprintf("%.3g %% gets and %.3g %% puts", mix.Read*100, mix.Update*100)
	}
	var parts []string
	for _, part := range []struct {
		share float64
		name  string
	}{{mix.Read, "gets"}, {mix.Scan, "scans"}, {mix.Update, "puts"}, {mix.Insert, "inserts"}, {mix.ReadModifyWrite, "read-modify-writes"}} {
		if part.share > 0 {
			parts = append(parts, fmt.Sprintf("%.3g %% %s", part.share*100, part.name))
		}
	}
	return strings.Join(parts, ", ")
}

// describe says in full what a workload does.
func describe(w trial.Workload) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d threads", w.Threads)
	if w.Rate > 0 {
		fmt.Fprintf(&b, " at most, %g operations started a second", w.Rate)
	} else {
		b.WriteString(" in a closed loop")
	}
	fmt.Fprintf(&b, ", %s of ", operations(w))
	if w.Columns > 1 {
		fmt.Fprintf(&b, "%d columns of ", w.Columns)
	}
	b.WriteString(byteSize(float64(w.ValueBytes)))
	fmt.Fprintf(&b, ", %s rows loaded", grouped(w.Rows))
	if w.WorkingSet > 0 {
		fmt.Fprintf(&b, ", keys drawn from %s of them", grouped(w.WorkingSet))
	}
	if w.HitTarget > 0 {
		fmt.Fprintf(&b, " (calibrated so that the baseline finds %.3g %% of the data blocks in its cache)", w.HitTarget*100)
	}
	if w.Driver != "" {
		fmt.Fprintf(&b, ", driven by HBase's own client (%s)", w.Driver)
	}
	return b.String()
}
