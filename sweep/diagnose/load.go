package diagnose

import (
	"fmt"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// OfLoad is what a measured load shows: what its clients saw, and what their
// servers, so many and together, said over the window. sizing is that of one of
// them; without handlers it is unknown, and only the clients are judged.
func OfLoad(m *trial.Measurement, sizing hbaseconf.Sizing, servers int) Observation {
	servers = max(servers, 1)
	s := Server{
		Name: "the RegionServer", Servers: servers, Sizing: sizing.Times(servers),
		Grown: m.Server, Mean: m.Server, Max: m.Server, First: m.Server, Last: m.Server,
		CPUs: m.Server["cpus"],
	}
	if servers > 1 {
		s.Name = fmt.Sprintf("the %d RegionServers together", servers)
	}
	if g := m.Gauges; g != nil {
		s.First, s.Mean, s.Max = g.First, g.Mean, g.Max
	}
	s.PauseSeconds, s.StallSeconds = s.Max["gc_pause_max_ms"]/1000, s.Max["other_pause_max_ms"]/1000
	return Observation{Seconds: windowOf(m), Servers: []Server{s}, Client: clientOf(m)}
}

// windowOf is the time between the readings of the servers' counters, which is
// not quite that of the load.
func windowOf(m *trial.Measurement) float64 {
	if seconds := m.Server["metrics_seconds"]; seconds > 0 {
		return seconds
	}
	return m.Seconds
}

func clientOf(m *trial.Measurement) *Client {
	c := &Client{Threads: m.Threads, Throughput: m.Throughput, CPUShare: m.Client.CPUShare}
	var count, micros float64
	for _, l := range m.Ops {
		count += float64(l.Count)
		micros += float64(l.Count) * l.MeanMicros
	}
	// Failed operations take time that throughput does not count.
	if count > 0 && len(m.Errors) == 0 {
		c.MeanSeconds = micros / count / 1e6
	}
	if n := m.Ops[trial.OpRead].Count + m.Ops[trial.OpReadModifyWrite].Count; n > 0 {
		c.NotFoundShare = float64(m.NotFound) / float64(n)
	}
	if o := m.Open; o != nil {
		c.Target, c.Throughput = o.Rate, o.Reached*o.Rate
		if o.Arrivals == trial.ArrivalsPoisson {
			c.Shortfall = RandomShortfall(o.Rate, m.Seconds)
		}
	}
	return c
}
