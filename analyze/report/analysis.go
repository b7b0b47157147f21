package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"hbtune/analyze"
)

// Analysis writes what was found in measurements of another tool as one
// self-contained page: verdict, curves, comparison, trade-offs, audit. title
// says what was read.
func Analysis(w io.Writer, r *analyze.Result, title string) error {
	t, err := template.ParseFS(templates, "templates/*.html.tmpl")
	if err != nil {
		return fmt.Errorf("report templates: %w", err)
	}
	in := newView(Input{Result: r})
	for _, f := range r.Factors {
		in.units[f.Name] = f.Unit
	}
	p, err := newPage(in)
	if err != nil {
		return err
	}
	if len(p.Curves) > 2 && !slices.ContainsFunc(p.Curves, func(g curveGroup) bool { return len(g.Figures) > 1 }) {
		p.Curves = byFactor(p.Curves)
	}
	p.Title, p.Imported, p.Commands = title, true, nil
	p.Series, p.Confirm, p.ConfirmForest = nil, nil, nil
	p.Facts = analysisFacts(r)
	p.Sections = p.sections()
	return execute(w, t, "analysis.html.tmpl", p)
}

// byFactor puts the curves of many conditions, one each, side by side.
func byFactor(groups []curveGroup) []curveGroup {
	var out []curveGroup
	for _, g := range groups {
		for _, f := range g.Figures {
			name := strings.ReplaceAll(string(f.Title), "<wbr>", "")
			i := slices.IndexFunc(out, func(o curveGroup) bool { return o.Name == name })
			if i < 0 {
				i = len(out)
				out = append(out, curveGroup{Name: name})
			}
			f.Title = breakable(g.Name)
			out[i].Figures = append(out[i].Figures, f)
		}
	}
	return out
}

// analysisFacts tell by which rules the numbers came about.
func analysisFacts(r *analyze.Result) []fact {
	objective := metricLabel(r.Objective)
	if len(r.Constraints) > 0 {
		objective += ", under " + strings.Join(r.Constraints, ", ")
	}
	out := []fact{
		{"Measurements", fmt.Sprintf("%d used, %d not", r.Samples, len(r.Excluded))},
		{"Objective", objective},
		{"Equivalence band", fmt.Sprintf("two variants whose ratio lies within ±%s count as equal", percent(r.Equivalence))},
	}
	if text := r.Baseline.String(); text != "" {
		out = append(out, fact{"Baseline", text})
	}
	if text := noise(r.Noise); text != "" {
		out = append(out, fact{"Noise", text})
	}
	return out
}
