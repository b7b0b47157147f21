package diagnose

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// sized is the sizing of some settings.
func sized(heapGB int64, pairs ...string) hbaseconf.Sizing {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return hbaseconf.SizingOf(func(name string) (string, bool) { v, ok := m[name]; return v, ok }, heapGB<<30)
}

// figures are the metrics of one server; gauges that did not move are the same
// at all times.
func figures(s Server, grown, gauges map[string]float64) Server {
	s.Grown = grown
	s.Mean, s.Max, s.First, s.Last = gauges, gauges, gauges, gauges
	if s.Name == "" {
		s.Name = "rs1,16020,1"
	}
	if s.CPUs == 0 {
		s.CPUs = 16
	}
	if s.Sizing.Handlers == 0 {
		s.Sizing = sized(32)
	}
	return s
}

type values = map[string]float64

// observations are the cases of testdata/diagnose.jsonl in figures, with the
// code that must come first and words of its advice.
func observations() map[string]struct {
	o             Observation
	code, advice  string
	neverAdvising string
} {
	idle := figures(Server{}, values{"requests": 60000, "cpu_seconds": 50}, values{"active_general_handlers": 1})
	busyCPU := func(s Server, share float64) Server {
		s.Grown["cpu_seconds"] = share * 60 * s.CPUs
		return s
	}
	hotRegions := func(n int) []Region {
		var list []Region
		for range n {
			list = append(list, Region{Table: "t", Name: "t,,1", Writes: 1000})
		}
		return list
	}
	type c = struct {
		o             Observation
		code, advice  string
		neverAdvising string
	}
	one := func(s Server) Observation { return Observation{Seconds: 60, Servers: []Server{s}} }
	return map[string]c{
		"flush-never-ends": {one(figures(Server{FlushSeconds: 3 * 3600}, values{"blocked_requests": 900, "flushes": 0}, values{"flush_queue": 1, "memstore_bytes": 268515440})), "flush-stuck", "look at the flush and the file system first", "raise"},
		"queue-bytes": {
			one(figures(Server{}, values{"exceptions_call_queue_too_big": 500}, values{"call_queue_bytes": 1 << 30, "general_queue_calls": 200, "active_general_handlers": 30})),
			"queue-bytes", "smaller batches", "",
		},
		"queue-count": {
			one(figures(Server{}, values{"exceptions_call_queue_too_big": 5000}, values{"call_queue_bytes": 3 << 20, "general_queue_calls": 300, "active_general_handlers": 30})),
			"queue-count", "back off", "max.callqueue.size",
		},
		"scans-starve-gets": {
			one(figures(Server{}, values{"rpc_scans": 4000, "rpc_gets": 90000, "requests": 94000, "block_bytes_scanned": 300 << 30, "exceptions_call_timed_out": 40, "cpu_seconds": 600}, values{"active_general_handlers": 29, "general_queue_calls": 120})),
			"scans-starve-gets", "read.ratio and scan.ratio together", "more handlers",
		},
		"too-many-regions": {
			one(figures(Server{}, values{"flushes": 300, "flushed_memstore_bytes": 300 * (3 << 20)}, values{"regions": 2300})),
			"too-many-regions", "merge them and raise hbase.hregion.max.filesize", "larger flush",
		},
		"multiplier-oom": {
			Observation{Seconds: 60, Messages: []string{"java.lang.OutOfMemoryError: Java heap space"}, Servers: []Server{figures(Server{
				Sizing: sized(8, hbaseconf.FlushSize, "268435456", "hbase.hregion.memstore.block.multiplier", "3"), Regions: hotRegions(6),
			}, values{"flushes": 3}, values{"regions": 6, "memstore_heap_bytes": 3 << 30})}},
			"multiplier-above-memstore", "lower flush size", "raise",
		},
		"one-socket": {
			Observation{Seconds: 60, Servers: []Server{idle}, Client: &Client{Threads: 10, Connections: 1, Throughput: 1000, MeanSeconds: 0.01, SlowerBy: 6, ThreadsBy: 10}},
			"one-socket", "hbase.client.ipc.pool.size", "handler.count",
		},
		"connection-per-thread": {
			Observation{Seconds: 60, Servers: []Server{idle}, Client: &Client{Threads: 50, Workers: 50, RunningThreads: 13000}},
			"connection-per-thread", "share one connection", "heap",
		},
		"threads-not-set": {
			Observation{Seconds: 60, Servers: []Server{idle}, Client: &Client{Threads: 100, Throughput: 2000, MeanSeconds: 0.0005}},
			"threads-not-set", "threadcount or -threads", "hbase.",
		},
		"client-bound": {
			Observation{Seconds: 60, Servers: []Server{busyCPU(figures(Server{}, values{"requests": 6e6}, values{"active_general_handlers": 10}), 0.3)}, Client: &Client{Threads: 1000, Throughput: 100000, MeanSeconds: 0.01, CPUShare: 0.97, Flat: true}},
			"client-bound", "more client machines", "handler",
		},
		"reads-not-found": {
			Observation{Seconds: 60, Servers: []Server{idle}, Client: &Client{Threads: 10, Throughput: 10000, MeanSeconds: 0.001, NotFoundShare: 0.38}},
			"reads-not-found", "load as many rows", "",
		},
		"working-set": {
			Observation{Seconds: 60, Servers: []Server{figures(Server{}, values{"data_block_hits": 2000, "data_block_misses": 98000, "block_hits": 200000, "block_misses": 98000, "requests": 100000}, values{"store_file_bytes": 17 << 30, "active_general_handlers": 12})}, Client: &Client{Threads: 100, Throughput: 588, MeanSeconds: 0.17, Rows: 200000}},
			"working-set", "size of the working set", "more regions",
		},
		"unsustainable-target": {
			Observation{Seconds: 60, Servers: []Server{idle}, Client: &Client{Threads: 200, Throughput: 80000, Target: 117000, MeanSeconds: 0.0025}},
			"target-above-capacity", "lower the target", "p99",
		},
		"gc-session": {
			one(figures(Server{PauseSeconds: 79, Sizing: sized(32, "zookeeper.session.timeout", "40000")}, values{"gc_ms": 5000}, values{})),
			"gc-outlives-session", "cause of the pause", "session",
		},
		"config-not-applied": {
			Observation{Seconds: 60, Servers: []Server{idle}, Drift: []Drift{{Server: "rs1", Property: "hbase.regionserver.handler.count", File: "hbase-site.xml:3", InFile: "100", Running: "30", Source: "hbase-default.xml", Restarted: true}}},
			"config-not-applied", "change the value there", "",
		},
		"hot-region": {
			Observation{Seconds: 60, Servers: []Server{
				figures(Server{Name: "rs1", Regions: []Region{{Table: "salted", Name: "salted,0", Writes: 3e6}}}, values{"requests": 3e6}, values{}),
				figures(Server{Name: "rs2", Regions: []Region{{Table: "salted", Name: "salted,1", Writes: 1e6}}}, values{"requests": 1e6}, values{}),
				figures(Server{Name: "rs3", Regions: []Region{{Table: "salted", Name: "salted,2", Writes: 1e6}}}, values{"requests": 1e6}, values{}),
				figures(Server{Name: "rs4", Regions: []Region{{Table: "salted", Name: "salted,3", Writes: 1e6}}}, values{"requests": 1e6}, values{}),
				figures(Server{Name: "rs5"}, values{"requests": 100}, values{}),
			}},
			"hot-server", "at least one bucket a server", "handler",
		},
		"gzip-compaction-net": {
			one(figures(Server{NetworkShare: 0.97}, values{"compacted_input_bytes": 9 << 30, "compacted_output_bytes": 4 << 30, "received_bytes": 600 << 20, "sent_bytes": 20 << 20, "requests": 60000, "cpu_seconds": 300}, values{"compaction_queue": 12, "active_general_handlers": 20})),
			"compaction-traffic", "more DataNodes", "handler",
		},
		"handlers-blocked": {
			one(busyCPU(Server{
				Name: "rs1", CPUs: 16, Sizing: sized(32, hbaseconf.HandlerCount, "100"), Grown: values{"requests": 6e6, "rpc_gets": 6e6},
				Mean: values{"active_general_handlers": 100, "general_queue_calls": 120}, Max: values{"general_queue_calls": 150},
				First: values{"general_queue_calls": 60}, Last: values{"general_queue_calls": 150},
			}, 0.4)),
			"handlers-blocked", "raise hbase.regionserver.handler.count until the queue stays empty", "",
		},
	}
}

