package hbase

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// benchCluster is a real HBase with the table of HBase's PerformanceEvaluation
// in its block cache.
type benchCluster struct {
	cluster *local.Cluster
	rows    int
}

// The table that PerformanceEvaluation works on, and what its rows look like.
const (
	benchTable = "TestTable"
	benchKey   = "00000000000000000000000000"
	benchValue = 1000
)

var (
	benchFamily    = []byte("info0")
	benchQualifier = []byte("0")
)

// HBTUNE_BENCH_ROWS sets the number of rows of 1 kB.
const defaultBenchRows = 200_000

func newBench(b *testing.B) *benchCluster {
	rows := defaultBenchRows
	if s := os.Getenv("HBTUNE_BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1000 {
			b.Fatalf("HBTUNE_BENCH_ROWS=%s is not a number of rows of at least 1000", s)
		}
		rows = n
	}
	cluster := localtest.Private(b, local.Config{Name: "bench", HeapMB: 1536})
	bc := &benchCluster{cluster: cluster, rows: rows}
	ctx := context.Background()
	client := bc.dial(b, Config{})
	if err := client.Admin().CreateTable(ctx, &TableSchema{Name: benchTable, Families: []FamilySchema{{Name: string(benchFamily)}}}, nil); err != nil {
		b.Fatal(err)
	}
	bc.fill(b, client)
	bc.settle(b, client)
	return bc
}

// dial opens a client; cfg says what matters of its connections.
func (bc *benchCluster) dial(b *testing.B, cfg Config) *Client {
	cfg.Quorum, cfg.PerWorker = bc.cluster.ZooKeeper(), true
	c, err := Dial(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}

// settle empties the memstore: a full one makes gets dearer.
func (bc *benchCluster) settle(b *testing.B, client *Client) {
	ctx, admin := context.Background(), client.Admin()
	if _, err := admin.Flush(ctx, benchTable); err != nil {
		b.Fatal(err)
	}
	if err := admin.Compact(ctx, benchTable, true); err != nil {
		b.Fatal(err)
	}
}

// benchRow writes the key of row n into b.
func benchRow(b []byte, n int) []byte {
	b = append(b[:0], benchKey...)
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

func (bc *benchCluster) fill(b *testing.B, client *Client) {
	const writers, size = 4, 200
	tb := client.Table(benchTable)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			work := newBufferedPuts(tb, bc.rows, size, w)
			for at := w * size; at < bc.rows; at += writers * size {
				work.next = func() int { at++; return at - 1 }
				if _, err := work.do(); err != nil {
					b.Error(err)
					return
				}
				at -= size
			}
		})
	}
	wg.Wait()
}

// sample is one short run.
type sample struct {
	OpsPerSecond float64 `json:"ops_per_s"`
	ClientMicros float64 `json:"client_cpu_us_per_op"`
	ServerMicros float64 `json:"server_cpu_us_per_op"`
	P50Micros    float64 `json:"p50_us,omitempty"`
	P99Micros    float64 `json:"p99_us,omitempty"`
	operations   int
}

// doer does one operation and tells how many rows (or calls) it counts for.
type doer interface{ do() (int, error) }

// run lets each thread work for a while.
func run(b *testing.B, threads int, length time.Duration, worker func(int) doer) sample {
	times := make([][]uint32, threads)
	var done atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	cpu, begin := processCPU(), time.Now()
	for w := range threads {
		d := worker(w)
		times[w] = make([]uint32, 0, 1<<12)
		wg.Go(func() {
			total, last := 0, time.Now()
			for !stop.Load() {
				n, err := d.do()
				if err != nil {
					b.Error(err)
					return
				}
				now := time.Now()
				times[w] = append(times[w], uint32(min(now.Sub(last), 4*time.Second)))
				last, total = now, total+n
			}
			done.Add(int64(total))
		})
	}
	time.Sleep(length)
	stop.Store(true)
	wg.Wait()
	elapsed, cpu := time.Since(begin), processCPU()-cpu
	n := float64(max(done.Load(), 1))
	all := slices.Concat(times...)
	slices.Sort(all)
	s := sample{OpsPerSecond: n / elapsed.Seconds(), ClientMicros: float64(cpu.Microseconds()) / n, operations: int(n)}
	if len(all) > 0 {
		s.P50Micros, s.P99Micros = float64(all[len(all)/2])/1e3, float64(all[len(all)*99/100])/1e3
	}
	return s
}

// processCPU is the time that this process has spent on CPUs.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// withServer adds to a run what the RegionServer spent on it.
func (bc *benchCluster) withServer(b *testing.B, measure func() sample) sample {
	before := bc.serverCPU(b)
	s := measure()
	s.ServerMicros = float64((bc.serverCPU(b) - before).Microseconds()) / float64(max(s.operations, 1))
	return s
}

// serverCPU asks the RegionServer for the CPU time of its process.
func (bc *benchCluster) serverCPU(b *testing.B) time.Duration {
	resp, err := http.Get(bc.cluster.RegionServers()[0].InfoURL + "/jmx?qry=" + url.QueryEscape("java.lang:type=OperatingSystem"))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Beans []struct{ ProcessCpuTime int64 }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		b.Fatal(err)
	}
	if len(answer.Beans) != 1 || answer.Beans[0].ProcessCpuTime == 0 {
		b.Fatal(fmt.Errorf("the RegionServer does not tell its CPU time"))
	}
	return time.Duration(answer.Beans[0].ProcessCpuTime)
}
