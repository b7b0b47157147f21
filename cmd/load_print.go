package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"hbtune/sweep/trial"
)

// printMeasurement writes a measurement for people.
func printMeasurement(w io.Writer, m *trial.Measurement) {
	fmt.Fprintf(w, "%s, %d threads, %.0f s after %.0f s of warm-up\n\n", m.Workload, m.Threads, m.Seconds, m.WarmupSeconds)
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Options.SeparateColumns = false
	t.AppendHeader(table.Row{"operation", "count", "per second", "mean", "p50", "p95", "p99", "p99.9", "max"})
	for _, name := range sortedKeys(m.Ops) {
		l := m.Ops[name]
		t.AppendRow(table.Row{
			name, l.Count, fmt.Sprintf("%.0f", float64(l.Count)/m.Seconds),
			microsText(int64(l.MeanMicros)), microsText(l.P50Micros), microsText(l.P95Micros),
			microsText(l.P99Micros), microsText(l.P999Micros), microsText(l.MaxMicros),
		})
	}
	t.Render()
	fmt.Fprintln(w)
	fmt.Fprintf(w, "throughput   %.0f operations/s\n", m.Throughput)
	if m.Hit.Lookups > 0 {
		fmt.Fprintf(w, "hit rate     %s of data blocks", percent(m.Hit.DataBlocks))
		if m.Hit.Target > 0 {
			fmt.Fprintf(w, " (wanted: %s)", percent(m.Hit.Target))
		}
		fmt.Fprintf(w, ", %s of all blocks\n", percent(m.Hit.AllBlocks))
	}
	fmt.Fprintf(w, "client       %s of its processor time, %.1f µs an operation\n", percent(m.Client.CPUShare), m.Client.CPUMicrosPerOp)
	for _, class := range sortedKeys(m.Errors) {
		fmt.Fprintf(w, "errors       %d of %s\n", m.Errors[class], class)
	}
	if m.NotFound > 0 {
		fmt.Fprintf(w, "not found    %d\n", m.NotFound)
	}
	if len(m.Flags) > 0 {
		fmt.Fprintf(w, "doubtful     %s\n", strings.Join(m.Flags, ", "))
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
