package hbase

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"hbtune/sweep/hbase/wire"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// Benchmarks on a real cluster: throughput, this process's CPU an operation,
// and response times, at several numbers of threads.
//
//	HBTUNE_REAL=1 go test ./sweep/hbase -run '^$' -bench Real -benchtime 5s
//
// HBTUNE_BENCH_ROWS sets the number of rows of 1 kB (default 100,000) and
// HBTUNE_BENCH_ZK takes a cluster that runs already in place of the tests' own.
// They say what one machine did in one minute; compare alternating runs.

const benchValue = 1000

var benchThreads = []int{1, 16, 64, 256}

type benchCluster struct {
	client *Client
	rows   int
}

const benchTable = "hbtune_bench"

func newBench(b *testing.B, cfg Config) *benchCluster {
	rows := 100_000
	if s := os.Getenv("HBTUNE_BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			b.Fatalf("HBTUNE_BENCH_ROWS=%s is not a number of rows", s)
		}
		rows = n
	}
	cfg.Quorum = os.Getenv("HBTUNE_BENCH_ZK")
	if cfg.Quorum == "" {
		cfg.Quorum = localtest.Private(b, local.Config{Name: "bench", HeapMB: 1024}).ZooKeeper()
	}
	ctx := context.Background()
	c, err := Dial(ctx, cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	bc := &benchCluster{client: c, rows: rows}
	admin := c.Admin()
	exists, err := admin.TableExists(ctx, benchTable)
	if err != nil {
		b.Fatal(err)
	}
	if !exists {
		if err := admin.CreateTable(ctx, &TableSchema{Name: benchTable, Families: []FamilySchema{{Name: "f"}}}, nil); err != nil {
			b.Fatal(err)
		}
	}
	var result Result
	if err := c.Table(benchTable).Get(ctx, &Get{Row: benchRow(nil, rows-1)}, &result); err != nil {
		b.Fatal(err)
	}
	if len(result.Cells) == 0 {
		bc.fill(b)
		if _, err := admin.Flush(ctx, benchTable); err != nil {
			b.Fatal(err)
		}
		if err := admin.Compact(ctx, benchTable, true); err != nil {
			b.Fatal(err)
		}
	}
	return bc
}

// benchRow writes the key of row n into b.
func benchRow(b []byte, n int) []byte {
	b = append(b[:0], "row0000000000"...)
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

func (bc *benchCluster) fill(b *testing.B) {
	tb := bc.client.Table(benchTable)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			var batch Batch
			puts := make([]Put, 200)
			value := make([]byte, benchValue)
			for at := w; at < bc.rows; {
				batch.Reset()
				for i := range puts {
					if at >= bc.rows {
						break
					}
					puts[i].Reset(benchRow(nil, at))
					puts[i].Add(family, qualifier, value)
					batch.Put(&puts[i])
					at += 4
				}
				if err := tb.Multi(context.Background(), &batch); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// measure runs b.N operations over threads and reports what they cost.
func measure(b *testing.B, threads int, worker func(int) func() error) {
	times := make([][]uint32, threads)
	b.ReportAllocs()
	b.ResetTimer()
	cpu := processCPU()
	var wg sync.WaitGroup
	for w := range threads {
		op := worker(w)
		n := b.N / threads
		if w < b.N%threads {
			n++
		}
		times[w] = make([]uint32, n)
		wg.Go(func() {
			last := time.Now()
			for i := range n {
				if err := op(); err != nil {
					b.Error(err)
					return
				}
				now := time.Now()
				times[w][i] = uint32(now.Sub(last))
				last = now
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(processCPU()-cpu)/1e3/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	all := slices.Concat(times...)
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2])/1e3, "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100])/1e3, "p99-µs")
}

// processCPU is the time that this process has spent on CPUs.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRealGet(b *testing.B) {
	bc := newBench(b, Config{})
	for _, threads := range benchThreads {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) { bc.gets(b, threads) })
	}
}

func BenchmarkRealGetTwoConnections(b *testing.B) {
	bc := newBench(b, Config{Connections: 2, PerWorker: true})
	for _, threads := range benchThreads[1:] {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) { bc.gets(b, threads) })
	}
}

