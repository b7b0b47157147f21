package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hbtune/sweep/trial"
)

// WriteHistogramLog writes a measurement's histograms as a log that
// HdrHistogram's tools read (.hlog): response times of all operations without a
// tag, those of each kind under its name, and service times under the name with
// "-service". Values are microseconds.
func WriteHistogramLog(w io.Writer, m *trial.Measurement) error {
	from := m.Start.UnixMilli()
	to := m.Start.Add(time.Duration(m.Seconds * float64(time.Second))).UnixMilli()
	log := hdrhistogram.NewHistogramLogWriter(w)
	log.SetBaseTime(from)
	all := hdrhistogram.New(1, histogramHighest, histogramDigits)
	var tagged []*hdrhistogram.Histogram
	for _, part := range []struct {
		latencies map[string]trial.Latency
		suffix    string
	}{{m.Ops, ""}, {m.Service, "-service"}} {
		for _, kind := range slices.Sorted(maps.Keys(part.latencies)) {
			h, err := hdrhistogram.Decode([]byte(part.latencies[kind].Histogram))
			if err != nil {
				return fmt.Errorf("histogram of %s: %w", kind, err)
			}
			if part.suffix == "" {
				all.Merge(h)
			}
			h.SetTag(kind + part.suffix)
			tagged = append(tagged, h)
		}
	}
	err := firstOf(
		func() error { return log.OutputLogFormatVersion() },
		func() error {
			return log.OutputComment(fmt.Sprintf("[hbtune load, workload %s, %d threads, values in microseconds]", m.Workload, m.Threads))
		},
		func() error { return log.OutputStartTime(from) },
		func() error { return log.OutputLegend() },
	)
	for _, h := range append([]*hdrhistogram.Histogram{all}, tagged...) {
		if err != nil {
			break
		}
		h.SetStartTimeMs(from)
		h.SetEndTimeMs(to)
		err = log.OutputIntervalHistogram(h)
	}
	if err != nil {
		return fmt.Errorf("write the histogram log: %w", err)
	}
	return nil
}

func firstOf(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ycsbNames are YCSB's names of the kinds of operation.
func ycsbNames() map[string]string {
	return map[string]string{
		"read": "READ", "put": "UPDATE", "insert": "INSERT", "scan": "SCAN",
		"read-modify-write": "READ-MODIFY-WRITE", "append": "INSERT", "follow": "SCAN",
	}
}

// WriteYCSB writes a measurement as YCSB prints its results. As there, a kind's
// own section times from the send, and that of an open loop's intended starts
// has its prefix.
func WriteYCSB(w io.Writer, m *trial.Measurement) error {
	out := &printer{w: w}
	out.line("OVERALL", "RunTime(ms)", fmt.Sprintf("%.0f", m.Seconds*1000))
	out.line("OVERALL", "Throughput(ops/sec)", fmt.Sprint(m.Throughput))
	names := ycsbNames()
	for _, kind := range slices.Sorted(maps.Keys(m.Ops)) {
		if err := out.section(names[kind], m.Service[kind]); err != nil {
			return err
		}
		if len(m.Ops) == 1 && m.NotFound > 0 {
			out.line(names[kind], "Return=OK", fmt.Sprint(m.Ops[kind].Count-m.NotFound))
			out.line(names[kind], "Return=NOT_FOUND", fmt.Sprint(m.NotFound))
		} else {
			out.line(names[kind], "Return=OK", fmt.Sprint(m.Ops[kind].Count))
		}
		if m.Open == nil {
			continue
		}
		if err := out.section("Intended-"+names[kind], m.Ops[kind]); err != nil {
			return err
		}
	}
	for _, class := range slices.Sorted(maps.Keys(m.Errors)) {
		out.line("ERROR", "Return="+class, fmt.Sprint(m.Errors[class]))
	}
	return out.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(section, measure, value string) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, "[%s], %s, %s\n", section, measure, value)
	}
}

func (p *printer) section(name string, l trial.Latency) error {
	h, err := hdrhistogram.Decode([]byte(l.Histogram))
	if err != nil {
		return fmt.Errorf("histogram of %s: %w", name, err)
	}
	p.line(name, "Operations", fmt.Sprint(l.Count))
	p.line(name, "AverageLatency(us)", fmt.Sprint(l.MeanMicros))
	p.line(name, "MinLatency(us)", fmt.Sprint(h.Min()))
	p.line(name, "MaxLatency(us)", fmt.Sprint(l.MaxMicros))
	p.line(name, "50thPercentileLatency(us)", fmt.Sprint(l.P50Micros))
	p.line(name, "95thPercentileLatency(us)", fmt.Sprint(l.P95Micros))
	p.line(name, "99thPercentileLatency(us)", fmt.Sprint(l.P99Micros))
	p.line(name, "99.9PercentileLatency(us)", fmt.Sprint(l.P999Micros))
	return p.err
}
