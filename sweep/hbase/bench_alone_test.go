package hbase

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkReal measures the client on a real cluster; what it prints is what
// counts, rather than the framework's ns/op. HBTUNE_BENCH_JSON names a file for
// the comparisons. It takes about 20 minutes.
//
//	HBTUNE_REAL=1 go test ./sweep/hbase -run '^$' -bench Real -benchtime 1x -timeout 60m
func BenchmarkReal(b *testing.B) {
	bc := newBench(b)
	b.Run("OneThread", bc.oneThread)
	b.Run("Memory", bc.memory)
	b.Run("Peer", bc.compareAll)
}

// oneThread sets a lone caller's get beside the bare exchange of the same bytes
// with the same server.
func (bc *benchCluster) oneThread(b *testing.B) {
	client := bc.dial(b, Config{})
	tb := client.Table(benchTable)
	raw := newRawGet(b, client, tb, bc.rows)
	differences, ratios := []float64{}, []float64{}
	for range 12 {
		plain := run(b, 1, time.Second, func(int) doer { return raw })
		ours := run(b, 1, time.Second, func(int) doer { return newGets(tb, 1, 1) })
		differences = append(differences, ours.P50Micros-plain.P50Micros)
		ratios = append(ratios, ours.P50Micros/plain.P50Micros)
	}
	slices.Sort(differences)
	slices.Sort(ratios)
	fmt.Printf("one thread: p50 is %.1f µs (%.0f %%) above the bare exchange of the same bytes\n",
		differences[len(differences)/2], 100*ratios[len(ratios)/2]-100)
	b.ReportMetric(differences[len(differences)/2], "µs-over-raw")
}

// memoryQuorum tells the process that memory starts where the cluster is.
const memoryQuorum = "HBTUNE_BENCH_MEMORY"

// memory runs 1,024 threads over 16 connections in a process of its own, which
// tells the largest memory it ever had.
func (bc *benchCluster) memory(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	child := exec.Command(self, "-test.run", "^$", "-test.bench", "^BenchmarkManyThreads$", "-test.benchtime", "1x")
	child.Env = append(os.Environ(), memoryQuorum+"="+bc.cluster.ZooKeeper())
	out, err := child.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	line := regexp.MustCompile(`.*peak memory (\d+) kB.*`).FindSubmatch(out)
	if line == nil {
		b.Fatalf("%s", out)
	}
	fmt.Printf("%s\n", line[0])
	kB, _ := strconv.ParseFloat(string(line[1]), 64)
	b.ReportMetric(kB/1024, "peak-MB")
}

// BenchmarkManyThreads is what memory starts.
func BenchmarkManyThreads(b *testing.B) {
	quorum := os.Getenv(memoryQuorum)
	if quorum == "" {
		b.Skip("runs as a part of BenchmarkReal")
	}
	c, err := Dial(b.Context(), Config{Quorum: quorum, Connections: 16, PerWorker: true})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	tb := c.Table(benchTable)
	s := run(b, 1024, 5*time.Second, func(w int) doer { return newGets(tb.ForWorker(w), 1000, w) })
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if peak == nil {
		b.Fatal("this system does not tell a process's peak memory")
	}
	fmt.Printf("1,024 threads over 16 connections: peak memory %s kB at %.0f gets/s\n", peak[1], s.OpsPerSecond)
}
