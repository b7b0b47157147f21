package metrics

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const recorded = "2.6.4"

func TestRegionServer(t *testing.T) {
	f := newFake(t, recorded)
	s, err := New(nil).RegionServer(t.Context(), f.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	server := f.beans["Hadoop:service=HBase,name=RegionServer,sub=Server"][0]
	for name, attribute := range map[string]string{
		"requests": "totalRequestCount", "data_block_hits": "blockCacheDataHitCount",
		"bloom_block_misses": "blockCacheBloomChunkMissCount", "updates_blocked_ms": "updatesBlockedTime",
	} {
		if got, want := s.Counters[name], server[attribute]; got != want {
			t.Errorf("counter %s = %v, the server's %s is %v", name, got, attribute, want)
		}
	}
	for name, attribute := range map[string]string{
		"regions": "regionCount", "memstore_bytes": "memStoreSize", "store_files": "storeFileCount",
	} {
		if got, want := s.Gauges[name], server[attribute]; got != want {
			t.Errorf("gauge %s = %v, the server's %s is %v", name, got, attribute, want)
		}
	}
	if s.Gauges["heap_max_bytes"] != 512<<20 {
		t.Errorf("heap_max_bytes = %v", s.Gauges["heap_max_bytes"])
	}
	if s.Counters["cpu_seconds"] <= 0 || s.Counters["gc_count"] <= 0 || s.Counters["wal_appends"] <= 0 {
		t.Errorf("cpu %v s, collections %v, WAL appends %v: all should be above 0",
			s.Counters["cpu_seconds"], s.Counters["gc_count"], s.Counters["wal_appends"])
	}
	name := server["tag.serverName"].(string)
	want := time.UnixMilli(int64(server["regionServerStartTime"].(float64)))
	if !s.Servers[name].Equal(want) || !s.ServerStart().Equal(want) {
		t.Errorf("servers %v, want %s since %v", s.Servers, name, want)
	}
}

// Every figure that is looked for exists on a real server: a name with a slip
// of the pen would otherwise never be noticed.
func TestAllFiguresExist(t *testing.T) {
	f := newFake(t, recorded)
	for _, source := range sources() {
		for _, figure := range slices.Concat(source.essential, source.further) {
			if _, found := f.beans[source.pattern][0][figure.attribute]; !found {
				t.Errorf("%s has no %s", source.pattern, figure.attribute)
			}
		}
	}
}

// The pauses of the Java machine, as a server of 2.4.18 told of them after it had
// been stopped for three seconds: HBase's source names them pauseTimeWithGc and
// pauseTimeWithoutGc, and /jmx capitalizes both, in all of 2.4 to 3.0.
func TestPauses(t *testing.T) {
	f := newFake(t, "2.4.18")
	s, err := New(nil).RegionServer(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	if s.Counters["gc_pauses"] != 0 || s.Gauges["gc_pause_max_ms"] != 0 || s.Counters["other_pauses"] != 1 || s.Gauges["other_pause_max_ms"] != 2801 {
		t.Errorf("counters %v\ngauges %v", s.Counters, s.Gauges)
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{"cpu_seconds": true, "gc_count": true, "gc_ms": true}
	for _, source := range sources() {
		for _, f := range slices.Concat(source.essential, source.further) {
			if seen[f.name] {
				t.Errorf("two figures are named %s", f.name)
			}
			seen[f.name] = true
		}
	}
}

func TestGapsAreWaitedFor(t *testing.T) {
	gaps := map[string]func(beans []map[string]any) []map[string]any{
		"no bean": func([]map[string]any) []map[string]any { return nil },
		"only tags": func(beans []map[string]any) []map[string]any {
			for name := range beans[0] {
				if !strings.HasPrefix(name, "tag.") && name != "name" {
					delete(beans[0], name)
				}
			}
			return beans
		},
		"one missing": func(beans []map[string]any) []map[string]any {
			delete(beans[0], "blockCacheDataMissCount")
			return beans
		},
		"not started": func(beans []map[string]any) []map[string]any {
			beans[0]["regionServerStartTime"] = 0
			return beans
		},
		"null": func(beans []map[string]any) []map[string]any {
			beans[0]["totalRequestCount"] = nil
			return beans
		},
	}
	for name, gap := range gaps {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, recorded)
			f.change = func(request int, pattern string, beans []map[string]any) []map[string]any {
				if isServerBean(pattern) && request <= 2 {
					return gap(beans)
				}
				return beans
			}
			s, err := New(nil).RegionServer(t.Context(), f.URL)
			if err != nil {
				t.Fatal(err)
			}
			if s.Counters["requests"] == 0 {
				t.Error("a gap was taken for 0")
			}
		})
	}
}

