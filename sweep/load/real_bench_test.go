package load

import (
	"fmt"
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

// BenchmarkRealDriver compares the load's throughput and processor time with
// those of the client alone, in alternating rounds; it reports medians of the
// ratios and differences.
func BenchmarkRealDriver(b *testing.B) {
	client, c, m, shape := benchCluster(b)
	const threads, window = 64, 4 * time.Second
	w := trial.Workload{Table: benchTable, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: threads}
	bare(b, client, shape, threads, 20*time.Second) // until the server is compiled
	for b.Loop() {
		var ratios, extra, allocated []float64
		for range 8 {
			rate, cpu := bare(b, client, shape, threads, window)
			operations, before := 0.0, mallocs()
			got, err := Run(b.Context(), c, m, Config{
				Workload: w, Duration: window, WarmupCap: time.Second, Following: true,
				Second: func(s trial.Second) { operations += s.Throughput },
			})
			if err != nil {
				b.Fatal(err)
			}
			allocated = append(allocated, float64(mallocs()-before)/operations)
			again, cpuAgain := bare(b, client, shape, threads, window)
			ratios = append(ratios, got.Throughput/((rate+again)/2))
			extra = append(extra, got.Client.CPUMicrosPerOp-(cpu+cpuAgain)/2)
		}
		b.Logf("ratios %.3f, extra µs %.2f", ratios, extra)
		b.ReportMetric(median(ratios), "of-the-client")
		b.ReportMetric(median(extra), "extra-cpu-µs/op")
		b.ReportMetric(median(allocated), "mallocs/op") // what reads the metrics allocates each second
	}
}

// BenchmarkRealOpenLoop is by how much operations start after they should, at a
// fifth of what the server can do.
func BenchmarkRealOpenLoop(b *testing.B) {
	_, c, m, shape := benchCluster(b)
	w := trial.Workload{Table: benchTable, Rows: shape.Rows, ValueBytes: shape.ValueBytes, ReadShare: 1, Threads: 64}
	run := func() *trial.Measurement {
		got, err := Run(b.Context(), c, m, Config{Workload: w, Duration: 10 * time.Second, WarmupCap: 20 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		return got
	}
	capacity := run().Throughput
	for b.Loop() {
		var p50, p99 []float64
		for _, poisson := range []bool{false, true} {
			w.Rate, w.Poisson = capacity/5, poisson
			got := run()
			b.Logf("%.0f/s, Poisson %v: reached %.3f, late %+v, flags %v, p99 response %d µs", w.Rate, poisson, got.Open.Reached,
				trial.Latency{P50Micros: got.Open.Late.P50Micros, P95Micros: got.Open.Late.P95Micros, P99Micros: got.Open.Late.P99Micros},
				got.Flags, got.Ops["read"].P99Micros)
			p50 = append(p50, float64(got.Open.Late.P50Micros))
			p99 = append(p99, float64(got.Open.Late.P99Micros))
		}
		b.ReportMetric(slices.Max(p50), "late-p50-µs")
		b.ReportMetric(slices.Max(p99), "late-p99-µs")
	}
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
