package cmd

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hbtune/analyze/report"
	"hbtune/hbaseconf"
	"hbtune/sweep"
)

type reportOptions struct {
	output string
}

func newReport(e *env) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the tuning report of a sweep",
		Long: `Analyses the journal in a sweep's folder anew and writes the report: a page
that opens in any browser without a network (.html), text for a ticket (.md),
one row a measurement (.csv, which hbtune analyze --import csv reads back), or
every number (.json). The folder alone is enough, on any machine.

Exit status: 0 written, 2 bad input, such as a folder that holds no sweep.`,
		Example: `  hbtune report sweep-20260304-093000
  hbtune report sweep-20260304-093000 -o tuning.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runReport(e, o, args[0]) },
	}
	c.Flags().StringVarP(&o.output, "output", "o", "", "file to write; its ending .html, .md, .csv or .json says what (default: report.html in DIR)")
	return c
}

func runReport(e *env, o reportOptions, dir string) error {
	path := o.output
	if path == "" {
		path = filepath.Join(dir, reportName)
	}
	write, err := reportWriter(path)
	if err != nil {
		return badInput(err)
	}
	catalogue := hbaseconf.Builtin()
	spec, err := sweep.OpenSpec(dir, sweepRules(catalogue))
	if err != nil {
		return sweepError(err)
	}
	r, err := readResults(dir, newAnalyst(spec, catalogue))
	if err != nil {
		return err
	}
	in := r.input(dir, catalogue)
	if e.json && o.output == "" {
		return report.JSON(e.Out, in)
	}
	var content bytes.Buffer
	if err := write(&content, in); err != nil {
		return err
	}
	if err := writeText(path, content.Bytes()); err != nil {
		return err
	}
	if e.json {
		return e.printJSON(map[string]string{"report": path})
	}
	_, err = fmt.Fprintln(e.Out, path)
	return err
}

// reportWriter picks the kind of report by the ending of its name.
func reportWriter(path string) (func(io.Writer, report.Input) error, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".html", ".htm":
		return report.HTML, nil
	case ".md":
		return report.Markdown, nil
	case ".csv":
		return report.CSV, nil
	case ".json":
		return report.JSON, nil
	default:
		return nil, fmt.Errorf("-o %s: the ending says what to write: .html, .md, .csv or .json", path)
	}
}
