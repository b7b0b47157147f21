package cmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"hbtune/analyze"
	"hbtune/analyze/report"
)

// printAnalysis shows verdict, comparisons, curves and doubts.
func printAnalysis(w io.Writer, r *analyze.Result) error {
	p := &printer{w: w}
	p.line("%s: %s", r.Verdict, r.Summary)
	for name, value := range r.Settings.All() {
		p.line("  %s = %s", name, value)
	}
	for _, text := range r.Explanations {
		p.line("  - %s", text)
	}
	if len(r.Comparisons) > 0 {
		p.line("\nAgainst the baseline (%s), %s:", orNothing(r.Baseline.String(), "as given"), r.Objective)
		p.table(table.Row{"variant", "workload", "phase", "n", "ratio", "95 % interval", "p (Holm)", "p99", "verdict"}, comparisonRows(r))
	}
	if len(r.Curves) > 0 {
		p.line("\nCurves:")
		p.table(table.Row{"factor", "workload", "model", "error", "best at", "95 % interval", "note"}, curveRows(r))
		p.drawings(r.Curves)
	}
	p.surface(r.Surface)
	p.tradeoffs(r.Tradeoffs)
	if r.Noise.Statement != "" {
		p.line("\nNoise: %s", r.Noise.Statement)
	}
	if len(r.Audit) > 0 {
		p.line("\nDoubtful measurements:")
		p.findings(r.Audit)
	}
	for _, x := range r.Excluded {
		p.line("not used: %s: %s", x.Trial, x.Reason)
	}
	for _, text := range r.Warnings {
		p.line("note: %s", text)
	}
	return p.err
}

// mostDrawings is how many curves a terminal is given.
const mostDrawings = 4

// drawings draws the curves that show something.
func (p *printer) drawings(curves []analyze.Curve) {
	drawn, left := 0, 0
	for _, c := range curves {
		text := report.CurveText(c)
		switch {
		case text == "":
		case drawn < mostDrawings:
			p.line("\n%s", strings.TrimRight(text, "\n"))
			drawn++
		default:
			left++
		}
	}
	if left > 0 {
		p.line("\n%d more curves: with --import, --html FILE draws them all; hbtune report draws a sweep's", left)
	}
}

// surface shows what moving several properties together says.
func (p *printer) surface(s *analyze.Surface) {
	if s == nil {
		return
	}
	p.line("\nSurface over %d settings: %s, leave-one-out error %s%s", s.Settings, s.Model, number(s.LOOError, "%.3f"), orNothing(s.Note, ""))
	var rows []table.Row
	for _, e := range s.Effects {
		low, high := e.Points[0], e.Points[len(e.Points)-1]
		rows = append(rows, table.Row{
			e.Factor, fmt.Sprintf("%.4g: ×%.3f (%.3f – %.3f)", low[0], low[1], low[2], low[3]),
			fmt.Sprintf("%.4g: ×%.3f (%.3f – %.3f)", high[0], high[1], high[2], high[3]),
		})
	}
	if len(rows) > 0 {
		p.table(table.Row{"main effect", "at the low end", "at the high end"}, rows)
	}
	if q := s.Proposal; q != nil {
		p.line("proposal: %s (%s)", q.Settings, q.Reason)
	}
}

// tradeoffs shows the front: what no other variant beats in every objective.
func (p *printer) tradeoffs(list []analyze.Tradeoff) {
	var rows []table.Row
	for _, t := range list {
		if !t.Front {
			continue
		}
		row := table.Row{t.Label}
		for _, name := range []string{"throughput", "mean_us", "p99_us", "server_cpu_us_per_op"} {
			cell := ""
			if x, ok := t.Ratios[name]; ok {
				cell = fmt.Sprintf("×%.3f", x)
			}
			row = append(row, cell)
		}
		note := ""
		if len(t.Breaks) > 0 {
			note = "breaks " + strings.Join(t.Breaks, ", ")
		}
		if t.Chosen {
			note = "chosen"
		}
		rows = append(rows, append(row, note))
	}
	if len(rows) > 1 {
		p.line("\nPareto front, as ratios to the baseline:")
		p.table(table.Row{"variant", "throughput", "mean", "p99", "CPU/operation", ""}, rows)
	}
}

// findings lists what the audit found, the same finding of many measurements
// but a few times.
func (p *printer) findings(list []analyze.Finding) {
	const shown = 3
	count := map[string]int{}
	for _, f := range list {
		if count[f.Code]++; count[f.Code] <= shown || f.Code != analyze.AuditSteady && f.Code != analyze.AuditClient {
			p.line("  %s: %s (%s): %s", where(f), f.Code, f.Severity, f.Message)
		}
	}
	for _, code := range []string{analyze.AuditSteady, analyze.AuditClient} {
		if more := count[code] - shown; more > 0 {
			p.line("  %s: %d more (--json lists them)", code, more)
		}
	}
}

func where(f analyze.Finding) string {
	if f.Row > 0 {
		return f.File + ":" + strconv.Itoa(f.Row)
	}
	return f.Trial
}

// comparisonRows shows the conditions of a variant below its overall effect.
func comparisonRows(r *analyze.Result) []table.Row {
	var rows []table.Row
	for _, c := range r.Comparisons {
		if c.Workload == "overall" && len(r.Conditions) == 1 {
			continue // says the same as its only condition
		}
		p99 := ""
		if x, ok := c.Ratios["p99_us"]; ok {
			p99 = fmt.Sprintf("×%.2f", x)
		}
		verdict := c.Verdict
		if len(c.Breaks) > 0 {
			verdict += ", breaks " + strings.Join(c.Breaks, ", ")
		}
		name := c.Settings.String()
		if name == "" {
			name = c.Variant
		}
		rows = append(rows, table.Row{
			name, c.Workload, c.Phase, fmt.Sprintf("%d/%d", c.N, c.BaselineN), fmt.Sprintf("%.3f", c.Ratio),
			span(c.Low, c.High, "%.3f"), number(c.Holm, "%.2g"), p99, verdict,
		})
	}
	return rows
}

func curveRows(r *analyze.Result) []table.Row {
	var rows []table.Row
	for _, c := range r.Curves {
		best, interval := "", ""
		if c.Optimum != nil {
			best = strconv.FormatFloat(c.Optimum.X, 'g', 4, 64)
			if !c.Optimum.InsideRange {
				best += " (outside)"
			}
			interval = span(c.Optimum.Low, c.Optimum.High, "%.4g")
		}
		loo := ""
		if c.LOOError != nil {
			loo = fmt.Sprintf("%.1f %%", 100**c.LOOError)
		}
		rows = append(rows, table.Row{c.Factor, c.Workload, c.Model, loo, best, interval, c.Note})
	}
	return rows
}

func span(low, high *float64, format string) string {
	if low == nil || high == nil {
		return ""
	}
	return fmt.Sprintf(format+" – "+format, *low, *high)
}

func number(x *float64, format string) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(format, *x)
}

func orNothing(text, nothing string) string {
	if text == "" {
		return nothing
	}
	return text
}

// printer remembers the first error of many prints.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) table(header table.Row, rows []table.Row) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(header)
	t.AppendRows(rows)
	p.line("%s", t.Render())
}
