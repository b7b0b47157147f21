package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"hbtune/analyze"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// content is what a report says in words and tables; HTML adds charts to it.
type content struct {
	Title      string
	Verdict    string // class for the style: "improves", "none", "insufficient"
	Sentence   string
	Details    []string // what stands under the sentence
	Settings   []settingRow
	Why        []string
	CostHead   []string
	Costs      []costRow
	Warnings   []string
	Commands   []command
	Compared   []comparisonTable
	Confirmed  []comparisonRow
	Failed     []failedRow
	Importance string
	FrontHead  []string
	Front      []frontRow
	Surface    []string
	Trials     []trialRow
	Audit      []auditRow
	Excluded   []analyze.Exclusion
	Drift      []driftRow
	Facts      []fact
	Events     []string
	Again      []string // commands that repeat it
}

// settingRow is one property of the recommendation.
type settingRow struct{ Name, Baseline, Recommended, TakesEffect string }

// costRow is what the recommendation did to the other metrics in one condition.
type costRow struct {
	Condition string
	Changes   []string
	Trials    string
}

func newContent(in view) content {
	r := in.Result
	t := content{
		Title:      fmt.Sprintf("HBase tuning report, %s, HBase %s", in.Sweep.ID, in.Sweep.HBaseVersion),
		Sentence:   headline(in),
		Warnings:   warnings(in),
		Commands:   commands(in),
		Compared:   comparisons(in),
		Failed:     failedVariants(in),
		Importance: importance(in.Result),
		Trials:     trialRows(in),
		Audit:      auditRows(r),
		Excluded:   r.Excluded,
		Drift:      driftRows(in),
		Facts:      facts(in),
		Events:     events(in),
		Again:      again(in),
	}
	switch r.Verdict {
	case analyze.Improves:
		t.Verdict = "improves"
	case analyze.InsufficientData:
		t.Verdict = "insufficient"
	default:
		t.Verdict = "none"
	}
	t.Details = details(in)
	for _, e := range r.Explanations {
		t.Why = append(t.Why, sentence(e))
	}
	t.Settings = settingRows(in)
	t.CostHead, t.Costs = costs(in)
	t.FrontHead, t.Front = frontRows(in)
	t.Surface = surfaceNotes(in)
	t.Confirmed = confirmations(in)
	return t
}

// details puts the numbers under the sentence.
func details(in view) []string {
	r := in.Result
	var out []string
	if e := r.Effect; e != nil && r.Verdict == analyze.Improves {
		how := "confirmed: measured again, against the baseline, on fresh restarts"
		if !e.Confirmed {
			how = "not confirmed by a measurement of its own"
		}
		out = append(out, fmt.Sprintf("Effect %s (sessions %s).", how, in.cited.list(e.Trials)))
	}
	if c := r.Unconfirmed; c != nil {
		s := fmt.Sprintf("The best candidate, %s (%s in the tables), came to %s: %s", settingsText(in, c.Settings.Map()), c.Variant, interval(c.Ratio, c.Low, c.High), c.Reason)
		if e := r.Effect; e != nil {
			s += fmt.Sprintf(" (sessions %s)", in.cited.list(e.Trials))
		}
		out = append(out, s+".")
	}
	if r.Verdict != analyze.Improves {
		if r.Noise.Statement != "" {
			out = append(out, sentence(r.Noise.Statement))
		}
		out = append(out, "There is nothing to apply.")
	}
	return out
}

// headline is the verdict in one sentence, with ratio and interval.
func headline(in view) string {
	r := in.Result
	if r.Verdict != analyze.Improves || r.Effect == nil {
		// The statement about the noise follows on a line of its own.
		return sentence(strings.TrimSuffix(r.Summary, "; "+r.Noise.Statement))
	}
	confirmed := "not confirmed"
	if r.Effect.Confirmed {
		confirmed = "confirmed on fresh restarts"
	}
	what := "Set " + settingsText(in, r.Settings.Map())
	if n := r.Settings.Len(); n > 2 {
		what = fmt.Sprintf("Set the %d properties below", n)
	}
	effect := change(r.Effect.Ratio)
	if e := r.Effect; e.Low != nil && e.High != nil {
		effect += fmt.Sprintf(" (95 %% interval %s to %s)", change(*e.Low), change(*e.High))
	}
	return fmt.Sprintf("%s: %s %s, %s.", what, lowerFirst(metricLabel(r.Objective)), effect, confirmed)
}

