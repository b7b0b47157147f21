package analyze

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// HDR imports an HdrHistogram log: one row for every tag in it, all intervals
// added up. Throughput is the number of values over the time that the
// intervals span. The log does not say what its values count: unit is "ns",
// "us", "ms", or empty for microseconds where YCSB wrote the log, whose header
// names the operation, and nanoseconds, HdrHistogram's own default, otherwise.
func (im *Import) HDR(unit string) func(name string, r io.Reader) error {
	return func(name string, r io.Reader) error {
		h := hdr{im: im, file: name, runs: map[string]*hdrRun{}}
		if unit != "" {
			scale, ok := map[string]float64{"ns": 1e-3, "us": 1, "ms": 1e3}[unit]
			if !ok {
				return fmt.Errorf("unit %q of a histogram log: ns, us or ms", unit)
			}
			h.micros = scale
		}
		if err := h.read(r); err != nil {
			return err
		}
		return h.finish()
	}
}

type hdr struct {
	im        *Import
	file      string
	line      int
	micros    float64 // in one unit of the log, 0 not known yet
	operation string
	ends      bool // the second column is the end, as in logs of version 1.0
	tags      []string
	runs      map[string]*hdrRun
}

// hdrRun is what one tag adds up to.
type hdrRun struct {
	line       int
	histogram  *hdrhistogram.Histogram
	start, end float64
}

func (h *hdr) read(r io.Reader) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		h.line++
		line := strings.TrimSpace(scanner.Text())
		switch {
		case strings.HasPrefix(line, "#[Logging for:"):
			h.operation = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(line, "#[Logging for:"), "]"))
			if h.micros == 0 {
				h.micros = 1
			}
		case strings.HasPrefix(line, `"`):
			h.ends = strings.Contains(line, "EndTimestamp")
		case line == "", strings.HasPrefix(line, "#"):
		default:
			if err := h.interval(line); err != nil {
				return fmt.Errorf("%s:%d: %w", h.file, h.line, err)
			}
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read %s: %w", h.file, err)
	}
	return nil
}

// interval reads "Tag=read,0.127,1.007,2.769,HISTF…": start and length in
// seconds, the largest value, the histogram.
func (h *hdr) interval(line string) error {
	tag := ""
	if rest, ok := strings.CutPrefix(line, "Tag="); ok {
		if tag, line, ok = strings.Cut(rest, ","); !ok {
			return errors.New("a tag and no interval")
		}
	}
	cells := strings.SplitN(line, ",", 4)
	if len(cells) != 4 {
		return errors.New("not an interval of a histogram log: start, length, maximum and histogram are expected")
	}
	start, err := strconv.ParseFloat(cells[0], 64)
	length, err2 := strconv.ParseFloat(cells[1], 64)
	if h.ends {
		length -= start
	}
	if err = errors.Join(err, err2); err != nil || !(start >= 0) || !(length > 0) || math.IsInf(start+length, 0) {
		return fmt.Errorf("interval of %q s from %q s: not a time", cells[1], cells[0])
	}
	one, err := decodeHistogram(cells[3])
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	run := h.runs[tag]
	if run == nil {
		run = &hdrRun{line: h.line, start: start, end: start + length, histogram: one}
		h.runs[tag] = run
		h.tags = append(h.tags, tag)
		return nil
	}
	run.start, run.end = min(run.start, start), max(run.end, start+length)
	return addHistogram(run, one)
}

// addHistogram puts an interval's values to the others, in a wider histogram
// where they would not fit.
func addHistogram(run *hdrRun, one *hdrhistogram.Histogram) error {
	if one.HighestTrackableValue() > run.histogram.HighestTrackableValue() {
		run.histogram, one = one, run.histogram
	}
	if dropped := run.histogram.Merge(one); dropped > 0 {
		return fmt.Errorf("histogram: %d values are too large for the ones before", dropped)
	}
	return nil
}

// decodeHistogram takes a histogram in; the decoder is not made for bytes from
// anywhere, so what it trips over is an error.
func decodeHistogram(text string) (h *hdrhistogram.Histogram, err error) {
	defer func() {
		if recover() != nil {
			h, err = nil, errors.New("damaged")
		}
	}()
	if !strings.HasPrefix(text, "HIST") {
		return nil, errors.New("no compressed histogram (HIST…)")
	}
	return hdrhistogram.Decode(bytes.TrimSpace([]byte(text)))
}

// finish makes a row of every tag.
func (h *hdr) finish() error {
	if len(h.tags) == 0 {
		return fmt.Errorf("%s: no interval: an HdrHistogram log is expected", h.file)
	}
	scale := h.micros
	if scale == 0 {
		scale = 1e-3
	}
	for _, tag := range h.tags {
		run := h.runs[tag]
		r := newRow(h.file, run.line)
		r.trial = stem(h.file)
		for _, label := range []string{h.operation, tag} {
			if label != "" && !slices.Contains(r.workload, label) {
				r.workload = append(r.workload, label)
			}
		}
		r.count = float64(run.histogram.TotalCount())
		r.metrics[Throughput] = r.count / (run.end - run.start)
		if r.count == 0 {
			r.reason = "no values in the log"
		} else {
			r.metrics[Mean] = scale * run.histogram.Mean()
			for m, p := range map[Metric]float64{P50: 50, P95: 95, P99: 99, P999: 99.9, Max: 100} {
				r.metrics[m] = scale * float64(run.histogram.ValueAtQuantile(p))
			}
		}
		if err := h.im.add(r); err != nil {
			return err
		}
	}
	return nil
}
