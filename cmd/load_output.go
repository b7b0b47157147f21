package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/pflag"

	"hbtune/sweep/apply"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/load"
	"hbtune/sweep/trial"
)

// loadOutput says in which forms a measurement is wanted.
type loadOutput struct {
	format string
	hlog   string
	chart  string
}

func (o *loadOutput) bind(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", "text", "text, or ycsb for what YCSB prints (--json: a document with everything)")
	f.StringVar(&o.hlog, "hlog", "", "also write the histograms to this file, as HdrHistogram's tools read them")
	f.StringVar(&o.chart, "chart", "", "with --suite random: draw throughput against hit rate to this SVG file")
}

// check also looks for the folders of what is to be written, as that would else
// be found out when all has been measured.
func (o *loadOutput) check() error {
	if o.format != "text" && o.format != "ycsb" {
		return fmt.Errorf("--format %q is unknown: use text or ycsb", o.format)
	}
	for flag, path := range map[string]string{"--hlog": o.hlog, "--chart": o.chart} {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s %s: there is no folder %s", flag, path, filepath.Dir(path))
		}
	}
	return nil
}

// loadDocument is what --json prints: the measurement with what it shows.
type loadDocument struct {
	*trial.Measurement
	Diagnosis []diagnose.Conclusion `json:"diagnosis"`
}

func (o *loadOutput) write(e *env, m *trial.Measurement, diagnosis []diagnose.Conclusion) error {
	if o.hlog != "" {
		if err := writeFile(o.hlog, func(w io.Writer) error { return load.WriteHistogramLog(w, m) }); err != nil {
			return err
		}
	}
	switch {
	case e.json:
		return e.printJSON(loadDocument{m, diagnosis})
	case o.format == "ycsb":
		return load.WriteYCSB(e.Out, m)
	}
	printMeasurement(e.Out, m)
	return diagnose.WriteText(e.Out, diagnosis)
}

// writeFile makes a file that appears whole or not at all. Where it can't be
// made, the path is bad input.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return badInput(apply.WriteError(path, err))
	}
	defer file.Cleanup()
	if err := write(file); err != nil {
		return badInput(apply.WriteError(path, err))
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return badInput(apply.WriteError(path, err))
	}
	return nil
}

// writeText is writeFile for what is there already.
func writeText(path string, text []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
