package load

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"hbtune/sweep/hbase"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

const benchTable = "load_bench"

// benchCluster is the shared cluster with a table whose rows all fit into its
// cache.
func benchCluster(b *testing.B) (*hbase.Client, Cluster, Metrics, Shape) {
	b.Helper()
	cluster := localtest.Cluster(b)
	client, err := hbase.Dial(b.Context(), hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	b.Cleanup(http.DefaultClient.CloseIdleConnections)
	var urls []string
	for _, n := range cluster.RegionServers() {
		urls = append(urls, n.InfoURL)
	}
	c, m := OpenHBase(client, urls)
	shape := Shape{Rows: 50_000, ValueBytes: 1000, Regions: 4, Seed: 3}.normal()
	if _, err := Fill(b.Context(), c, benchTable, shape, FillOptions{}); err != nil {
		b.Fatal(err)
	}
	return client, c, m, shape
}

// bare drives gets through the client alone: as many goroutines, random keys of
// the same rows, the length of the value checked.
func bare(b *testing.B, client *hbase.Client, shape Shape, threads int, d time.Duration) (perSecond, microsPerOp float64) {
	b.Helper()
	counts := make([]int64, threads)
	var all sync.WaitGroup
	begin, used := time.Now(), processCPU()
	for i := range threads {
		all.Go(func() {
			table := client.Table(benchTable).ForWorker(i)
			draw, keys := NewDraw(1, uint64(i), shape.Rows), shape.keys()
			var key [KeyLen]byte
			name := columnNames(1)[0]
			get := hbase.Get{Columns: []hbase.Column{{Family: family, Qualifier: name}}}
			var result hbase.Result
			for time.Since(begin) < d {
				keys.Put(&key, draw.Row())
				get.Row = key[:]
				if err := table.Get(b.Context(), &get, &result); err != nil {
					b.Error(err)
					return
				}
				if value, _ := result.Value(family, name); len(value) != shape.ValueBytes {
					b.Errorf("%d bytes", len(value))
					return
				}
				counts[i]++
			}
		})
	}
	all.Wait()
	took, cpu := time.Since(begin), processCPU()-used
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	return float64(total) / took.Seconds(), float64(cpu.Microseconds()) / float64(total)
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// driven is bare by way of the load: its workers, its records, and one reading
// of the metrics a second.
func driven(b *testing.B, c Cluster, m Metrics, cfg Config, shape Shape, d time.Duration) (perSecond, microsPerOp, mallocsPerOp float64) {
	b.Helper()
	r := &run{cfg: cfg, cluster: c, metrics: m, recorder: newRecorder(), shared: newShared(cfg.Workload.Threads), replies: make(chan reply, 1)}
	plan, workers := newPlan(&r.cfg, c, shape, shape), make([]*worker, cfg.Workload.Threads)
	for i := range workers {
		workers[i] = newWorker(r.shared, plan.operations(i), nil)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	begin, used, before := time.Now(), processCPU(), mallocs()
	r.shared.start = begin
	var polling, working sync.WaitGroup
	polling.Go(func() { r.poll(ctx) })
	for _, w := range workers {
		working.Go(func() { w.run(ctx) })
	}
	time.AfterFunc(d, func() {
		r.shared.stop.Store(true)
		working.Wait()
		close(r.shared.full)
	})
	total := 0
	for batch := range r.shared.full {
		total += batch.n
		r.take(batch)
	}
	took, cpu := time.Since(begin), processCPU()-used
	allocated := mallocs() - before
	cancel()
	for range r.replies {
	}
	polling.Wait()
	return float64(total) / took.Seconds(), float64(cpu.Microseconds()) / float64(total), float64(allocated) / float64(total)
}

// BenchmarkRealDriver compares the load's throughput and processor time with
// those of the client alone, in alternating seconds, as the machine's speed
// changes from one to the next; it reports medians of the ratios and differences
// and the 95 % interval of the first.
func BenchmarkRealDriver(b *testing.B) {
	client, c, m, shape := benchCluster(b)
	const threads, slice, rounds = 64, time.Second, 80
	cfg := Config{Workload: trial.Workload{Table: benchTable, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: threads}}
	bare(b, client, shape, threads, 20*time.Second) // until the server is compiled
	for b.Loop() {
		var ratios, extra, allocated []float64
		rate, cpu := bare(b, client, shape, threads, slice)
		for range rounds {
			loadRate, loadCPU, mallocs := driven(b, c, m, cfg, shape, slice)
			rateAfter, cpuAfter := bare(b, client, shape, threads, slice)
			ratios = append(ratios, loadRate/((rate+rateAfter)/2))
			extra = append(extra, loadCPU-(cpu+cpuAfter)/2)
			allocated = append(allocated, mallocs)
			rate, cpu = rateAfter, cpuAfter
		}
		low, high := medianInterval(ratios)
		b.Logf("of the client: median %.3f (95 %% interval %.3f to %.3f), quartiles %.3f and %.3f", median(ratios), low, high, ratios[rounds/4], ratios[3*rounds/4])
		b.ReportMetric(median(ratios), "of-the-client")
		b.ReportMetric(median(extra), "extra-cpu-µs/op")
		b.ReportMetric(median(allocated), "mallocs/op") // what begins a load and reads the metrics
	}
}

// medianInterval sorts the numbers and returns the two between which their median
// lies in 95 of 100 cases, whatever their distribution (by the binomial one).
func medianInterval(x []float64) (low, high float64) {
	slices.Sort(x)
	half := 0.98 * math.Sqrt(float64(len(x)))
	middle := float64(len(x)) / 2
	return x[int(middle-half)], x[min(int(math.Ceil(middle+half)), len(x)-1)]
}

// BenchmarkRealOpenLoop is by how much operations start after they should, at a
// fifth of what the server can do, beside what the machine itself allows: by how
// much a thread that does nothing but sleep wakes too late.
func BenchmarkRealOpenLoop(b *testing.B) {
	_, c, m, shape := benchCluster(b)
	w := trial.Workload{Table: benchTable, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: 64}
	run := func(window time.Duration) *trial.Measurement {
		got, err := Run(b.Context(), c, m, Config{Workload: w, Duration: window, WarmupCap: 2 * window})
		if err != nil {
			b.Fatal(err)
		}
		return got
	}
	capacity := run(10 * time.Second).Throughput
	for b.Loop() {
		for _, poisson := range []bool{false, true} {
			w.Rate, w.Poisson = capacity/5, poisson
			var p50, p99, floors []float64
			for range 8 {
				floors = append(floors, sleeperLate(w.Rate, 3*time.Second))
				got := run(4 * time.Second)
				p50 = append(p50, float64(got.Open.Late.P50Micros))
				p99 = append(p99, float64(got.Open.Late.P99Micros))
			}
			b.Logf("%.0f/s, Poisson %v: late p50 %.0f, p99 %.0f; a thread that only sleeps: p99 %.0f µs", w.Rate, poisson, p50, p99, floors)
			name := map[bool]string{false: "even", true: "poisson"}[poisson]
			b.ReportMetric(median(p50), name+"-late-p50-µs")
			b.ReportMetric(median(p99), name+"-late-p99-µs")
			b.ReportMetric(median(floors), name+"-sleeper-p99-µs")
		}
	}
}

// sleeperLate is the 99th percentile of how late, in µs, a thread wakes that
// sleeps as the dispatcher does, with nothing else to do.
func sleeperLate(perSecond float64, d time.Duration) float64 {
	defer prompt()()
	plan, start, nap := newSchedule(perSecond, false, 1), time.Now(), new(sleeper).sleep
	var late []float64
	for {
		at := time.Duration(plan.next())
		if at > d {
			break
		}
		for wait := at - time.Since(start); wait > 0; wait = at - time.Since(start) {
			nap(wait)
		}
		late = append(late, float64((time.Since(start) - at).Microseconds()))
	}
	slices.Sort(late)
	return late[len(late)*99/100]
}

// BenchmarkRealFill sets loading beside PerformanceEvaluation's sequentialWrite:
// as many rows of the same size and as many regions, in alternating rounds; each
// side with the threads and batches that it would have. Only the puts count, not the flush and compaction after them.
func BenchmarkRealFill(b *testing.B) {
	const rows, regions, threads, rounds = 200_000, 4, 4, 8
	cluster := localtest.Private(b, local.Config{Name: "fill", HeapMB: 1536})
	client, err := hbase.Dial(b.Context(), hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	c, _ := OpenHBase(client, nil)
	evaluation := localtest.NewEvaluation(b, cluster)
	// Its keys are decimal, and each of its threads writes rows of its own.
	var splits [][]byte
	for i := 1; i < regions; i++ {
		splits = append(splits, fmt.Appendf(nil, "%026d", i*rows/regions))
	}
	theirTable := &hbase.TableSchema{Name: "TestTable", Families: []hbase.FamilySchema{{Name: "info0"}}}
	if err := client.Admin().CreateTable(b.Context(), theirTable, splits); err != nil {
		b.Fatal(err)
	}
	peer := func() float64 {
		r := evaluation.Run(b, []string{"sequentialWrite"}, threads, rows, rows)
		if err := c.Settle(b.Context(), "TestTable"); err != nil {
			b.Fatal(err)
		}
		return r.PerSecond
	}
	shape := Shape{Rows: rows, ValueBytes: 1000, Regions: regions, Seed: 9}
	ours := func() float64 {
		shape.Seed++ // so that it is not taken for loaded
		filled, err := Fill(b.Context(), c, "load_fill", shape, FillOptions{})
		if err != nil {
			b.Fatal(err)
		}
		return float64(filled.Rows) / filled.Loading.Seconds()
	}
	for range 2 { // until both are compiled
		peer()
		ours()
	}
	for b.Loop() {
		var rates, ratios []float64
		for round := range rounds {
			var theirs, own float64
			if round%2 == 0 {
				theirs, own = peer(), ours()
			} else {
				own, theirs = ours(), peer()
			}
			rates, ratios = append(rates, own), append(ratios, own/theirs)
		}
		b.Logf("rows/s %.0f, ratios %.2f", rates, ratios)
		b.ReportMetric(median(rates), "rows/s")
		b.ReportMetric(median(ratios), "of-sequentialWrite")
	}
}

// BenchmarkRealSteady is how far the throughput that is reported after a restart
// of the RegionServer, the default warm-up over, is from that of five minutes
// later. The load goes on in between.
func BenchmarkRealSteady(b *testing.B) {
	const window, later = 20 * time.Second, 5 * time.Minute
	cluster := localtest.Private(b, local.Config{Name: "steady", HeapMB: 1024})
	client, err := hbase.Dial(b.Context(), hbase.Config{Quorum: cluster.ZooKeeper()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	b.Cleanup(http.DefaultClient.CloseIdleConnections)
	c, m := OpenHBase(client, []string{cluster.RegionServers()[0].InfoURL})
	shape := Shape{Rows: 100_000, ValueBytes: 1000, Regions: 4, Seed: 3}.normal()
	if _, err := Fill(b.Context(), c, benchTable, shape, FillOptions{}); err != nil {
		b.Fatal(err)
	}
	w := trial.Workload{Table: benchTable, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: 16}
	for b.Loop() {
		if _, err := cluster.RestartNode(b.Context(), "rs1"); err != nil {
			b.Fatal(err)
		}
		var seconds []float64
		_, err := Run(b.Context(), c, m, Config{
			Workload: w, Duration: later + window,
			Second: func(s trial.Second) {
				if !s.Warmup {
					seconds = append(seconds, s.Throughput)
				}
			},
		})
		if err != nil {
			b.Fatal(err)
		}
		n := int(window / time.Second)
		first, last := median(seconds[:n]), median(seconds[len(seconds)-n:])
		var minutes []float64
		for at := 0; at+60 <= len(seconds); at += 60 {
			minutes = append(minutes, median(seconds[at:at+60]))
		}
		b.Logf("first %d s %.0f/s, five minutes later %.0f/s; medians by the minute %.0f", n, first, last, minutes)
		b.ReportMetric(first/last, "of-later")
	}
}