func TestGapThatStaysEndsWithContext(t *testing.T) {
	f := newFake(t, recorded)
	ctx, cancel := context.WithCancel(t.Context())
	f.change = func(request int, pattern string, beans []map[string]any) []map[string]any {
		if !isServerBean(pattern) {
			return beans
		}
		if request == 3 {
			cancel()
		}
		delete(beans[0], "memStoreSize")
		return beans
	}
	_, err := New(nil).RegionServer(ctx, f.URL)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestGapIsNamed(t *testing.T) {
	f := newFake(t, recorded)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	f.change = func(_ int, pattern string, beans []map[string]any) []map[string]any {
		if isServerBean(pattern) {
			delete(beans[0], "memStoreSize")
		}
		return beans
	}
	_, err := New(nil).RegionServer(ctx, f.URL)
	if err == nil || !strings.Contains(err.Error(), "memStoreSize") {
		t.Fatalf("the error does not name what is missing: %v", err)
	}
}

// A server without regions has no WAL yet, and older ones lack some figures.
func TestFurtherFiguresMayBeMissing(t *testing.T) {
	f := newFake(t, recorded)
	f.change = func(_ int, pattern string, beans []map[string]any) []map[string]any {
		if strings.HasSuffix(pattern, "sub=WAL") {
			return nil
		}
		if isServerBean(pattern) {
			delete(beans[0], "blockBytesScannedCount")
		}
		return beans
	}
	s, err := New(nil).RegionServer(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wal_appends", "block_bytes_scanned"} {
		if x, found := s.Counters[name]; found {
			t.Errorf("%s = %v, though the server does not tell it", name, x)
		}
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	f := newFake(t, recorded)
	f.status = http.StatusServiceUnavailable
	if _, err := New(nil).RegionServer(t.Context(), f.URL); err == nil || !strings.Contains(err.Error(), "503") {
		t.Fatalf("got %v", err)
	}
	if _, err := New(nil).Conf(t.Context(), "http://127.0.0.1:1"); err == nil {
		t.Fatal("no error where nobody listens")
	}
}

func TestSeveralServers(t *testing.T) {
	a, b := newFake(t, recorded), newFake(t, recorded)
	b.change = func(_ int, pattern string, beans []map[string]any) []map[string]any {
		if isServerBean(pattern) {
			beans[0]["tag.serverName"] = "localhost,2,1700000000000"
			beans[0]["regionServerStartTime"] = 1700000000000.0
			beans[0]["regionCount"] = 100.0
			delete(beans[0], "slowGetCount")
		}
		return beans
	}
	client := New(nil)
	one, err := client.RegionServer(t.Context(), a.URL)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := client.RegionServers(t.Context(), []string{a.URL, b.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sum.Counters["requests"], 2*one.Counters["requests"]; got != want {
		t.Errorf("requests %v, want %v", got, want)
	}
	if got, want := sum.Gauges["regions"], one.Gauges["regions"]+100; got != want {
		t.Errorf("regions %v, want %v", got, want)
	}
	if _, found := sum.Counters["slow_gets"]; found {
		t.Error("a sum over only one of two servers is passed off as the whole")
	}
	if len(sum.Servers) != 2 {
		t.Errorf("servers %v", sum.Servers)
	}
}

func TestDelta(t *testing.T) {
	start := time.UnixMilli(1000)
	snapshot := func(start time.Time, counters, gauges map[string]float64) Snapshot {
		return Snapshot{Servers: map[string]time.Time{"a": start}, Counters: counters, Gauges: gauges}
	}
	before := snapshot(start, map[string]float64{"hits": 10, "only_before": 3, "shrinks": 5}, map[string]float64{"queue": 7})
	after := snapshot(start, map[string]float64{"hits": 25, "only_after": 3, "shrinks": 4}, map[string]float64{"queue": 2})
	want := map[string]float64{"hits": 15, "queue": 2}
	if diff := cmp.Diff(want, Delta(before, after)); diff != "" {
		t.Error(diff)
	}
	restarted := snapshot(start.Add(time.Second), map[string]float64{"hits": 25}, map[string]float64{"queue": 2})
	if diff := cmp.Diff(map[string]float64{"queue": 2}, Delta(before, restarted)); diff != "" {
		t.Errorf("over a restart: %s", diff)
	}
	if SameServers(before, restarted) {
		t.Error("a restart went unnoticed")
	}
}

func TestHitRates(t *testing.T) {
	d := map[string]float64{"data_block_hits": 7, "data_block_misses": 93, "block_hits": 62, "block_misses": 38}
	if rate, lookups := DataHitRate(d); rate != 0.07 || lookups != 100 {
		t.Errorf("data blocks: %v of %v", rate, lookups)
	}
	if rate, lookups := AllHitRate(d); rate != 0.62 || lookups != 100 {
		t.Errorf("all blocks: %v of %v", rate, lookups)
	}
	for _, d := range []map[string]float64{nil, {"data_block_hits": 0, "data_block_misses": 0}, {"data_block_hits": 5}} {
		if rate, lookups := DataHitRate(d); rate != -1 || lookups != 0 {
			t.Errorf("%v: rate %v of %v, want -1 of 0", d, rate, lookups)
		}
	}
}

// Sums and differences commute: the delta of sums is the sum of deltas.
func TestMaximaAndSharesAreNotAddedUp(t *testing.T) {
	one := func(pause, local, cpu, regions float64) Snapshot {
		return Snapshot{Gauges: map[string]float64{"gc_pause_max_ms": pause, "local_files_percent": local, machineCPU: cpu, "regions": regions}}
	}
	got := Sum(one(1500, 100, 0.5, 3), one(0, 40, 0.7, 5)).Gauges
	want := map[string]float64{"gc_pause_max_ms": 1500, "local_files_percent": 70, machineCPU: 0.6, "regions": 8}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The machine's load has another name since Java 14, and is negative where the
// Java machine cannot tell it.
func TestMachineCPU(t *testing.T) {
	for _, c := range []struct {
		load  map[string]any
		want  float64
		known bool
	}{
		{map[string]any{"CpuLoad": 0.25, "SystemCpuLoad": 0.5}, 0.25, true},
		{map[string]any{"SystemCpuLoad": 0.5}, 0.5, true},
		{map[string]any{"CpuLoad": -1.0, "SystemCpuLoad": 0.5}, 0, false},
		{nil, 0, false},
	} {
		f := newFake(t, recorded)
		f.change = func(_ int, pattern string, beans []map[string]any) []map[string]any {
			if strings.HasSuffix(pattern, "OperatingSystem") {
				delete(beans[0], "CpuLoad")
				delete(beans[0], "SystemCpuLoad")
				maps.Copy(beans[0], c.load)
			}
			return beans
		}
		s, err := New(nil).RegionServer(t.Context(), f.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got, known := s.Gauges[machineCPU]; got != c.want || known != c.known {
			t.Errorf("%v: %v, %v", c.load, got, known)
		}
	}
}

func TestSumOfDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 4).Draw(t, "servers")
		var before, after []Snapshot
		want := 0.0
		for i := range count {
			begin := float64(rapid.IntRange(0, 1000).Draw(t, "begin"))
			grow := float64(rapid.IntRange(0, 1000).Draw(t, "grow"))
			servers := map[string]time.Time{string(rune('a' + i)): time.UnixMilli(int64(i))}
			before = append(before, Snapshot{Servers: servers, Counters: map[string]float64{"x": begin}})
			after = append(after, Snapshot{Servers: servers, Counters: map[string]float64{"x": begin + grow}})
			want += grow
		}
		if got := Delta(Sum(before...), Sum(after...))["x"]; got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestConf(t *testing.T) {
	f := newFake(t, recorded)
	conf, err := New(nil).Conf(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	want := ConfEntry{Value: "30", Source: "hbase-default.xml"}
	if got := conf["hbase.regionserver.handler.count"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := conf["hbase.rootdir"]; got.Source != "programmatically" {
		t.Errorf("hbase.rootdir: %+v", got)
	}
	if _, found := conf["no.such.property"]; found {
		t.Error("a property that is not set was found")
	}
}