// metricLabel names an objective at the start of a sentence.
func metricLabel(objective string) string {
	m, err := analyze.ParseMetric(objective)
	if err != nil {
		return objective
	}
	if m >= analyze.P50 && m <= analyze.P999 {
		return metricName(m) + " latency"
	}
	return metricName(m)
}

// settingsText writes settings for a sentence, in order of name.
func settingsText(in view, settings map[string]string) string {
	var parts []string
	for name, value := range settings {
		parts = append(parts, name+" = "+settingText(value, in.units[name]))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Wrapped is the name with places to break it.
func (r settingRow) Wrapped() template.HTML { return breakable(r.Name) }

func settingRows(in view) []settingRow {
	var rows []settingRow
	for name, value := range in.Result.Settings.All() {
		row := settingRow{Name: name, Baseline: "not set", Recommended: inFile(string(value), in.units[name])}
		if was, known := in.Result.Baseline.Get(name); known {
			row.Baseline = inFile(string(was), in.units[name])
		}
		if in.TakesEffect != nil {
			row.TakesEffect = in.TakesEffect(name)
		}
		rows = append(rows, row)
	}
	return rows
}

// inFile writes a value readably and, where that differs, as it stands in the
// file.
func inFile(value, unit string) string {
	readable := settingText(value, unit)
	if readable == value {
		return value
	}
	return readable + " (" + value + ")"
}

// costs tabulates what the recommended variant did to every metric.
func costs(in view) (head []string, rows []costRow) {
	r := in.Result
	var list []analyze.Comparison
	var seen []analyze.Metric
	for _, c := range r.Comparisons {
		if c.Phase != string(trial.Confirm) || r.Verdict != analyze.Improves {
			continue
		}
		list = append(list, c)
	}
	for _, m := range metrics() {
		if slices.ContainsFunc(list, func(c analyze.Comparison) bool { _, has := c.Ratios[m.String()]; return has }) {
			seen = append(seen, m)
			head = append(head, metricName(m))
		}
	}
	if len(seen) == 0 {
		return nil, nil
	}
	for _, c := range list {
		row := costRow{Condition: workloadTitle(c.Workload), Trials: in.cited.list(c.Trials)}
		for _, m := range seen {
			cell := "–"
			if ratio, has := c.Ratios[m.String()]; has {
				cell = change(ratio)
			}
			row.Changes = append(row.Changes, cell)
		}
		rows = append(rows, row)
	}
	return head, rows
}

func warnings(in view) []string {
	out := unfinished(in)
	for _, w := range in.Result.Warnings {
		out = append(out, sentence(strings.Replace(w, "; see excluded", "; they are listed under method and environment", 1)))
	}
	serious := 0
	for _, f := range in.Result.Audit {
		// Of these two analyze warns itself.
		if f.Severity == "warning" && f.Code != "not-steady" && f.Code != "client-bound" {
			serious++
		}
	}
	if serious > 0 {
		out = append(out, fmt.Sprintf("The audit has %s more, listed under method and environment.", plural(serious, "warning", "warnings")))
	}
	return out
}

// unfinished warns of a sweep that did not come to its end, by the events that
// it writes as its last word.
func unfinished(in view) []string {
	if len(in.Events) == 0 {
		return nil
	}
	dir := shellQuote(strings.TrimSuffix(in.Dir, "/"))
	// Also a sweep that was done before may have been resumed, and have failed.
	if last := in.Events[len(in.Events)-1]; last.Code == "not-restored" {
		return []string{fmt.Sprintf("The target was NOT put back as it was (%s): run `hbtune sweep restore %s`.", last.Message, dir)}
	}
	if slices.ContainsFunc(in.Events, func(e journal.Event) bool { return e.Code == "done" }) {
		return nil
	}
	return []string{fmt.Sprintf("The sweep has not come to its end: this is what was measured so far. `hbtune sweep resume %s` goes on with it.", dir)}
}
