package load

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hbtune/sweep/trial"
)

// Merge makes one measurement of those that several clients made of the same
// servers at the same time: their throughputs add up, and their histograms are
// merged, which averaging percentiles can't replace. What the servers say of
// themselves is taken from the first; seconds are left out.
func Merge(parts []*trial.Measurement) (*trial.Measurement, error) {
	if len(parts) == 0 {
		return nil, errors.New("there is nothing to merge")
	}
	first := parts[0]
	m := *first
	m.Threads, m.Operations, m.Throughput, m.NotFound = 0, 0, 0, 0
	m.Errors, m.Rows, m.Flags, m.Series = map[string]int64{}, nil, nil, nil
	m.Ops, m.Service = map[string]trial.Latency{}, map[string]trial.Latency{}
	m.Steady = true
	m.Client = trial.ClientCost{}
	ops, service := map[string][]trial.Latency{}, map[string][]trial.Latency{}
	var late []trial.Latency
	rate, reached := 0.0, 0.0
	for _, p := range parts {
		if p.Workload != first.Workload || (p.Open == nil) != (first.Open == nil) {
			return nil, fmt.Errorf("measurements of %s and of %s are not of one load", first.Workload, p.Workload)
		}
		m.Threads += p.Threads
		m.Operations += p.Operations
		m.Throughput += p.Throughput
		m.NotFound += p.NotFound
		m.Seconds = max(m.Seconds, p.Seconds)
		m.Steady = m.Steady && p.Steady
		m.Client.CPUShare = max(m.Client.CPUShare, p.Client.CPUShare)
		m.Client.CPUMicrosPerOp += p.Client.CPUMicrosPerOp * float64(p.Operations)
		for class, n := range p.Errors {
			m.Errors[class] += n
		}
		for kind, n := range p.Rows {
			if m.Rows == nil {
				m.Rows = map[string]int64{}
			}
			m.Rows[kind] += n
		}
		for kind, l := range p.Ops {
			ops[kind] = append(ops[kind], l)
		}
		for kind, l := range p.Service {
			service[kind] = append(service[kind], l)
		}
		m.Flags = append(m.Flags, p.Flags...)
		if p.Open != nil {
			late = append(late, p.Open.Late)
			rate += p.Open.Rate
			reached += p.Open.Reached * p.Open.Rate
		}
	}
	slices.Sort(m.Flags)
	m.Flags = slices.Compact(m.Flags)
	if m.Operations > 0 {
		m.Client.CPUMicrosPerOp /= float64(m.Operations)
	}
	if first.Open != nil {
		merged, err := mergeLatencies(late)
		if err != nil {
			return nil, err
		}
		m.Open = &trial.OpenLoop{Rate: rate, Arrivals: first.Open.Arrivals, Reached: reached / rate, Late: merged}
	}
	for _, side := range []struct {
		from map[string][]trial.Latency
		to   map[string]trial.Latency
	}{{ops, m.Ops}, {service, m.Service}} {
		for _, kind := range slices.Sorted(maps.Keys(side.from)) {
			merged, err := mergeLatencies(side.from[kind])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			side.to[kind] = merged
		}
	}
	return &m, nil
}

func mergeLatencies(parts []trial.Latency) (trial.Latency, error) {
	h := hdrhistogram.New(1, histogramHighest, histogramDigits)
	count, sum := int64(0), 0.0
	for _, p := range parts {
		from, err := hdrhistogram.Decode([]byte(p.Histogram))
		if err != nil {
			return trial.Latency{}, fmt.Errorf("read a histogram: %w", err)
		}
		if dropped := h.Merge(from); dropped > 0 {
			return trial.Latency{}, fmt.Errorf("a histogram holds %d values over an hour", dropped)
		}
		count += p.Count
		sum += p.MeanMicros * float64(p.Count)
	}
	return latency(h, int64(sum*1000), count)
}