func (bc *benchCluster) gets(b *testing.B, threads int) {
	measure(b, threads, func(w int) func() error {
		tb := bc.client.Table(benchTable).ForWorker(w)
		random := rand.New(rand.NewPCG(uint64(w), 1))
		var get Get
		var result Result
		return func() error {
			get.Row = benchRow(get.Row, random.IntN(bc.rows))
			if err := tb.Get(context.Background(), &get, &result); err != nil {
				return err
			}
			if v, _ := result.Value(family, qualifier); len(v) != benchValue {
				return fmt.Errorf("row %s has %d bytes", get.Row, len(v))
			}
			return nil
		}
	})
}

func BenchmarkRealPut(b *testing.B) {
	bc := newBench(b, Config{})
	for _, threads := range benchThreads {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			measure(b, threads, func(w int) func() error {
				tb := bc.client.Table(benchTable)
				random := rand.New(rand.NewPCG(uint64(w), 1))
				var put Put
				value := make([]byte, benchValue)
				return func() error {
					put.Reset(benchRow(put.Row, random.IntN(bc.rows)))
					put.Add(family, qualifier, value)
					return tb.Put(context.Background(), &put)
				}
			})
		})
	}
}

func BenchmarkRealMultiGet(b *testing.B) {
	const size = 10
	bc := newBench(b, Config{})
	for _, threads := range benchThreads[:3] {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			measure(b, threads, func(w int) func() error {
				tb := bc.client.Table(benchTable)
				random := rand.New(rand.NewPCG(uint64(w), 1))
				var batch Batch
				gets, results := make([]Get, size), make([]Result, size)
				return func() error {
					batch.Reset()
					for i := range gets {
						gets[i].Row = benchRow(gets[i].Row, random.IntN(bc.rows))
						batch.Get(&gets[i], &results[i])
					}
					return tb.Multi(context.Background(), &batch)
				}
			})
		})
	}
}

func BenchmarkRealScan100(b *testing.B) {
	bc := newBench(b, Config{})
	for _, threads := range benchThreads[:3] {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			measure(b, threads, func(w int) func() error {
				tb := bc.client.Table(benchTable)
				random := rand.New(rand.NewPCG(uint64(w), 1))
				var s Scanner
				scan := Scan{Limit: 100}
				return func() error {
					scan.StartRow = benchRow(scan.StartRow, random.IntN(bc.rows-100))
					s.Start(context.Background(), tb, &scan)
					n := 0
					for s.Next() {
						n++
					}
					if n != 100 && s.Err() == nil {
						return fmt.Errorf("%d rows", n)
					}
					return s.Err()
				}
			})
		})
	}
}

// BenchmarkRealRaw is the floor of BenchmarkRealGet with one thread: the same
// bytes sent and received over a plain socket.
func BenchmarkRealRaw(b *testing.B) {
	bc := newBench(b, Config{})
	tb := bc.client.Table(benchTable)
	ctx := context.Background()
	row := benchRow(nil, bc.rows/2)
	r, err := tb.locate(ctx, row)
	if err != nil {
		b.Fatal(err)
	}
	nc, err := (&server{client: bc.client, addr: r.server.addr, service: r.server.service, slots: make([]slot, 1)}).open()
	if err != nil {
		b.Fatal(err)
	}
	defer nc.fail(ErrClosed)
	b.Run("threads=1", func(b *testing.B) {
		out := nc.out
		call := newCall()
		op := operation{method: "Get", row: row, get: &Get{Row: row}}
		op.encode(call, r)
		call.header.Method = "Get"
		in := make([]byte, 64<<10)
		measure(b, 1, func(int) func() error {
			return func() error {
				out = appendRaw(out, call)
				if _, err := nc.nc.Write(out); err != nil {
					return err
				}
				out = out[:0]
				for n, want := 0, 4; n < want; {
					m, err := nc.nc.Read(in[n:])
					if err != nil {
						return err
					}
					if n += m; n >= 4 {
						want = 4 + int(binary.BigEndian.Uint32(in))
					}
				}
				return nil
			}
		})
		nc.out = nil
	})
}

func appendRaw(b []byte, call *call) []byte {
	return wire.AppendRequest(b, &call.header, call.param, call.cells)
}
