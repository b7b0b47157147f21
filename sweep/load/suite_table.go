package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// SuiteTable is a table for people, with what has to be said about it below.
type SuiteTable struct {
	Title  string
	Header []string
	Rows   [][]string
	Notes  []string
}

// Tables are a suite's results in the form in which its benchmark was published,
// and their shape beside the published one: both divided by a measurement of
// their own, for the hardware is another.
func (r *SuiteResult) Tables() ([]SuiteTable, error) {
	var tables []SuiteTable
	var err error
	switch r.Suite {
	case SuiteWhitepaper:
		tables, err = r.whitepaperTables()
	case SuiteQueue:
		tables, err = r.queueTables()
	case SuiteRandom:
		tables = r.randomTables()
	}
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	tables[0].Notes = append(tables[0].Notes, r.doubts()...)
	return tables, nil
}

// doubts lists the flags of steps and the steps that could not be measured.
func (r *SuiteResult) doubts() []string {
	flagged := map[string][]string{}
	var notes []string
	measured := 0
	for i := range r.Steps {
		s := &r.Steps[i]
		step := Step{Scenario: s.Scenario, Workload: s.Workload, Regions: s.Regions}
		if s.Refused != "" {
			notes = append(notes, step.Label()+": "+s.Refused)
			continue
		}
		if s.Measurement == nil {
			continue
		}
		measured++
		for _, flag := range s.Measurement.Flags {
			flagged[flag] = append(flagged[flag], step.Label())
		}
	}
	for _, flag := range []string{
		flagNotSteady, flagClientBound, flagErrors, flagNotFound, flagRegionsChanged, flagLittlesLaw, flagGrowingDebt,
	} {
		switch steps := flagged[flag]; {
		case len(steps) == 0:
		case len(steps) == measured:
			notes = append(notes, flag+": every row")
		default:
			notes = append(notes, flag+": "+strings.Join(steps, "; "))
		}
	}
	return notes
}

// serverCores is how many cores the servers used.
func serverCores(s *StepRun) float64 {
	if seconds := s.Measurement.Server["metrics_seconds"]; seconds > 0 {
		return s.Measurement.Server["cpu_seconds"] / seconds
	}
	return math.NaN()
}

func (r *SuiteResult) whitepaperTables() ([]SuiteTable, error) {
	published, err := publishedFigures("whitepaper")
	if err != nil {
		return nil, err
	}
	table := SuiteTable{
		Title:  "Six scenarios, 100 columns of 20 bytes",
		Header: []string{"scenario", "threads", "QPS", "mean µs", "p50 µs", "p95 µs", "p99 µs", "server CPU, cores"},
		Notes:  []string{"in A and E the rate is of all operations, the latency of the first kind, as published"},
	}
	shape := SuiteTable{
		Title:  "Shape",
		Header: []string{"scenario", "threads", "QPS", "p99", "published threads", "QPS", "p99"},
	}
	first := map[string]string{"A": "read", "E": "scan"}
	threads := r.threads()
	var base, publishedBase *point
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Measurement == nil {
			continue
		}
		kind := first[s.Scenario]
		if kind == "" {
			kind = onlyKind(s)
		}
		l := s.Measurement.Ops[kind]
		table.Rows = append(table.Rows, []string{
			s.Scenario, fmt.Sprint(s.Workload.Threads), fmt.Sprintf("%.0f", s.Measurement.Throughput), fmt.Sprintf("%.0f", l.MeanMicros),
			fmt.Sprint(l.P50Micros), fmt.Sprint(l.P95Micros), fmt.Sprint(l.P99Micros), tenths(serverCores(s)),
		})
		ours := &point{s.Measurement.Throughput, float64(l.P99Micros)}
		// The fewest threads stand for the published fewest, the most for the most.
		at := 128
		if s.Workload.Threads == threads[len(threads)-1] && len(threads) > 1 {
			at = 1024
		} else if s.Workload.Threads != threads[0] {
			continue
		}
		theirs := whitepaperAt(published, s.Scenario, at)
		if theirs == nil {
			continue
		}
		if base == nil {
			base, publishedBase = ours, theirs
			shape.Title = dividedBy(fmt.Sprintf("%s at %d threads", s.Scenario, s.Workload.Threads), fmt.Sprintf("%s at %d threads", s.Scenario, at),
				*ours, *theirs, "p99 of %.0f µs")
			shape.Notes = append(shape.Notes, "our fewest threads stand beside the published 128, our most beside the published 1024")
		}
		shape.Rows = append(shape.Rows, []string{
			s.Scenario, fmt.Sprint(s.Workload.Threads), ratio(ours.rate, base.rate), ratio(ours.latency, base.latency),
			fmt.Sprint(at), ratio(theirs.rate, publishedBase.rate), ratio(theirs.latency, publishedBase.latency),
		})
	}
	return tablesWithRows(table, shape), nil
}

