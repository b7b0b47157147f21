package metrics

import (
	"maps"
	"time"
)

// Sum puts the figures of several servers together: most add up, the largest of
// maxima counts, and shares are averaged. A figure that not all of them have is
// left out: its sum would be too small without saying so.
func Sum(list ...Snapshot) Snapshot {
	sum, kinds := newSnapshot(), notSummed()
	for i, s := range list {
		if s.Time.After(sum.Time) {
			sum.Time = s.Time
		}
		maps.Copy(sum.Servers, s.Servers)
		if i == 0 {
			maps.Copy(sum.Counters, s.Counters)
			maps.Copy(sum.Gauges, s.Gauges)
			continue
		}
		add(sum.Counters, s.Counters, nil)
		add(sum.Gauges, s.Gauges, kinds)
	}
	for name, k := range kinds {
		if x, found := sum.Gauges[name]; found && k == level {
			sum.Gauges[name] = x / float64(len(list))
		}
	}
	return sum
}

func add(sum, more map[string]float64, kinds map[string]kind) {
	for name := range sum {
		x, found := more[name]
		switch {
		case !found:
			delete(sum, name)
		case kinds[name] == peak:
			sum[name] = max(sum[name], x)
		default:
			sum[name] += x
		}
	}
}

// Delta tells what happened between two snapshots of the same servers: by how
// much each counter grew, and every gauge as it was at the end. Where a server
// has restarted in between (see SameServers), its counters began anew and
// nothing true can be said of them: only gauges are in the result.
func Delta(before, after Snapshot) map[string]float64 {
	d := maps.Clone(after.Gauges)
	if d == nil {
		d = map[string]float64{}
	}
	if !SameServers(before, after) {
		return d
	}
	for name, end := range after.Counters {
		if begin, found := before.Counters[name]; found && end >= begin {
			d[name] = end - begin
		}
	}
	return d
}

// SameServers reports whether two snapshots are of the same servers, none of
// which has restarted in between.
func SameServers(a, b Snapshot) bool {
	return maps.EqualFunc(a.Servers, b.Servers, func(x, y time.Time) bool { return x.Equal(y) })
}

// DataHitRate is the share of data blocks that were found in the block cache,
// out of a Delta, and how many were asked for. The rate is -1 where none was, or
// where it is not known.
func DataHitRate(delta map[string]float64) (rate float64, lookups int64) {
	return hitRate(delta, "data_block_hits", "data_block_misses")
}

// AllHitRate counts index and bloom blocks too. It tells little about how much
// of the data fits: those small blocks are nearly always there.
func AllHitRate(delta map[string]float64) (rate float64, lookups int64) {
	return hitRate(delta, "block_hits", "block_misses")
}

func hitRate(delta map[string]float64, hits, misses string) (float64, int64) {
	h, known := delta[hits]
	m, too := delta[misses]
	if !known || !too || h+m <= 0 {
		return -1, 0
	}
	return h / (h + m), int64(h + m)
}
