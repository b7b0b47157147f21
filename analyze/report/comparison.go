package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// comparisonTable compares every candidate with the baseline in one condition.
type comparisonTable struct {
	Name   string
	Values bool
	Rows   []comparisonRow
}

// comparisonRow is one candidate in one condition.
type comparisonRow struct {
	comparison analyze.Comparison // what the forest plot draws

	Variant, Condition             string
	Moves                          []string
	N                              string // how often candidate and baseline were restarted
	Baseline, Value                string // the objective
	Effect, P, Verdict, Breaks     string
	VerdictClass, Method, Sessions string
}

// comparisons tabulates the exploration: all conditions together first.
func comparisons(in view) []comparisonTable {
	var names []string
	byName := map[string][]comparisonRow{}
	for _, c := range in.Result.Comparisons {
		if c.Phase == string(trial.Confirm) {
			continue
		}
		if byName[c.Workload] == nil {
			names = append(names, c.Workload)
		}
		byName[c.Workload] = append(byName[c.Workload], newComparison(in, c))
	}
	place := variantOrder(in)
	for _, rows := range byName {
		slices.SortStableFunc(rows, func(a, b comparisonRow) int { return place(a.comparison, b.comparison) })
	}
	var tables []comparisonTable
	add := func(name string) {
		tables = append(tables, comparisonTable{Name: workloadTitle(name), Values: name != overall, Rows: byName[name]})
	}
	if byName[overall] != nil {
		add(overall)
	}
	for _, name := range names {
		if name != overall {
			add(name)
		}
	}
	return tables
}

// confirmations are the comparisons of the confirmation phase.
func confirmations(in view) []comparisonRow {
	var rows []comparisonRow
	for _, c := range in.Result.Comparisons {
		if c.Phase == string(trial.Confirm) {
			rows = append(rows, newComparison(in, c))
		}
	}
	return rows
}

func newComparison(in view, c analyze.Comparison) comparisonRow {
	row := comparisonRow{
		comparison: c,
		Variant:    c.Variant,
		Moves:      moves(trial.Variant{Settings: c.Settings}, in),
		Condition:  workloadTitle(c.Workload),
		N:          plural(c.N, "restart", "restarts") + fmt.Sprintf(", baseline %d", c.BaselineN),
		Baseline:   "–", Value: "–",
		Effect:   interval(c.Ratio, c.Low, c.High),
		P:        "–",
		Verdict:  strings.ReplaceAll(c.Verdict, "-", " "),
		Breaks:   strings.Join(c.Breaks, ", "),
		Method:   testName(c.Method),
		Sessions: in.cited.list(c.Trials),
	}
	if c.Value != nil && c.BaselineValue != nil {
		row.Value = responseNumber(in.Result.Objective, *c.Value)
		row.Baseline = responseNumber(in.Result.Objective, *c.BaselineValue)
	}
	if c.Holm != nil {
		row.P = pValue(*c.Holm)
	} else if c.P != nil && c.Phase == string(trial.Confirm) {
		row.P = pValue(*c.P)
	}
	switch c.Verdict {
	case "better":
		row.VerdictClass = "good"
	case "worse":
		row.VerdictClass = "bad"
	default:
		row.VerdictClass = "muted"
	}
	return row
}

// variantOrder sorts by factor, in the order of the sweep, then by its value.
func variantOrder(in view) func(a, b analyze.Comparison) int {
	factors := map[string]int{}
	for i, p := range in.Sweep.Parameters {
		factors[p.Property] = i + 1
	}
	value := func(c analyze.Comparison) float64 {
		v, _ := c.Settings.Get(c.Factor)
		x, _ := v.Number()
		return x
	}
	return func(a, b analyze.Comparison) int {
		return cmp.Or(cmp.Compare(factors[a.Factor], factors[b.Factor]), cmp.Compare(value(a), value(b)))
	}
}

// failedRow is a variant that gave no measurement, and why.
type failedRow struct {
	Variant          string
	Moves            []string
	Reason, Sessions string
}

// failedVariants lists what failed, with the server's own reason.
func failedVariants(in view) []failedRow {
	type key struct{ variant, reason string }
	var order []key
	variants, trials := map[key]trial.Variant{}, map[key][]string{}
	for _, r := range in.ordered {
		if r.Fault == nil {
			continue
		}
		k := key{r.Variant.ID, r.Fault.Code + ": " + r.Fault.Message}
		if trials[k] == nil {
			order = append(order, k)
			variants[k] = r.Variant
		}
		trials[k] = append(trials[k], r.ID)
	}
	var rows []failedRow
	for _, k := range order {
		rows = append(rows, failedRow{
			Variant: k.variant, Moves: moves(variants[k], in), Reason: k.reason, Sessions: in.cited.list(trials[k]),
		})
	}
	return rows
}

// testName writes out the test behind a p.
func testName(method string) string {
	switch method {
	case "pooled-t":
		return "t test, pooled"
	case "exact-u":
		return "exact U test"
	case "exact-signed-rank":
		return "exact signed-rank test"
	case "welch-t":
		return "Welch's t test"
	default:
		return method
	}
}

// importance says which properties the differences come from.
func importance(r *analyze.Result) string {
	var parts []string
	for _, one := range r.Importance {
		text := shortName(one.Property) + " " + percent(one.Share)
		if one.Low != nil && one.High != nil {
			text += fmt.Sprintf(" (%s to %s)", percent(*one.Low), percent(*one.High))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
