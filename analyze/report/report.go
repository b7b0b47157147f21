// Package report shows what analyze found: an HTML page that opens anywhere
// without a network (style and charts are inside it), Markdown for a ticket,
// CSV that `hbtune analyze --import csv` reads back, and JSON.
//
// The pipeline is Input → page (strings and SVG, decided here) → template. The
// package computes no statistics: every number is a record's of sweep/trial, or
// stands in an analyze.Result, and is shown with the trials that it rests on.
// The same input gives the same bytes.
//
// Charts are drawn with gonum's vg in roles instead of colours (theme.go); the
// style sheet gives each role its colour for light and dark screens.
package report

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"

	"hbtune/analyze"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// Input is all that a report is made of.
type Input struct {
	Sweep   trial.Sweep
	Records []trial.Record
	Events  []journal.Event
	Result  *analyze.Result
	// Dir is the sweep's folder as the reader should type it.
	Dir string
	// Version is hbtune's.
	Version string
	// TakesEffect tells how a property takes effect ("restart of the
	// RegionServers"); nil or an empty answer leaves it out.
	TakesEffect func(property string) string
}

// view is the input with what several parts of a report look up in it.
type view struct {
	Input
	ordered []trial.Record    // in the order measured
	units   map[string]string // of the swept properties
	cited   citations
}

func newView(in Input) view {
	return view{Input: in, ordered: inPlanOrder(in.Records), units: unitsOf(in.Sweep), cited: newCitations(in.Records)}
}

//go:embed templates
var templates embed.FS

// HTML writes the report as one self-contained page.
func HTML(w io.Writer, in Input) error {
	t, err := template.ParseFS(templates, "templates/*.html.tmpl")
	if err != nil {
		return fmt.Errorf("report templates: %w", err)
	}
	page, err := newPage(newView(in))
	if err != nil {
		return err
	}
	return execute(w, t, "report.html.tmpl", page)
}

func execute(w io.Writer, t *template.Template, name string, page *page) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, page); err != nil {
		return fmt.Errorf("make the HTML report: %w", err)
	}
	// A percent sign must not be torn from its number by a line break.
	if _, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte(" %"), []byte("\u00a0%"))); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

// Markdown writes the report without charts.
func Markdown(w io.Writer, in Input) error {
	t, err := texttemplate.New("report.md.tmpl").Funcs(texttemplate.FuncMap{"cell": markdownCell, "join": func(list []string) string { return strings.Join(list, ", ") }}).
		ParseFS(templates, "templates/report.md.tmpl")
	if err != nil {
		return fmt.Errorf("report templates: %w", err)
	}
	page := newContent(newView(in))
	if err := t.Execute(w, page); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}

// JSON writes the Result, as `hbtune analyze --json` does.
func JSON(w io.Writer, in Input) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(in.Result); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	return nil
}
