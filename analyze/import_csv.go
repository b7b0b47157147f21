package analyze

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
)

// column is what a header names and how its cells are read.
type column struct {
	header string
	read   func(*row, string) error
}

// CSV imports a table: a header line, then one row a measurement. Commas,
// semicolons or tabs separate, whichever the header holds. Errors name file,
// line and column.
func (im *Import) CSV(name string, r io.Reader) error {
	buffered := bufio.NewReader(r)
	if head, err := buffered.Peek(3); err == nil && string(head) == "\ufeff" {
		buffered.Discard(3) //nolint:errcheck // peeked already
	}
	reader := csv.NewReader(buffered)
	reader.Comma = separator(buffered)
	reader.ReuseRecord = true
	reader.FieldsPerRecord = -1
	header, err := reader.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: empty: a header line and one row a measurement are expected", name)
	case err != nil:
		return csvError(name, err)
	}
	columns, err := im.columns(name, reader, header)
	if err != nil {
		return err
	}
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(name, err)
		}
		line, _ := reader.FieldPos(0)
		if len(cells) != len(columns) {
			return fmt.Errorf("%s:%d: %d cells, but the header names %d columns", name, line, len(cells), len(columns))
		}
		one := newRow(name, line)
		for i, c := range columns {
			if c.read == nil {
				continue
			}
			if err := c.read(&one, strings.TrimSpace(cells[i])); err != nil {
				line, at := reader.FieldPos(i)
				return fmt.Errorf("%s:%d:%d: %s: %w", name, line, at, c.header, err)
			}
		}
		if err := im.add(one); err != nil {
			return err
		}
	}
}

// separator is what the first line is cut by.
func separator(r *bufio.Reader) rune {
	head, _ := r.Peek(r.Size())
	line, _, _ := strings.Cut(string(head), "\n")
	if !strings.Contains(line, ",") {
		for _, c := range []rune{';', '\t'} {
			if strings.ContainsRune(line, c) {
				return c
			}
		}
	}
	return ','
}

func csvError(name string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d:%d: %w", name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("read %s: %w", name, err)
}

// columns reads the header. Every column has to be known or ignored, and no two
// may give the same thing.
func (im *Import) columns(name string, reader *csv.Reader, header []string) ([]column, error) {
	given := map[string]string{} // meaning → header
	columns := make([]column, len(header))
	responses := 0
	for i, text := range header {
		line, at := reader.FieldPos(i)
		text = strings.Clone(strings.TrimSpace(text))
		if im.ignore[strings.ToLower(text)] {
			continue
		}
		meaning, read, err := im.column(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", name, line, at, err)
		}
		if before, ok := given[meaning]; ok && !strings.HasPrefix(meaning, "label ") {
			return nil, fmt.Errorf("%s:%d:%d: columns %q and %q both give %s: keep one, or pass over the other with --ignore-columns %s",
				name, line, at, before, text, meaning, text)
		}
		given[meaning] = text
		columns[i] = column{header: text, read: read}
		if m, err := ParseMetric(meaning); err == nil && m <= Max {
			responses++
		}
	}
	if responses == 0 {
		return nil, fmt.Errorf("%s:1: no column holds a result: at least one of %s is needed", name, strings.Join(metricNames[:P999+1], ", "))
	}
	return columns, nil
}

