package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// responseName says what a curve's y is.
func responseName(response string) string {
	switch response {
	case "throughput":
		return "Throughput"
	case "ratio":
		return "Ratio to the baseline"
	case "rows_per_s":
		return "Rows a second"
	case "mean_us":
		return "Mean latency"
	default:
		return strings.TrimSuffix(response, "_us") + " latency"
	}
}

// responseScale is the y axis for a response.
func responseScale(response string) scale {
	switch {
	case response == "throughput":
		return scale{label: "throughput, ops/s", most: 6}
	case response == "rows_per_s":
		return scale{label: "rows/s", most: 6}
	case response == "ratio":
		return scale{label: "ratio to the baseline", most: 6, format: func(x float64) string { return fmt.Sprintf("×%.2f", x) }}
	case strings.HasSuffix(response, "_us"):
		return scale{
			label: strings.ToLower(strings.TrimSuffix(response, "_us")) + " latency, ms", most: 6,
			format: func(us float64) string { return fmt.Sprintf("%.4g", us/1000) },
		}
	default:
		return scale{label: response, most: 5}
	}
}

// responseValue writes one y with its unit.
func responseValue(response string, y float64) string {
	switch {
	case response == "throughput":
		return quantity(y) + " ops/s"
	case response == "ratio":
		return change(y)
	case strings.HasSuffix(response, "_us"):
		return millis(y) + " ms"
	default:
		return quantity(y)
	}
}

// xValue writes one x of a curve with its unit.
func xValue(c analyze.Curve, x float64) string {
	switch c.Unit {
	case "bytes":
		return byteSize(x)
	case "threads":
		return quantity(math.Round(x)) + " threads"
	default:
		if a := math.Abs(x); a >= 1 && a < 1000 { // an optimum is not known to more digits
			return strconv.FormatFloat(x, 'g', 3, 64)
		}
		return plain(x)
	}
}

// unitLabel is the label of an axis by the property's unit.
func unitLabel(unit string, log bool) string {
	label := unit
	switch unit {
	case "bytes":
		label = "size"
	case "":
		label = "value"
	}
	if log {
		label += " (log scale)"
	}
	return label
}

// metricNames head the columns of other metrics.
func metricName(m analyze.Metric) string {
	switch m {
	case analyze.Throughput:
		return "Throughput"
	case analyze.Mean:
		return "Mean latency"
	case analyze.Errors:
		return "Errors"
	case analyze.ClientCPU:
		return "Client CPU"
	case analyze.ServerCPU:
		return "Server CPU"
	case analyze.ServerCPUPerOp:
		return "CPU per operation"
	case analyze.Max:
		return "Longest"
	default:
		return strings.TrimSuffix(m.String(), "_us")
	}
}

// metrics lists analyze's metrics in order.
func metrics() []analyze.Metric {
	var all []analyze.Metric
	for m := analyze.Throughput; m <= analyze.ServerCPUPerOp; m++ {
		all = append(all, m)
	}
	return all
}

// citations names the trials that a number rests on by their sessions: within
// one condition, or over all of them, a session has no other trial.
type citations map[string]string // trial → session

func newCitations(records []trial.Record) citations {
	c := citations{}
	for _, r := range records {
		if r.Session != "" {
			c[r.ID] = r.Session
		}
	}
	return c
}

// list is for a table; long lists end in a count, the JSON has them whole.
func (c citations) list(trials []string) string {
	const most = 12
	var names []string
	seen := map[string]bool{}
	for _, id := range trials {
		if session := c[id]; session != "" {
			id = session
		}
		if !seen[id] {
			seen[id] = true
			names = append(names, id)
		}
	}
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// sentence gives a note a capital letter and a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if first, _, _ := strings.Cut(s, " "); !strings.ContainsAny(first, ".=_0123456789") { // neither a property nor a variant
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// responseNumber writes one y without its unit.
func responseNumber(response string, y float64) string {
	if strings.HasSuffix(response, "_us") {
		return millis(y)
	}
	return quantity(y)
}

// responseUnit heads a column of responses.
func responseUnit(response string) string {
	switch {
	case response == "throughput":
		return "ops/s"
	case strings.HasSuffix(response, "_us"):
		return "ms"
	default:
		return ""
	}
}
