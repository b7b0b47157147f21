package hbase

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"hbtune/sweep/local/localtest"
)

// How often and how long each side runs in a comparison.
const (
	peerRounds = 8
	peerLength = 2 * time.Second
)

// comparison is one kind of work at one number of threads.
type comparison struct {
	Name        string `json:"name"`
	Threads     int    `json:"threads"`
	Connections int    `json:"connections"`
	Gather      bool   `json:"gather"`
	// Processors that the client may use at a time; 0: all. Where one is enough,
	// the others only cost wake-ups.
	Processors int `json:"processors,omitempty"`
	evaluation []string
	worker     func(tb *Table, rows, worker int) doer
	writes     bool
	rowsPerOp  int // by PerformanceEvaluation's way of counting

	Ours  []sample `json:"ours"`
	Peers []sample `json:"performance_evaluation"`
	// Ratios are medians over the rounds, ours to the peer's.
	ThroughputRatio float64 `json:"throughput_ratio"`
	ClientCPURatio  float64 `json:"client_cpu_ratio"`
	// CeilingShare is the throughput as a share of what the machine's CPUs could
	// do if they had nothing to do but the server's part.
	CeilingShare float64 `json:"server_ceiling_share"`
}

const scanRows, bufferRows = 100, 500

func comparisons() []*comparison {
	get := func(tb *Table, rows, w int) doer { return newGets(tb, rows, w) }
	put := func(tb *Table, rows, w int) doer { return newPuts(tb, rows, w) }
	buffered := func(tb *Table, rows, w int) doer { return newBufferedPuts(tb, rows, bufferRows, w) }
	scan := func(tb *Table, rows, w int) doer { return newScans(tb, rows, scanRows, w) }
	gets, scans := []string{"randomRead"}, []string{"--caching=100", "scanRange100"}
	one, many := []string{"--autoFlush=true", "randomWrite"}, []string{"randomWrite"}
	return []*comparison{
		{Name: "get", Threads: 1, Connections: 1, evaluation: gets, worker: get},
		{Name: "get", Threads: 16, Connections: 1, evaluation: gets, worker: get},
		{Name: "get", Threads: 16, Connections: 1, Gather: true, Processors: 1, evaluation: gets, worker: get},
		{Name: "get", Threads: 64, Connections: 1, evaluation: gets, worker: get},
		{Name: "get", Threads: 64, Connections: 1, Gather: true, Processors: 1, evaluation: gets, worker: get},
		// A connection a thread, its own way, is more than ZooKeeper lets one host have.
		{Name: "get", Threads: 256, Connections: 2, Gather: true, Processors: 1, evaluation: append([]string{"--connCount=64"}, gets...), worker: get},
		{Name: "scan of 100 rows", Threads: 16, Connections: 1, evaluation: scans, worker: scan, rowsPerOp: scanRows},
		{Name: "put", Threads: 64, Connections: 1, Gather: true, Processors: 1, evaluation: one, worker: put, writes: true},
		{Name: "buffered put", Threads: 16, Connections: 1, evaluation: many, worker: buffered, writes: true},
	}
}

// compareAll sets this client beside HBase's own PerformanceEvaluation: the same
// work on the same RegionServer, in short runs that alternate, so that what the
// machine does meanwhile falls on both. HBTUNE_BENCH_ONLY picks some of it ("get
// 64").
func (bc *benchCluster) compareAll(b *testing.B) {
	only := regexp.MustCompile(os.Getenv("HBTUNE_BENCH_ONLY"))
	e := localtest.NewEvaluation(b, bc.cluster)
	all := slices.DeleteFunc(comparisons(), func(c *comparison) bool { return !only.MatchString(fmt.Sprintf("%s %d", c.Name, c.Threads)) })
	for _, c := range all {
		c.rowsPerOp = max(c.rowsPerOp, 1)
		bc.compare(b, e, c)
	}
	report(b, all)
}

