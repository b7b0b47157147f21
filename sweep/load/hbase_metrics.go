package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"hbtune/sweep/hbase"
	"hbtune/sweep/metrics"
)

// hbaseMetrics reads the sums over all RegionServers.
type hbaseMetrics struct {
	http *metrics.Client
	urls []string
	// client finds the servers where their addresses were not given.
	client *hbase.Client
}

func newHBaseMetrics(client *hbase.Client, urls []string) *hbaseMetrics {
	return &hbaseMetrics{http: metrics.New(nil), urls: urls, client: client}
}

// Read is called by one goroutine at a time.
func (m *hbaseMetrics) Read(ctx context.Context) (Reading, error) {
	if len(m.urls) == 0 {
		if err := m.find(ctx); err != nil {
			return Reading{}, err
		}
	}
	s, err := m.http.RegionServers(ctx, m.urls)
	if err != nil {
		return Reading{}, err
	}
	return readingOf(s), nil
}

// find asks the master for the RegionServers that live.
func (m *hbaseMetrics) find(ctx context.Context) error {
	status, err := m.client.Admin().ClusterStatus(ctx)
	if err != nil {
		return fmt.Errorf("ask the master for its RegionServers: %w", err)
	}
	for _, server := range status.Live {
		if server.InfoPort <= 0 {
			m.urls = nil
			return fmt.Errorf("RegionServer %s has no web server, so its metrics can't be read", server.Server.Host)
		}
		m.urls = append(m.urls, "http://"+net.JoinHostPort(server.Server.Host, strconv.Itoa(server.InfoPort)))
	}
	if len(m.urls) == 0 {
		return errors.New("the master knows of no RegionServer")
	}
	return nil
}

// readingOf picks out what a load goes by.
func readingOf(s metrics.Snapshot) Reading {
	starts := make([]string, 0, len(s.Servers))
	for name, start := range s.Servers {
		starts = append(starts, fmt.Sprintf("%s@%d", name, start.UnixMilli()))
	}
	slices.Sort(starts)
	cacheBytes := s.Gauges["block_cache_bytes"] + s.Gauges["block_cache_free_bytes"]
	count := func(name string) int64 { return int64(s.Counters[name]) }
	return Reading{
		At:          s.Time,
		Start:       strings.Join(starts, " "),
		Requests:    count("requests"),
		DataHits:    count("data_block_hits"),
		DataMisses:  count("data_block_misses"),
		Hits:        count("block_hits"),
		Misses:      count("block_misses"),
		CacheBytes:  int64(cacheBytes),
		CacheBlocks: int64(cacheBytes / blockBytes),
		QueueLength: s.Gauges["flush_queue"] + s.Gauges["compaction_queue"],
		Counters:    s.Counters,
		Gauges:      s.Gauges,
	}
}
