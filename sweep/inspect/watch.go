package inspect

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"hbtune/hbaseconf"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/hbase"
	"hbtune/sweep/metrics"
)

// samplePause lies between two samples of gauges: half a period of the metrics.
const samplePause = 5 * time.Second

// watch reads the RegionServers over the window.
func (in *inspection) watch(ctx context.Context) (diagnose.Observation, error) {
	var o diagnose.Observation
	servers := in.regionServers()
	if len(servers) == 0 {
		return o, fmt.Errorf("no RegionServer is among the servers: there is nothing to watch")
	}
	before := in.regionLoads(ctx)
	in.tell("watching %d RegionServers for %v", len(servers), in.cfg.Window)
	start := in.now()
	var samples [][]metrics.Snapshot
	for {
		sample, err := in.sample(ctx, servers)
		if err != nil {
			return o, err
		}
		samples = append(samples, sample)
		o.Seconds = in.now().Sub(start).Seconds()
		left := in.cfg.Window - in.now().Sub(start)
		if left <= 0 {
			break
		}
		if err := in.wait(ctx, min(left, samplePause)); err != nil {
			return o, err
		}
	}
	after := in.regionLoads(ctx)
	for i, s := range servers {
		series := make([]metrics.Snapshot, len(samples))
		for n := range samples {
			series[n] = samples[n][i]
		}
		o.Servers = append(o.Servers, observed(s, series, regionsOf(s.Name, before, after)))
	}
	return o, nil
}

func (in *inspection) sample(ctx context.Context, servers []Server) ([]metrics.Snapshot, error) {
	group, ctx := errgroup.WithContext(ctx)
	list := make([]metrics.Snapshot, len(servers))
	for i, s := range servers {
		group.Go(func() (err error) {
			if list[i], err = in.http.RegionServer(ctx, s.URL); err != nil {
				return fmt.Errorf("watch %s: %w", s.Name, err)
			}
			return nil
		})
	}
	return list, group.Wait()
}

// sizing is what the settings of a server make of its resources.
func (s Server) sizing() hbaseconf.Sizing {
	return hbaseconf.SizingOf(func(name string) (string, bool) {
		entry, ok := s.conf[name]
		return entry.Value, ok && entry.Value != metrics.Masked
	}, s.HeapBytes)
}

// observed is one server over the window.
func observed(s Server, series []metrics.Snapshot, regions []diagnose.Region) diagnose.Server {
	first, last := series[0], series[len(series)-1]
	o := diagnose.Server{
		Name: s.Name, Sizing: s.sizing(), CPUs: last.Gauges["cpus"],
		Grown: metrics.Delta(first, last), Mean: map[string]float64{}, Max: map[string]float64{},
		First: first.Gauges, Last: last.Gauges, Regions: regions,
	}
	for _, one := range series {
		for name, x := range one.Gauges {
			o.Mean[name] += x / float64(len(series))
			if most, ok := o.Max[name]; !ok || x > most {
				o.Max[name] = x
			}
		}
	}
	o.PauseSeconds, o.StallSeconds = o.Max["gc_pause_max_ms"]/1000, o.Max["other_pause_max_ms"]/1000
	return o
}

// regionLoads is what the Master last heard of every region, by server and name;
// nil where there is none to ask or it does not answer, since all else can be
// said without it.
func (in *inspection) regionLoads(ctx context.Context) map[string]map[string]hbase.RegionLoad {
	if in.cfg.Cluster == nil {
		return nil
	}
	status, err := in.cfg.Cluster.ClusterStatus(ctx)
	if err != nil {
		in.tell("single regions are not known: %v", err)
		return nil
	}
	all := map[string]map[string]hbase.RegionLoad{}
	for _, live := range status.Live {
		regions := map[string]hbase.RegionLoad{}
		for _, r := range live.Regions {
			regions[r.Name] = r
		}
		all[fmt.Sprintf("%s,%d", live.Server.Host, live.Server.Port)] = regions
	}
	return all
}

// regionsOf is what the regions of a server did in between; those that came or
// went are left out.
func regionsOf(server string, before, after map[string]map[string]hbase.RegionLoad) []diagnose.Region {
	key := server
	if i := strings.LastIndexByte(server, ','); i >= 0 {
		key = server[:i]
	}
	var list []diagnose.Region
	for name, end := range after[key] {
		begin, ok := before[key][name]
		if !ok || end.Reads < begin.Reads || end.Writes < begin.Writes {
			continue
		}
		table, _, _ := strings.Cut(name, ",")
		list = append(list, diagnose.Region{Table: table, Name: name, Reads: float64(end.Reads - begin.Reads), Writes: float64(end.Writes - begin.Writes)})
	}
	return list
}

// Load is what one RegionServer had to do over the window.
type Load struct {
	Server       string   `json:"server"`
	RequestsPerS float64  `json:"requests_per_s"`
	HandlersBusy float64  `json:"handlers_busy"` // share, on average
	CallsWaiting float64  `json:"calls_waiting"` // on average
	CPUShare     *float64 `json:"cpu_share"`     // null if unknown
	GCShare      float64  `json:"gc_share"`
	DataHitRate  *float64 `json:"data_block_hit_rate"` // null where nothing was read
	AllHitRate   *float64 `json:"all_block_hit_rate"`
	// HitRates are those of the kinds of blocks that were asked for.
	HitRates        map[string]float64 `json:"hit_rates"`
	MemstoreBytes   float64            `json:"memstore_bytes"`
	FlushQueue      float64            `json:"flush_queue"`
	CompactionQueue float64            `json:"compaction_queue"`
	BlockedMillis   float64            `json:"updates_blocked_ms"`
	MaxStoreFiles   float64            `json:"max_store_files"`
	WALFiles        float64            `json:"wal_files"`
	LocalPercent    float64            `json:"local_files_percent"`
}

func loads(o diagnose.Observation) []Load {
	list := []Load{}
	for _, s := range o.Servers {
		l := Load{
			Server: s.Name, RequestsPerS: s.Grown["requests"] / max(o.Seconds, 1), HandlersBusy: s.BusyHandlers(), CallsWaiting: diagnose.Waiting(s.Mean),
			GCShare: s.Grown["gc_ms"] / 1000 / max(o.Seconds, 1), MemstoreBytes: s.Last["memstore_bytes"], FlushQueue: s.Last["flush_queue"],
			CompactionQueue: s.Last["compaction_queue"], BlockedMillis: s.Grown["updates_blocked_ms"], MaxStoreFiles: s.Last["max_store_files"],
			WALFiles: s.Last["wal_files"], LocalPercent: s.Last["local_files_percent"],
		}
		if cpu, known := s.CPUShare(o.Seconds); known {
			l.CPUShare = &cpu
		}
		if rate, n := metrics.DataHitRate(s.Grown); n > 0 {
			l.DataHitRate = &rate
		}
		if rate, n := metrics.AllHitRate(s.Grown); n > 0 {
			l.AllHitRate = &rate
		}
		l.HitRates = hitRates(s.Grown)
		list = append(list, l)
	}
	return list
}

// hitRates are the shares of blocks that were found in the cache, by kind.
func hitRates(grown map[string]float64) map[string]float64 {
	rates := map[string]float64{}
	for _, kind := range []string{"data", "leaf_index", "intermediate_index", "root_index", "bloom", "meta"} {
		hits, misses := grown[kind+"_block_hits"], grown[kind+"_block_misses"]
		if hits+misses > 0 {
			rates[kind] = hits / (hits + misses)
		}
	}
	return rates
}