func TestCases(t *testing.T) {
	f, err := os.Open("testdata/diagnose.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := observations()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var told struct{ ID, Sees, Right, Wrong string }
		if err := json.Unmarshal(lines.Bytes(), &told); err != nil {
			t.Fatal(err)
		}
		c, ok := cases[told.ID]
		if !ok {
			t.Errorf("%s: no figures for %q", told.ID, told.Sees)
			continue
		}
		t.Run(told.ID, func(t *testing.T) {
			got := Diagnose(c.o)
			if len(got) == 0 {
				t.Fatalf("nothing concluded from %s; want %s: %s", told.Sees, c.code, told.Right)
			}
			first := got[0]
			if first.Code != c.code || !strings.Contains(first.Advice, c.advice) {
				t.Errorf("got %+v\nwant %s: %s", first, c.code, told.Right)
			}
			for _, one := range got {
				if c.neverAdvising != "" && strings.Contains(one.Advice, c.neverAdvising) {
					t.Errorf("%s advises %q; %q is wrong here", one.Code, one.Advice, told.Wrong)
				}
			}
		})
	}
}

// Every conclusion says what it rests on, what to do, and what would refute it,
// and a server that is well gives none.
func TestConclusionsAreComplete(t *testing.T) {
	for id, c := range observations() {
		for _, one := range Diagnose(c.o) {
			if one.Code == "" || one.Message == "" || len(one.Evidence) == 0 || one.Advice == "" || one.Not == "" || one.Refuted == "" || one.weight == 0 {
				t.Errorf("%s: %+v", id, one)
			}
			for _, text := range one.Evidence {
				if strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
					t.Errorf("%s: %s", id, text)
				}
			}
		}
	}
	well := figures(Server{}, values{
		"requests": 3e5, "rpc_gets": 3e5, "cpu_seconds": 200, "gc_ms": 300, "data_block_hits": 99000, "data_block_misses": 1000, "flushes": 4, "flushed_memstore_bytes": 4 * (120 << 20),
	}, values{"regions": 40, "active_general_handlers": 4, "wal_files": 8, "max_store_files": 4, "local_files_percent": 99, "store_file_bytes": 1 << 40, "memstore_heap_bytes": 1 << 30})
	for _, o := range []Observation{{}, {Seconds: 60, Servers: []Server{well}}, {Seconds: 60, Servers: []Server{well, well, well}}} {
		if got := Diagnose(o); len(got) != 0 {
			t.Errorf("a cluster that is well: %+v", got)
		}
	}
	codes := map[string]bool{}
	for _, rule := range Rules() {
		if codes[rule.Code] {
			t.Errorf("two rules are called %s", rule.Code)
		}
		codes[rule.Code] = true
	}
}

