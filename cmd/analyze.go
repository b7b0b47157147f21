package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"hbtune/analyze"
	"hbtune/hbaseconf"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

type analyzeOptions struct {
	options  analyze.Options
	baseline string
	format   string
	ignore   []string
}

func newAnalyze(e *env) *cobra.Command {
	var o analyzeOptions
	c := &cobra.Command{
		Use:   "analyze DIR… | --import csv|ycsb|pe FILE…",
		Short: "Fit, compare and recommend, from a sweep or from other tools' results",
		Long: `Fits curves, compares variants with the baseline and says whether any of them
is better: from the folders of sweeps, or from measurements that another tool
made. Nothing is contacted and nothing is changed.

A CSV file has a header and one row a measurement. Its columns are properties of
HBase or threads, batch, hit, regions; the labels workload, block and trial; and
the results throughput, mean_us, p50_us, p95_us, p99_us, p999_us, errors,
client_cpu, server_cpu. Rows whose trial is "baseline" are the baseline.

Exit status: 0 done, whatever the verdict; 2 bad input.`,
		Example: `  hbtune analyze my-sweep
  hbtune analyze my-sweep --objective p99_us
  hbtune analyze --import csv results.csv --constraint 'p99_us<=20000'
  hbtune analyze --import ycsb baseline-1.txt baseline-2.txt tuned-1.txt tuned-2.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runAnalyze(e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "import", "", "read FILEs of another tool: csv, ycsb or pe")
	f.StringVar(&o.options.Objective, "objective", "", "throughput, mean_us, p50_us, p95_us or p99_us (default: the sweep's, else throughput)")
	f.StringArrayVar(&o.options.Constraints, "constraint", nil, "a bound such as 'p99_us<=20000'; may be repeated")
	f.StringVar(&o.baseline, "baseline", "", "what to compare with: 'name=value,…' (default: rows labelled baseline, else HBase's defaults)")
	f.Float64Var(&o.options.Equivalence, "equivalence", 0, "half width of the band in which two variants count as equal (default 0.03)")
	f.Uint64Var(&o.options.Seed, "seed", 0, "seed of the bootstrap: same input and seed, same output")
	f.StringSliceVar(&o.ignore, "ignore-columns", nil, "columns of a CSV file to pass over")
	return c
}

func runAnalyze(e *env, o analyzeOptions, args []string) error {
	result, err := o.analyze(args)
	if err != nil {
		return badInput(err)
	}
	if e.json {
		return e.printJSON(result)
	}
	return printAnalysis(e.Out, result)
}

// analyze reads the folders or files and analyses them.
func (o analyzeOptions) analyze(args []string) (*analyze.Result, error) {
	catalogue := hbaseconf.Builtin()
	options := o.options
	if o.baseline != "" {
		baseline, err := analyze.ParseBaseline(catalogue, o.baseline)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		options.Baseline = baseline
	}
	if o.format != "" {
		set, err := o.readImport(catalogue, options, args)
		if err != nil {
			return nil, err
		}
		return set.Analyze(options)
	}
	return analyzeSweeps(options, args)
}

func analyzeSweeps(options analyze.Options, dirs []string) (*analyze.Result, error) {
	var sets []*analyze.Set
	var names []string
	var first trial.Sweep
	for i, dir := range dirs {
		content, err := journal.Read(dir)
		if err != nil {
			if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
				return nil, fmt.Errorf("%s is a file, not a sweep's folder: to read it, say what it is with --import csv|ycsb|pe", dir)
			}
			return nil, err
		}
		if i == 0 {
			first = content.Sweep
		}
		sets = append(sets, analyze.FromSweep(content.Sweep, content.Records))
		names = append(names, filepath.Base(filepath.Clean(dir)))
	}
	set, err := analyze.Join(names, sets)
	if err != nil {
		return nil, err
	}
	return set.Analyze(options.For(first))
}

func (o analyzeOptions) readImport(catalogue *hbaseconf.Catalogue, options analyze.Options, files []string) (*analyze.Set, error) {
	im := analyze.NewImport(catalogue, o.ignore...)
	read := map[string]func(string, io.Reader) error{"csv": im.CSV, "ycsb": im.YCSB, "pe": im.PE}[o.format]
	if read == nil {
		return nil, fmt.Errorf("--import %q: csv, ycsb or pe", o.format)
	}
	for _, path := range files {
		if err := readFile(path, read); err != nil {
			return nil, err
		}
	}
	return im.Set(options)
}

// readFile hands an open file to read; "-" would be one too many ways in.
func readFile(path string, read func(string, io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: no such file", path)
		}
		return err
	}
	defer file.Close()
	return read(path, file)
}

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
	}
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
