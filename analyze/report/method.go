package report

import (
	"fmt"
	"strings"
	"time"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// fact is one line of the method: a name and what is to be said.
type fact struct{ Name, Text string }

// auditRow is a finding in a measurement.
type auditRow struct{ Severity, Code, Where, Message string }

// driftRow tells how the baseline moved within a block.
type driftRow struct{ Block, Condition, Change, Removed, Trials string }

func auditRows(r *analyze.Result) []auditRow {
	var rows []auditRow
	for _, f := range r.Audit {
		where := f.Trial
		if where == "" && f.Row > 0 {
			where = fmt.Sprintf("%s line %d", f.File, f.Row)
		}
		rows = append(rows, auditRow{Severity: f.Severity, Code: f.Code, Where: strings.TrimSpace(where), Message: f.Message})
	}
	return rows
}

func driftRows(in view) []driftRow {
	var rows []driftRow
	for _, d := range in.Result.Drift {
		row := driftRow{
			Block: fmt.Sprint(d.Block), Condition: d.Workload, Change: change(d.Ratio),
			Removed: "left in the noise", Trials: in.cited.list(d.Trials),
		}
		if d.Removed {
			row.Removed = "taken out before comparing"
		}
		rows = append(rows, row)
	}
	return rows
}

// facts tell under which conditions and by which method the numbers came about.
func facts(in view) []fact {
	s, r := in.Sweep, in.Result
	var out []fact
	add := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			out = append(out, fact{Name: name, Text: text})
		}
	}
	add("Target", "%s, HBase %s", s.Target, s.HBaseVersion)
	add("Load generator", "%s, %s, %s of memory%s", s.Host.OS, plural(s.Host.Cores, "core", "cores"), byteSize(float64(s.Host.MemoryBytes)), drivers(in.Records))
	if from, to, ok := span(in.Records); ok {
		add("Measured", "%s to %s (%s)", from.UTC().Format("2006-01-02 15:04:05"), to.UTC().Format("2006-01-02 15:04:05 MST"), to.Sub(from).Round(time.Second))
	}
	objective := metricLabel(r.Objective)
	if len(r.Constraints) > 0 {
		objective += ", under " + strings.Join(r.Constraints, ", ")
	}
	add("Objective", "%s", objective)
	for _, w := range s.Workloads {
		add("Workload "+condition(r, w), "%s", describe(w))
	}
	add("Plan", "%s in random order, each with the baseline among them; %s of fresh restarts for the confirmation. The unit of replication is the restart, not the trial.",
		plural(s.Blocks, "block", "blocks"), plural(s.Confirm, "pair", "pairs"))
	add("Measurements", "%d of %d records used by the analysis", r.Samples, len(in.Records))
	add("Noise floor (A/A)", "%s", noise(r.Noise))
	add("Equivalence band", "two variants whose ratio lies within ±%s count as equal", percent(r.Equivalence))
	add("Restart", "%s", restarts(in.Records))
	add("Seed", "%d: plan, keys and bootstrap", s.Seed)
	add("Baseline", "%s", settingsText(in, r.Baseline.Map()))
	dir := strings.TrimSuffix(in.Dir, "/")
	add("Journal", "%s/journal.jsonl: one line a record; every trial named here is found there by its id", dir)
	if in.Version != "" {
		add("hbtune", "%s", in.Version)
	}
	return out
}

func noise(n analyze.Noise) string {
	text := n.Statement
	if n.WithinRestart != nil {
		text += fmt.Sprintf("; within one restart measurements differ by %s", percent(*n.WithinRestart))
	}
	return strings.TrimPrefix(text, "; ")
}

// drivers names the load drivers used.
func drivers(records []trial.Record) string {
	for _, r := range records {
		if r.Measurement != nil && r.Measurement.Driver != "" {
			return ", driver " + r.Measurement.Driver
		}
	}
	return ""
}

// span is from the first start to the last end.
func span(records []trial.Record) (from, to time.Time, ok bool) {
	for _, r := range records {
		if r.Start.IsZero() {
			continue
		}
		if !ok || r.Start.Before(from) {
			from = r.Start
		}
		if r.End.After(to) {
			to = r.End
		}
		ok = true
	}
	return from, to, ok && to.After(from)
}

// restarts tells what one restart cost, as the receipts have it.
func restarts(records []trial.Record) string {
	var stop, start [2]float64
	n := 0
	for _, r := range records {
		if r.Receipt == nil || r.Receipt.StartSeconds <= 0 {
			continue
		}
		stop, start = spread(stop, r.Receipt.StopSeconds, n), spread(start, r.Receipt.StartSeconds, n)
		n++
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s to stop and %s until every region serves again", seconds(stop), seconds(start))
}

func spread(s [2]float64, x float64, n int) [2]float64 {
	if n == 0 {
		return [2]float64{x, x}
	}
	return [2]float64{min(s[0], x), max(s[1], x)}
}

func seconds(s [2]float64) string {
	if fmt.Sprintf("%.0f", s[0]) == fmt.Sprintf("%.0f", s[1]) {
		return fmt.Sprintf("%.0f s", s[0])
	}
	return fmt.Sprintf("%.0f–%.0f s", s[0], s[1])
}

// events are what happened besides the trials.
func events(in view) []string {
	var out []string
	for _, e := range in.Events {
		out = append(out, fmt.Sprintf("%s %s: %s", e.Time.UTC().Format("15:04:05"), e.Code, e.Message))
	}
	return out
}
