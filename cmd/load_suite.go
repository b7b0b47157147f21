package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"hbtune/sweep/load"
)

// suiteOptions are the flags that were given; the suite has its own levels for
// the others.
func (o *loadOptions) suiteOptions(given func(string) bool) load.SuiteOptions {
	s := load.SuiteOptions{
		Batches: o.batches, Hits: o.hits, Duration: o.duration, WarmupCap: o.warmupCap,
		Seed: o.seed, Table: o.table, DebtDone: o.quiesce, WorkingSet: o.workingSet,
	}
	if given("threads") {
		s.Threads = o.threads
	}
	if given("records") {
		s.Records = o.records
	}
	if given("value-bytes") {
		s.ValueBytes = o.valueBytes
	}
	if given("regions") {
		s.Regions = o.regions
	}
	o.planned = s
	return s
}

func runSuite(ctx context.Context, e *env, o loadOptions) error {
	s, err := o.place.open(ctx, e)
	if err != nil {
		return err
	}
	defer s.close()
	result, failed := load.RunSuite(ctx, s.tables, s.figures, o.suite, o.planned, func(line string) { fmt.Fprintln(e.Err, line) })
	if result == nil || len(result.Steps) == 0 {
		return loadError(failed)
	}
	// What was measured before a failure is worth showing; the failure is what
	// has to be said last.
	err = errors.Join(writeSuite(e, o, result), writeSuiteChart(o, result))
	if failed != nil {
		return loadError(failed)
	}
	return err
}

func writeSuite(e *env, o loadOptions, result *load.SuiteResult) error {
	if e.json {
		return e.printJSON(result)
	}
	tables, err := result.Tables()
	if err != nil {
		return err
	}
	for _, t := range tables {
		printSuiteTable(e.Out, t)
	}
	return nil
}

func writeSuiteChart(o loadOptions, result *load.SuiteResult) error {
	if o.output.chart == "" {
		return nil
	}
	return writeFile(o.output.chart, func(w io.Writer) error { return load.WriteHitChart(w, result.HitPoints()) })
}

func printSuiteTable(w io.Writer, s load.SuiteTable) {
	fmt.Fprintf(w, "%s\n\n", s.Title)
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateColumns = false
	row := func(cells []string) table.Row {
		r := make(table.Row, len(cells))
		for i, c := range cells {
			r[i] = c
		}
		return r
	}
	t.AppendHeader(row(s.Header))
	for _, cells := range s.Rows {
		t.AppendRow(row(cells))
	}
	t.Render()
	for _, note := range s.Notes {
		fmt.Fprintln(w, note)
	}
	fmt.Fprintln(w)
}
