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
	for _, name := range sortedKeys(m.Rows) {
		fmt.Fprintf(w, "rows         %.1f a %s, %.0f/s\n", float64(m.Rows[name])/float64(m.Ops[name].Count), name, float64(m.Rows[name])/m.Seconds)
	}
	if o := m.Open; o != nil {
		fmt.Fprintf(w, "rate         %.0f/s wanted (%s), %s of it reached; started late by p50 %s, p99 %s\n",
			o.Rate, o.Arrivals, percent(o.Reached), microsText(o.Late.P50Micros), microsText(o.Late.P99Micros))
		for _, name := range sortedKeys(m.Service) {
			l := m.Service[name]
			fmt.Fprintf(w, "service      %s: mean %s, p50 %s, p99 %s from the send (the table counts from the intended start)\n",
				name, microsText(int64(l.MeanMicros)), microsText(l.P50Micros), microsText(l.P99Micros))
		}
	}
	if m.Hit.Lookups > 0 {
		fmt.Fprintf(w, "hit rate     %s of data blocks", percent(m.Hit.DataBlocks))
		if m.Hit.Target > 0 {
			fmt.Fprintf(w, " (wanted: %s)", percent(m.Hit.Target))
		}
		fmt.Fprintf(w, ", %s of all blocks\n", percent(m.Hit.AllBlocks))
	}
	fmt.Fprintf(w, "client       %s of its processor time, %.1f µs an operation\n", percent(m.Client.CPUShare), m.Client.CPUMicrosPerOp)
	if a, b := m.Before, m.After; a != nil && b != nil {
		fmt.Fprintf(w, "servers      flush queue %.0f → %.0f, compaction queue %.0f → %.0f, memstore %.0f → %.0f MB, store files %.0f → %.0f, regions %.0f → %.0f\n",
			a.FlushQueue, b.FlushQueue, a.CompactionQueue, b.CompactionQueue, a.MemstoreBytes/1e6, b.MemstoreBytes/1e6,
			a.StoreFiles, b.StoreFiles, a.Regions, b.Regions)
	}
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