// A load's figures, of two servers alike together, are judged by what both have.
func TestLoad(t *testing.T) {
	m := &trial.Measurement{
		Threads: 100, Seconds: 60, Throughput: 5000, NotFound: 3000,
		Ops:    map[string]trial.Latency{trial.OpRead: {Count: 270000, MeanMicros: 20000}, "put": {Count: 30000, MeanMicros: 20000}},
		Server: values{"metrics_seconds": 60, "cpu_seconds": 360, "cpus": 32, "active_general_handlers": 0, "requests": 3e5, "gc_ms": 600},
		Gauges: &trial.Gauges{
			First: values{"general_queue_calls": 10},
			Mean:  values{"active_general_handlers": 58, "general_queue_calls": 40, "machine_cpu_share": 0.3},
			Max:   values{"other_pause_max_ms": 50000},
		},
	}
	codes := func(sizing hbaseconf.Sizing) string {
		var list []string
		for _, c := range Diagnose(OfLoad(m, sizing, 2)) {
			list = append(list, c.Code)
		}
		return strings.Join(list, " ")
	}
	if got := codes(sized(32)); got != "reads-not-found stall-outlives-session handlers-blocked" {
		t.Error(got)
	}
	if got := codes(hbaseconf.Sizing{}); got != "reads-not-found" {
		t.Errorf("without settings: %s", got)
	}
	// A random schedule may fall short by chance, an even one may not.
	m.NotFound = 0
	m.Open = &trial.OpenLoop{Rate: 100, Reached: 0.97, Arrivals: trial.ArrivalsConstant}
	if got := codes(hbaseconf.Sizing{}); got != TargetAboveCapacity {
		t.Error(got)
	}
	m.Open.Arrivals = trial.ArrivalsPoisson
	if got := codes(hbaseconf.Sizing{}); got != "" {
		t.Error(got)
	}
	// Failed operations take threads that throughput does not count.
	m.Open, m.Threads = nil, 1000
	if got := codes(hbaseconf.Sizing{}); got != ThreadsNotSet {
		t.Error(got)
	}
	m.Errors = map[string]int64{"RegionTooBusyException": 10}
	if got := codes(hbaseconf.Sizing{}); got != "" {
		t.Error(got)
	}
}