// point is a rate and a latency that others are divided by.
type point struct{ rate, latency float64 }

// dividedBy is the title of a table of shapes: it says by which measurement of
// ours and by which published one everything is divided.
func dividedBy(ours, theirs string, our, their point, latency string) string {
	side := func(p point) string { return fmt.Sprintf("%.0f a second, "+latency, p.rate, p.latency) }
	return fmt.Sprintf("Shape: ours divided by our %s (%s), the published by the published %s (%s)", ours, side(our), theirs, side(their))
}

// tablesWithRows leaves out a table of shapes that has nothing to compare.
func tablesWithRows(table, shape SuiteTable) []SuiteTable {
	if len(shape.Rows) > 0 {
		return []SuiteTable{table, shape}
	}
	table.Notes = append(table.Notes, "no row was published with the same parameters, so no shape is shown")
	return []SuiteTable{table}
}

func tenths(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.1f", x)
}

func whitepaperAt(published []map[string]string, scenario string, threads int) *point {
	for _, row := range published {
		if row["scenario"] == scenario && row["threads"] == fmt.Sprint(threads) {
			return &point{figure(row, "ops_per_s"), figure(row, "p99_us")}
		}
	}
	return nil
}

func onlyKind(s *StepRun) string {
	for kind := range s.Measurement.Ops {
		return kind
	}
	return ""
}

// threads are the numbers of threads that were measured, in order.
func (r *SuiteResult) threads() []int {
	var list []int
	for i := range r.Steps {
		list = append(list, r.Steps[i].Workload.Threads)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *SuiteResult) queueTables() ([]SuiteTable, error) {
	published, err := publishedFigures("queue")
	if err != nil {
		return nil, err
	}
	table := SuiteTable{
		Title:  "A message queue, one thread a partition",
		Header: []string{"mode", "batch", "partitions", "operation", "QPS", "latency ms", "MB/s"},
	}
	shape := SuiteTable{
		Title:  "Shape",
		Header: []string{"mode", "batch", "partitions", "operation", "QPS", "published QPS", "latency", "published latency"},
	}
	names := map[string]string{"append": "write", "follow": "read"}
	var base, publishedBase point
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Measurement == nil {
			continue
		}
		batch := max(s.Workload.Batch, 1)
		for _, kind := range []string{"follow", "append"} {
			l, ok := s.Measurement.Ops[kind]
			if !ok {
				continue
			}
			rate, millis := float64(l.Count)/s.Measurement.Seconds, l.MeanMicros/1000
			head := []string{s.Scenario, fmt.Sprint(batch), fmt.Sprint(s.Workload.Threads), names[kind]}
			table.Rows = append(table.Rows, append(slices.Clone(head),
				fmt.Sprintf("%.0f", rate), fmt.Sprintf("%.2f", millis), fmt.Sprintf("%.2f", rate*float64(batch*s.Workload.ValueBytes)/1e6)))
			for _, row := range published {
				if row["mode"] != s.Scenario || row["op"] != names[kind] || row["batch"] != fmt.Sprint(batch) || row["threads"] != fmt.Sprint(s.Workload.Threads) {
					continue
				}
				theirs := point{figure(row, "requests_per_s"), figure(row, "mean_latency_ms")}
				if len(shape.Rows) == 0 {
					// Both are divided by the same row, the first that there is of both.
					base, publishedBase = point{rate, millis}, theirs
					by := fmt.Sprintf("%s (%s), batch %d, %d partitions", names[kind], s.Scenario, batch, s.Workload.Threads)
					shape.Title = dividedBy(by, by, base, theirs, "mean of %.2f ms")
				}
				shape.Rows = append(shape.Rows, append(slices.Clone(head),
					ratio(rate, base.rate), ratio(theirs.rate, publishedBase.rate), ratio(millis, base.latency), ratio(theirs.latency, publishedBase.latency)))
			}
		}
	}
	return tablesWithRows(table, shape), nil
}

