package analyze

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
)

// YCSB imports what YCSB prints at the end of a run, as text or as JSON. A file
// may hold several runs, each beginning with its [OVERALL] lines. The trial is
// labelled with the file's name, the workload with what the command line says.
func (im *Import) YCSB(name string, r io.Reader) error {
	buffered := bufio.NewReader(r)
	y := ycsb{im: im, file: name, kinds: map[string]*ycsbKind{}}
	var err error
	if isJSON(buffered) {
		err = y.json(buffered)
	} else {
		err = y.text(buffered)
	}
	if err == nil {
		err = y.finish()
	}
	if err != nil {
		return err
	}
	if y.runs == 0 {
		return fmt.Errorf("%s: no YCSB result: an [OVERALL], Throughput(ops/sec) line is expected", name)
	}
	return nil
}

// isJSON tells the JSON exporter's output, which begins with an array of
// objects or an object, from text, which begins with "[OVERALL]" or a log line.
func isJSON(r *bufio.Reader) bool {
	head, _ := r.Peek(256)
	head = bytes.TrimSpace(head)
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		head = bytes.TrimSpace(rest)
	}
	return bytes.HasPrefix(head, []byte("{"))
}

// ycsb gathers one run after the other.
type ycsb struct {
	im       *Import
	file     string
	line     int
	runs     int
	open     bool
	row      row
	threads  string
	workload string
	order    []string
	kinds    map[string]*ycsbKind
}

// ycsbKind is one kind of operation of a run.
type ycsbKind struct {
	count, errors float64
	metrics       [metricCount]float64
}

func (y *ycsb) text(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		y.line++
		line := strings.TrimSpace(scanner.Text())
		if rest, ok := strings.CutPrefix(line, "Command line:"); ok {
			if err := y.finish(); err != nil {
				return err
			}
			y.command(rest)
			continue
		}
		// "[READ], AverageLatency(us), 612.1"; status and log lines are other.
		section, rest, ok := strings.Cut(line, "], ")
		if !ok || !strings.HasPrefix(section, "[") {
			continue
		}
		measure, value, ok := strings.Cut(rest, ", ")
		if !ok {
			continue
		}
		if err := y.put(section[1:], measure, value); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read %s: %w", y.file, err)
	}
	return nil
}

// json reads objects {"metric","measurement","value"}, in an array or one after
// the other.
func (y *ycsb) json(r io.Reader) error {
	decoder := json.NewDecoder(r)
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: at byte %d: not JSON: %w", y.file, decoder.InputOffset(), err)
		}
		type entry struct {
			Metric      string  `json:"metric"`
			Measurement string  `json:"measurement"`
			Value       float64 `json:"value"`
		}
		list := []entry{{}}
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
			err = json.Unmarshal(raw, &list)
		} else {
			err = json.Unmarshal(raw, &list[0])
		}
		if err != nil {
			return fmt.Errorf("%s: not YCSB's JSON: %w", y.file, err)
		}
		for _, e := range list {
			y.line++
			if err := y.put(e.Metric, e.Measurement, strconv.FormatFloat(e.Value, 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
}

// command reads threads and workload off the command line.
func (y *ycsb) command(text string) {
	words := strings.Fields(text)
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch word {
		case "-threads":
			y.threads = next
		case "-P":
			y.workload = filepath.Base(next)
		case "-p":
			if n, ok := strings.CutPrefix(next, "threadcount="); ok {
				y.threads = n
			}
		}
	}
}

// put takes one measure of a section.
func (y *ycsb) put(section, measure, text string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		if known := section == "OVERALL" || strings.HasSuffix(measure, "Latency(us)"); !known || strings.TrimSpace(text) == "NaN" {
			return nil
		}
		return fmt.Errorf("%s:%d: [%s], %s: %q is not a measured number", y.file, y.line, section, measure, text)
	}
	if section == "OVERALL" {
		// A measure that this run has already begins the next one.
		if y.open && (measure == "RunTime(ms)" && len(y.order) > 0 || measure == "Throughput(ops/sec)" && !math.IsNaN(y.row.metrics[Throughput])) {
			if err := y.finish(); err != nil {
				return err
			}
		}
		if !y.open {
			y.row, y.open = newRow(y.file, y.line), true
		}
		if measure == "Throughput(ops/sec)" {
			y.row.metrics[Throughput] = x
		}
		return nil
	}
	if !y.open || ignoredSection(section) {
		return nil
	}
	base, failed := strings.CutSuffix(section, "-FAILED")
	k := y.kinds[base]
	if k == nil {
		k = &ycsbKind{metrics: noMetrics()}
		y.kinds[base] = k
		y.order = append(y.order, base)
	}
	if failed {
		if measure == "Operations" {
			k.errors = x
		}
		return nil
	}
	switch measure {
	case "Operations":
		k.count = x
	case "AverageLatency(us)":
		k.metrics[Mean] = x
	case "50thPercentileLatency(us)":
		k.metrics[P50] = x
	case "95thPercentileLatency(us)":
		k.metrics[P95] = x
	case "99thPercentileLatency(us)":
		k.metrics[P99] = x
	case "99.9PercentileLatency(us)", "99.9thPercentileLatency(us)":
		k.metrics[P999] = x
	case "MaxLatency(us)":
		k.metrics[Max] = x
	}
	return nil
}

// ignoredSection tells what is no operation of the workload. With
// measurement.interval=both the intended times are shown beside the raw ones;
// the raw ones are what closed-loop laws speak of.
func ignoredSection(section string) bool {
	for _, prefix := range []string{"CLEANUP", "TOTAL_", "Intended-", "WARN", "DEBUG", "INFO", "ERROR", "main"} {
		if strings.HasPrefix(section, prefix) {
			return true
		}
	}
	return false
}

// finish closes the run that is open.
func (y *ycsb) finish() error {
	if !y.open {
		return nil
	}
	r := y.row
	count, total, failed := 0.0, 0.0, 0.0
	for _, name := range y.order {
		k := y.kinds[name]
		failed += k.errors
		if k.count == 0 {
			continue
		}
		count += k.count
		total += k.count * k.metrics[Mean]
		for _, m := range []Metric{P50, P95, P99, P999, Max} {
			if x := k.metrics[m]; !math.IsNaN(x) {
				r.metrics[m] = larger(r.metrics[m], x)
			}
		}
	}
	if count > 0 && total > 0 {
		r.metrics[Mean], r.count = total/count, count
	}
	r.metrics[Errors] = failed
	r.trial = stem(y.file)
	if y.workload != "" {
		r.workload = []string{y.workload}
	}
	if n, err := strconv.Atoi(y.threads); err == nil && n > 0 {
		r.set(y.im.factor(factorThreads), hbaseconf.Value(y.threads))
	}
	if !positive(r.metrics[Throughput]) {
		r.reason = "throughput is 0"
	}
	y.open, y.order, y.kinds = false, nil, map[string]*ycsbKind{}
	y.runs++
	return y.im.add(r)
}

// stem is a file's name without folder and endings.
func stem(path string) string {
	base := filepath.Base(path)
	if name, _, ok := strings.Cut(base, "."); ok && name != "" {
		return name
	}
	return base
}