func (bc *benchCluster) compare(b *testing.B, e *localtest.Evaluation, c *comparison) {
	client := bc.dial(b, Config{Connections: c.Connections, Gather: c.Gather})
	tb := client.Table(benchTable)
	ours := func() sample {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Processors)) // 0 changes nothing
		return bc.withServer(b, func() sample {
			return run(b, c.Threads, peerLength, func(w int) doer { return c.worker(tb.ForWorker(w), bc.rows, w) })
		})
	}
	operations := 20_000 / c.rowsPerOp
	peers := func() sample {
		s := bc.withServer(b, func() sample {
			r := e.Run(b, c.evaluation, c.Threads, bc.rows, operations)
			return sample{OpsPerSecond: r.PerSecond, ClientMicros: r.CPUMicrosPerOp, operations: r.Operations}
		})
		// The next run is to take about as long as ours.
		operations = max(int(s.OpsPerSecond*peerLength.Seconds()), 100)
		n := float64(c.rowsPerOp)
		s.OpsPerSecond, s.ClientMicros, s.ServerMicros = s.OpsPerSecond*n, s.ClientMicros/n, s.ServerMicros/n
		return s
	}
	for range 2 { // both compiled and warm, and the server too
		ours()
		peers()
	}
	for round := range peerRounds {
		if c.writes {
			bc.settle(b, client)
		}
		if round%2 == 0 {
			c.Ours, c.Peers = append(c.Ours, ours()), append(c.Peers, peers())
		} else {
			c.Peers, c.Ours = append(c.Peers, peers()), append(c.Ours, ours())
		}
	}
	c.ThroughputRatio = medianOf(c.Ours, c.Peers, func(o, p sample) float64 { return o.OpsPerSecond / p.OpsPerSecond })
	c.ClientCPURatio = medianOf(c.Ours, c.Peers, func(o, p sample) float64 { return o.ClientMicros / p.ClientMicros })
	c.CeilingShare = medianOf(c.Ours, c.Ours, func(o, _ sample) float64 {
		return o.OpsPerSecond * o.ServerMicros / 1e6 / float64(runtime.NumCPU())
	})
	if c.writes {
		bc.settle(b, client)
	}
	b.Logf("%s, %d threads: %.2f times the throughput, %.2f times the CPU", c.Name, c.Threads, c.ThroughputRatio, c.ClientCPURatio)
}

func medianOf(a, b []sample, f func(a, b sample) float64) float64 {
	values := make([]float64, len(a))
	for i := range a {
		values[i] = f(a[i], b[i])
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func report(b *testing.B, all []*comparison) {
	w := table.NewWriter()
	w.SetStyle(table.StyleLight)
	w.AppendHeader(table.Row{"work", "threads", "connections", "gather", "processors", "ops/s", "PE ops/s", "ratio", "client µs/op", "PE", "ratio", "server µs/op", "PE", "of ceiling", "p50 µs", "p99 µs"})
	for _, c := range all {
		of := func(s []sample, f func(sample) float64) float64 {
			return medianOf(s, s, func(s, _ sample) float64 { return f(s) })
		}
		digits := func(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }
		rate := func(s sample) float64 { return s.OpsPerSecond }
		clientCPU := func(s sample) float64 { return s.ClientMicros }
		serverCPU := func(s sample) float64 { return s.ServerMicros }
		w.AppendRow(table.Row{
			c.Name, c.Threads, c.Connections, c.Gather, cmp.Or(c.Processors, runtime.NumCPU()),
			digits(of(c.Ours, rate), 0), digits(of(c.Peers, rate), 0), digits(c.ThroughputRatio, 2),
			digits(of(c.Ours, clientCPU), 1), digits(of(c.Peers, clientCPU), 1), digits(c.ClientCPURatio, 3),
			digits(of(c.Ours, serverCPU), 1), digits(of(c.Peers, serverCPU), 1), digits(100*c.CeilingShare, 0) + " %",
			digits(of(c.Ours, func(s sample) float64 { return s.P50Micros }), 0),
			digits(of(c.Ours, func(s sample) float64 { return s.P99Micros }), 0),
		})
		label := strings.ReplaceAll(c.Name, " ", "-") + "-" + strconv.Itoa(c.Threads)
		b.ReportMetric(c.ThroughputRatio, label+"-ratio")
	}
	fmt.Println(w.Render())
	if path := os.Getenv("HBTUNE_BENCH_JSON"); path != "" {
		text, err := json.MarshalIndent(map[string]any{"v": 1, "comparisons": all}, "", " ")
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}