func (r *SuiteResult) randomTables() []SuiteTable {
	table := SuiteTable{
		Title:  "Random writes and reads",
		Header: []string{"operation", "regions", "threads", "hit wanted", "hit", "tps", "mean ms", "p99 ms"},
	}
	bestWrite, bestRead := [2]float64{}, [3]float64{}
	byHit := map[float64]float64{}
	writeThreads, readThreads := map[int]bool{}, map[int]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Measurement == nil {
			continue
		}
		l := s.Measurement.Ops[onlyKind(s)]
		wanted, hit := "", ""
		if s.Workload.HitTarget > 0 {
			wanted, hit = fmt.Sprint(s.Workload.HitTarget), fmt.Sprintf("%.3f", s.Measurement.Hit.DataBlocks)
			byHit[s.Workload.HitTarget] = max(byHit[s.Workload.HitTarget], s.Measurement.Throughput)
		}
		table.Rows = append(table.Rows, []string{
			strings.TrimPrefix(s.Scenario, "random "), fmt.Sprint(s.Regions), fmt.Sprint(s.Workload.Threads), wanted, hit,
			fmt.Sprintf("%.0f", s.Measurement.Throughput), fmt.Sprintf("%.2f", l.MeanMicros/1000), fmt.Sprintf("%.2f", float64(l.P99Micros)/1000),
		})
		if s.Scenario == randomWrite {
			writeThreads[s.Workload.Threads] = true
		} else {
			readThreads[s.Workload.Threads] = true
		}
		switch {
		case s.Scenario == randomWrite && s.Measurement.Throughput > bestWrite[0]:
			bestWrite = [2]float64{s.Measurement.Throughput, float64(s.Workload.Threads)}
		case s.Scenario == randomRead && s.Measurement.Throughput > bestRead[0]:
			bestRead = [3]float64{s.Measurement.Throughput, float64(s.Workload.Threads), s.Workload.HitTarget}
		}
	}
	shape := SuiteTable{
		Title:  "Shape: what was found; nothing was published that figures could be divided by",
		Header: []string{"finding", "here", "published"},
	}
	add := func(known bool, finding, here, published string) {
		if known {
			shape.Rows = append(shape.Rows, []string{finding, here, published})
		}
	}
	// The best of one is no finding.
	add(len(writeThreads) > 1, "threads of the most writes", fmt.Sprint(bestWrite[1]), "near 250")
	add(len(readThreads) > 1, "threads of the most reads", fmt.Sprint(bestRead[1]), "250")
	add(len(byHit) > 1, "hit rate of the most reads", fmt.Sprint(bestRead[2]), "0.9")
	if low, high := byHit[0.2], byHit[0.9]; low > 0 && high > 0 {
		add(true, "most reads at a hit rate of 0.2, divided by the most at 0.9", ratio(low, high), "far under 1")
	}
	if a, b, ok := r.writesByRegions(); ok {
		add(true, "most writes with the most regions, divided by the most with the fewest", ratio(b, a), "under 1")
	}
	if len(shape.Rows) == 0 {
		return []SuiteTable{table}
	}
	return []SuiteTable{table, shape}
}

// writesByRegions is the best write throughput with the fewest and with the most
// regions.
func (r *SuiteResult) writesByRegions() (fewest, most float64, ok bool) {
	best := map[int]float64{}
	var regions []int
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Scenario == randomWrite && s.Measurement != nil {
			best[s.Regions] = max(best[s.Regions], s.Measurement.Throughput)
			regions = append(regions, s.Regions)
		}
	}
	if len(best) < 2 {
		return 0, 0, false
	}
	return best[slices.Min(regions)], best[slices.Max(regions)], true
}

func ratio(a, b float64) string {
	if x := a / b; math.IsNaN(x) || math.IsInf(x, 0) {
		return "" // one of them is not known
	}
	return fmt.Sprintf("%.2f", a/b)
}

// HitPoint is one read measurement of the random suite.
type HitPoint struct {
	Threads    int
	Hit        float64 // measured
	Throughput float64
	P99Micros  int64
}

// HitPoints lists the reads at calibrated hit rates by threads and hit rate.
func (r *SuiteResult) HitPoints() []HitPoint {
	var points []HitPoint
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Measurement == nil || s.Workload.HitTarget == 0 {
			continue
		}
		l := s.Measurement.Ops["read"]
		points = append(points, HitPoint{s.Workload.Threads, s.Measurement.Hit.DataBlocks, s.Measurement.Throughput, l.P99Micros})
	}
	slices.SortStableFunc(points, func(a, b HitPoint) int {
		return cmp.Or(cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.Hit, b.Hit))
	})
	return points
}