// column finds what a header means.
func (im *Import) column(text string) (meaning string, read func(*row, string) error, err error) {
	lower := strings.ToLower(text)
	switch lower {
	case "workload", "mode", "scenario", "op", "operation":
		return "label " + lower, func(r *row, cell string) error {
			if cell != "" && (len(r.workload) == 0 || r.workload[len(r.workload)-1] != cell) {
				r.workload = append(r.workload, strings.Clone(cell))
			}
			return nil
		}, nil
	case "block":
		return lower, func(r *row, cell string) error { r.block = strings.Clone(cell); return nil }, nil
	case "trial":
		return lower, func(r *row, cell string) error { r.trial = strings.Clone(cell); return nil }, nil
	case "message_bytes":
		return lower, number(0, math.Inf(1), 1, func(r *row, x float64, _ string) { r.bytes = x }), nil
	case "throughput_mb_s", "mb_per_s":
		return "throughput_mb_s", number(0, math.Inf(1), 1, func(r *row, x float64, cell string) {
			r.rate, r.decimals = x, decimals(cell)
		}), nil
	case "offered", "target_rate":
		return "offered", number(0, math.Inf(1), 1, func(r *row, x float64, _ string) { r.offered = x }), nil
	case "operations":
		return lower, number(0, math.Inf(1), 1, func(r *row, x float64, _ string) { r.count = x }), nil
	case factorThreads, factorBatch, factorRegions, factorHit:
		return im.loadColumn(lower)
	}
	if m, scale, ok := metricColumn(lower); ok {
		limit := math.Inf(1)
		if m == ClientCPU || m == ServerCPU {
			limit = 1
		}
		return m.String(), number(0, limit, scale, func(r *row, x float64, _ string) {
			r.metrics[m] = x
			if m == Throughput && x == 0 {
				r.reason = "throughput is 0"
			}
		}), nil
	}
	property, ok := im.catalogue.Lookup(text)
	if !ok {
		hint := ""
		if s := im.catalogue.Suggest(text); s != "" {
			hint = fmt.Sprintf(" (did you mean %s?)", s)
		}
		return "", nil, fmt.Errorf("unknown column %q%s: rename it, or pass over it with --ignore-columns %s", text, hint, text)
	}
	i := im.factor(property.Name)
	return property.Name, func(r *row, cell string) error {
		if missing(cell) {
			return nil
		}
		v, err := im.catalogue.Value(property.Name, cell)
		if err != nil {
			return err
		}
		r.set(i, v)
		return nil
	}, nil
}

// loadColumn reads threads, batch and regions, which count, and hit, a share.
func (im *Import) loadColumn(name string) (string, func(*row, string) error, error) {
	i := im.factor(name)
	low, high := 1.0, math.Inf(1)
	if name == factorHit {
		low, high = 0, 1
	}
	return name, number(low, high, 1, func(r *row, x float64, _ string) {
		r.set(i, hbaseconf.Value(strconv.FormatFloat(x, 'f', -1, 64)))
	}), nil
}

// metricColumn knows the responses by their own names, the names that other
// tools give them, and other units of time.
func metricColumn(lower string) (m Metric, scale float64, ok bool) {
	switch lower {
	case "throughput", "ops_per_s", "requests_per_s", "qps", "tps":
		return Throughput, 1, true
	case "errors":
		return Errors, 1, true
	case "client_cpu":
		return ClientCPU, 1, true
	case "server_cpu":
		return ServerCPU, 1, true
	case "client_cpu_pct":
		return ClientCPU, 0.01, true
	case "server_cpu_pct":
		return ServerCPU, 0.01, true
	}
	for suffix, scale := range map[string]float64{"_us": 1, "_ms": 1e3, "_s": 1e6, "_ns": 1e-3} {
		name, found := strings.CutSuffix(lower, suffix)
		if !found {
			continue
		}
		switch strings.TrimSuffix(name, "_latency") {
		case "mean", "avg":
			return Mean, scale, true
		case "p50", "median":
			return P50, scale, true
		case "p95":
			return P95, scale, true
		case "p99":
			return P99, scale, true
		case "p999":
			return P999, scale, true
		case "max":
			return Max, scale, true
		}
	}
	return 0, 0, false
}

// number reads cells within bounds; an empty one is not measured.
func number(low, high, scale float64, put func(*row, float64, string)) func(*row, string) error {
	return func(r *row, cell string) error {
		if missing(cell) {
			return nil
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsInf(x, 0) {
			return fmt.Errorf("%q is not a number (no unit, no thousands separator)", cell)
		}
		if x *= scale; !(x >= low) {
			return fmt.Errorf("%s is below %s", cell, short(low))
		}
		if x > high {
			return fmt.Errorf("%s is above %s: a share of 1, not a percentage, is expected", cell, short(high/scale))
		}
		put(r, x, cell)
		return nil
	}
}

// missing are the ways that tables leave a cell out.
func missing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "-", "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}

func decimals(cell string) int {
	_, fraction, _ := strings.Cut(cell, ".")
	return len(fraction)
}
