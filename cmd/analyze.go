package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hbtune/analyze"
	"hbtune/analyze/report"
	"hbtune/hbaseconf"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

type analyzeOptions struct {
	options  analyze.Options
	baseline string
	format   string
	unit     string
	html     string
	ignore   []string
}

func newAnalyze(e *env) *cobra.Command {
	var o analyzeOptions
	c := &cobra.Command{
		Use:   "analyze DIR… | --import csv|ycsb|pe|hdr FILE…",
		Short: "Fit, compare and recommend, from a sweep or from other tools' results",
		Long: `Fits curves, compares variants with the baseline and says whether any of them
is better: from the folders of sweeps, or from measurements that another tool
made. Nothing is contacted and nothing is changed.

A CSV file has a header and one row a measurement. Its columns are properties of
HBase or threads, batch, hit, regions; the labels workload, block and trial; and
the results throughput, mean_us, p50_us, p95_us, p99_us, p999_us, errors,
client_cpu, server_cpu. Rows whose trial is "baseline" are the baseline.
YCSB's text and JSON, PerformanceEvaluation's log and HdrHistogram logs are read
as they are; a file is labelled with its name, so that baseline-1.txt,
baseline-2.txt and tuned-1.txt are two runs of the baseline and one of another.

Exit status: 0 done, whatever the verdict; 2 bad input.`,
		Example: `  hbtune analyze my-sweep
  hbtune analyze my-sweep --objective p99_us
  hbtune analyze --import csv results.csv --constraint 'p99_us<=20000'
  hbtune analyze --import ycsb baseline-1.txt baseline-2.txt tuned-1.txt tuned-2.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runAnalyze(e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "import", "", "read FILEs of another tool: csv, ycsb, pe or hdr")
	f.StringVar(&o.unit, "hdr-unit", "", "what the values of histogram logs count: ns, us or ms (default: us for YCSB's, ns for others)")
	f.StringVar(&o.options.Objective, "objective", "", "throughput, mean_us, p50_us, p95_us or p99_us (default: the sweep's, else throughput)")
	f.StringArrayVar(&o.options.Constraints, "constraint", nil, "a bound such as 'p99_us<=20000'; may be repeated")
	f.StringVar(&o.baseline, "baseline", "", "what to compare with: 'name=value,…' (default: rows labelled baseline, else HBase's defaults)")
	f.Float64Var(&o.options.Equivalence, "equivalence", 0, "half width of the band in which two variants count as equal (default 0.03)")
	f.Uint64Var(&o.options.Seed, "seed", 0, "seed of the bootstrap: same input and seed, same output")
	f.StringVar(&o.html, "html", "", "also write the curves and tables of imported measurements as an HTML page to this file")
	f.StringSliceVar(&o.ignore, "ignore-columns", nil, "columns of a CSV file to pass over")
	return c
}

func runAnalyze(e *env, o analyzeOptions, args []string) error {
	result, err := o.analyze(args)
	if err != nil {
		return badInput(err)
	}
	if o.html != "" {
		if o.format == "" {
			return badInput(errors.New("--html goes with --import: the report of a sweep is made by hbtune report"))
		}
		if err := writeAnalysis(o.html, result, args); err != nil {
			return err
		}
	}
	if e.json {
		return e.printJSON(result)
	}
	return printAnalysis(e.Out, result)
}

// writeAnalysis writes the page of imported measurements.
func writeAnalysis(path string, result *analyze.Result, files []string) error {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.Base(f)
	}
	var b bytes.Buffer
	if err := report.Analysis(&b, result, "HBase measurements: "+strings.Join(names, ", ")); err != nil {
		return err
	}
	return writeText(path, b.Bytes())
}

// analyze reads the folders or files and analyses them.
func (o analyzeOptions) analyze(args []string) (*analyze.Result, error) {
	catalogue := hbaseconf.Builtin()
	options := o.options
	defaults := analyst{catalogue: catalogue}.options()
	options.Feasible, options.Default = defaults.Feasible, defaults.Default
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
				return nil, fmt.Errorf("%s is a file, not a sweep's folder: to read it, say what it is with --import csv|ycsb|pe|hdr", dir)
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
	read := map[string]func(string, io.Reader) error{"csv": im.CSV, "ycsb": im.YCSB, "pe": im.PE, "hdr": im.HDR(o.unit)}[o.format]
	if read == nil {
		return nil, fmt.Errorf("--import %q: csv, ycsb, pe or hdr", o.format)
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
