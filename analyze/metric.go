package analyze

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Metric names one response of a measurement. Times are microseconds,
// throughput is operations a second, CPU shares are 0..1.
type Metric int

// The responses that analysis knows. Percentiles of a load that mixes kinds of
// operation are those of its slowest kind, so that a bound on p99 holds for
// every kind; the mean is weighted by count, which Little's law needs.
const (
	Throughput Metric = iota
	Mean
	P50
	P95
	P99
	P999
	Max
	Errors
	ClientCPU
	ServerCPU
	ServerCPUPerOp
	metricCount
)

var metricNames = [metricCount]string{
	"throughput", "mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us",
	"errors", "client_cpu", "server_cpu", "server_cpu_us_per_op",
}

func (m Metric) String() string { return metricNames[m] }

// HigherIsBetter tells which way the metric improves.
func (m Metric) HigherIsBetter() bool { return m == Throughput }

// Unit is for axes and messages.
func (m Metric) Unit() string {
	switch m {
	case Throughput:
		return "operations/s"
	case Errors:
		return "errors"
	case ServerCPUPerOp:
		return "µs of CPU"
	case ClientCPU, ServerCPU:
		return "share of cores"
	default:
		return "µs"
	}
}

// ParseMetric finds a metric by the name that the CSV import and the
// constraints use.
func ParseMetric(name string) (Metric, error) {
	for m, n := range metricNames {
		if n == name {
			return Metric(m), nil
		}
	}
	return 0, fmt.Errorf("unknown metric %q: one of %s", name, strings.Join(metricNames[:], ", "))
}

// ParseObjective accepts the metrics that a sweep can be tuned for.
func ParseObjective(name string) (Metric, error) {
	switch m, err := ParseMetric(name); {
	case err == nil && m <= P99:
		return m, nil
	default:
		return 0, fmt.Errorf("objective %q: one of %s", name, strings.Join(metricNames[:P99+1], ", "))
	}
}

// Constraint is a bound that a recommended variant has to keep in every
// condition.
type Constraint struct {
	Metric  Metric
	AtLeast bool // otherwise: at most
	Bound   float64
}

// ParseConstraint reads "p99_us<=20000" or "throughput>=5000". A plain < or >
// means the same: on measured numbers the difference is nothing.
func ParseConstraint(text string) (Constraint, error) {
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return Constraint{}, fmt.Errorf("constraint %q: write it like p99_us<=20000", text)
	}
	m, err := ParseMetric(strings.TrimSpace(text[:i]))
	if err != nil {
		return Constraint{}, fmt.Errorf("constraint %q: %w", text, err)
	}
	number := strings.TrimSpace(strings.TrimPrefix(text[i+1:], "="))
	bound, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(bound) || math.IsInf(bound, 0) {
		return Constraint{}, fmt.Errorf("constraint %q: %q is not a number (%s, no unit)", text, number, m.Unit())
	}
	c := Constraint{Metric: m, AtLeast: text[i] == '>', Bound: bound}
	if wrong := c.senseless(); wrong != "" {
		return Constraint{}, fmt.Errorf("constraint %q: %s", text, wrong)
	}
	return c, nil
}

// senseless says why no measurement, or every one, keeps the bound.
func (c Constraint) senseless() string {
	none := c.Metric == Errors && !c.AtLeast // no error at all is a fair bound
	switch {
	case c.Bound < 0 || c.Bound == 0 && !none:
		return fmt.Sprintf("%s is never below 0: give a bound above 0 (%s)", c.Metric, c.Metric.Unit())
	case (c.Metric == ClientCPU || c.Metric == ServerCPU) && c.Bound > 1:
		return fmt.Sprintf("%s is never above 1: give a %s, such as 0.8", c.Metric, c.Metric.Unit())
	}
	return ""
}

func (c Constraint) String() string {
	op := "<="
	if c.AtLeast {
		op = ">="
	}
	return c.Metric.String() + op + strconv.FormatFloat(c.Bound, 'f', -1, 64)
}

// Holds reports whether x keeps the bound.
func (c Constraint) Holds(x float64) bool {
	if c.AtLeast {
		return x >= c.Bound
	}
	return x <= c.Bound
}
