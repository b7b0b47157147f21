package analyze

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
)

// PE imports what HBase's PerformanceEvaluation logs. Every run ends with its
// "[ Avg TPS/QPS]" line; the clients' "Latency (us)" lines before it give the
// percentiles. Histograms of clients can't be merged from their percentiles, so
// the largest over all clients is taken: a bound that holds for every one.
func (im *Import) PE(name string, r io.Reader) error {
	p := pe{im: im, file: name}
	p.reset()
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		p.line++
		if err := p.read(scanner.Text()); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if p.runs == 0 {
		return fmt.Errorf("%s: no PerformanceEvaluation result: a \"[ Avg TPS/QPS]\" line is expected (run it with --nomapred, and keep what it logs)", name)
	}
	return nil
}

type pe struct {
	im   *Import
	file string
	line int
	runs int
	row  row
	test string
	n    int // clients
}

func (p *pe) reset() {
	p.row, p.test, p.n = newRow(p.file, 0), "", 0
}

var (
	peTimings = regexp.MustCompile(`\[(\w+)\] Summary of timings \(ms\): \[([^\]]*)\]`)
	peLatency = regexp.MustCompile(`Latency \(us\) : (mean=.*)`)
	peAverage = regexp.MustCompile(`\[ ?Avg latency \(us\)\]\s+(\S+)`)
	peRate    = regexp.MustCompile(`\[ ?Avg TPS/QPS\]\s+(\S+)`)
)

func (p *pe) read(line string) error {
	if m := peLatency.FindStringSubmatch(line); m != nil {
		return p.latency(m[1])
	}
	if m := peTimings.FindStringSubmatch(line); m != nil {
		p.test, p.n = m[1], 1+strings.Count(m[2], ",")
		return nil
	}
	if m := peAverage.FindStringSubmatch(line); m != nil {
		x, err := p.number("average latency", m[1])
		p.row.metrics[Mean] = x
		return err
	}
	m := peRate.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	x, err := p.number("rate", m[1])
	if err != nil {
		return err
	}
	r := p.row
	r.line, r.trial = p.line, stem(p.file)
	r.metrics[Throughput] = x
	if x == 0 {
		r.reason = "throughput is 0"
	}
	if p.test != "" {
		r.workload = []string{strings.TrimSuffix(p.test, "Test")}
	}
	if p.n > 0 {
		r.set(p.im.factor(factorThreads), hbaseconf.Value(strconv.Itoa(p.n)))
	}
	p.runs++
	p.reset()
	return p.im.add(r)
}

// latency reads "mean=21.45, min=1.00, max=480941.00, …, 99.9th=24.00".
func (p *pe) latency(text string) error {
	for _, part := range strings.Split(text, ", ") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		m, known := map[string]Metric{"50th": P50, "95th": P95, "99th": P99, "99.9th": P999, "max": Max}[name]
		if !ok || !known {
			continue
		}
		x, err := p.number(name, value)
		if err != nil {
			return err
		}
		p.row.metrics[m] = larger(p.row.metrics[m], x)
	}
	return nil
}

func (p *pe) number(what, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
		return unknown, fmt.Errorf("%s:%d: %s: %q is not a measured number", p.file, p.line, what, text)
	}
	return x, nil
}