func TestSaturation(t *testing.T) {
	s := Server{
		Servers: 2, Sizing: sized(32).Times(2), CPUs: 8,
		Grown: values{"cpu_seconds": 60, "gc_ms": 1200, "updates_blocked_ms": 1200},
		Mean:  values{"active_general_handlers": 55, "general_queue_calls": 1, "machine_cpu_share": 0.9},
		Last:  values{"compaction_queue": 3, "flush_queue": 2},
	}
	var got []string
	for _, r := range s.Saturation(60) {
		text := r.String()
		if r.Full {
			text = "full: " + text
		}
		got = append(got, text)
	}
	want := []string{
		"full: handlers (55 of 60 busy)", "full: CPU (1 of 8 cores, the machine 90 % busy)", "garbage collection (1 % of the time)",
		"full: the memstore (updates blocked 1 % of the time)", "full: compaction (3 waiting)", "full: flushing (2 waiting)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := (Server{}).Saturation(0); len(got) != 0 {
		t.Errorf("out of nothing: %v", got)
	}
}

// Calls that wait beside an idle handler are another matter than handlers that
// are all at work.
func TestCallsStuck(t *testing.T) {
	s := figures(Server{Sizing: sized(1, hbaseconf.HandlerCount, "1")}, values{"requests": 0, "cpu_seconds": 1}, values{"active_general_handlers": 0, "general_queue_calls": 8})
	if got := Diagnose(Observation{Seconds: 20, Servers: []Server{s}}); len(got) == 0 || got[0].Code != "calls-stuck" {
		t.Errorf("got %+v", got)
	}
	s.First = values{}
	if _, found := ByCode(Diagnose(Observation{Seconds: 20, Servers: []Server{s}}), "calls-stuck"); found {
		t.Error("a queue that was empty is not stuck")
	}
}

// Flushes wait above the limit of store files, not at it.
func TestStoreFiles(t *testing.T) {
	for files, want := range map[float64]bool{16: false, 17: true} {
		s := figures(Server{}, values{}, values{"max_store_files": files})
		if _, got := ByCode(Diagnose(Observation{Seconds: 60, Servers: []Server{s}}), "store-files-block"); got != want {
			t.Errorf("%v files: %v", files, got)
		}
	}
}

// A server of scans alone starves no gets, whatever its one handler does; what it
// lacks is handlers.
func TestScansAlone(t *testing.T) {
	s := figures(Server{Sizing: sized(1, hbaseconf.HandlerCount, "1")}, values{"rpc_scans": 2740, "rpc_gets": 1, "requests": 2740, "block_bytes_scanned": 547 << 20, "cpu_seconds": 8},
		values{"active_general_handlers": 0.8, "general_queue_calls": 5.8})
	got := Diagnose(Observation{Seconds: 20, Servers: []Server{s}})
	if len(got) != 1 || got[0].Code != "handlers-blocked" {
		t.Errorf("got %+v", got)
	}
}

// Processors that something else fills are told from those that the server does,
// and handlers are not blamed for either.
func TestProcessorsFullOfSomethingElse(t *testing.T) {
	s := figures(Server{Sizing: sized(32)}, values{"requests": 60000, "cpu_seconds": 200}, values{"active_general_handlers": 30, "general_queue_calls": 50, "machine_cpu_share": 0.97})
	got := Diagnose(Observation{Seconds: 60, Servers: []Server{s}})
	if len(got) != 1 || got[0].Code != "cpu-full" || !strings.Contains(got[0].Message, "something else") {
		t.Errorf("got %+v", got)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.5: "0.50", 12.34: "12.3", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1500: "-1,500"} {
		if got := number(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := size(3.5 * (1 << 30)); got != "3.50 GB" {
		t.Error(got)
	}
}

// docs/diagnosis.md names every rule.
func TestRulesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/diagnosis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range Rules() {
		if !strings.Contains(string(page), "\n| "+rule.Code+" |") {
			t.Errorf("docs/diagnosis.md does not tell %s", rule.Code)
		}
	}
}
