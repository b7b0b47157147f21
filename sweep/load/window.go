package load

import (
	"maps"

	"hbtune/sweep/trial"
)

// sample is a reading with its time in seconds since the load began.
type sample struct {
	at float64
	Reading
}

// samples are the readings of one load, oldest first. Servers refresh their
// counters every few seconds (ten by default), so most readings repeat the one
// before; only where the counters step do they tell a moment's true state.
type samples []sample

// steps keeps the first sample and those in which the counters moved.
func (s samples) steps() samples {
	var out samples
	for i := range s {
		if i == 0 || s[i].Requests != s[i-1].Requests || s[i].lookups() != s[i-1].lookups() {
			out = append(out, s[i])
		}
	}
	return out
}

// span picks the two steps between which counters are compared for the window
// from–to: the outermost ones inside it if they cover most of it, else the
// nearest ones that enclose it. The first sample is no step (when its counters
// were fresh is unknown), so it never bounds a span. ok is false while the load
// has to go on until another step is seen.
func (s samples) span(from, to, resolution float64) (a, b *sample, ok bool) {
	steps := s.steps()
	if len(steps) > 0 {
		steps = steps[1:]
	}
	for i := range steps {
		step := &steps[i]
		// A step is seen up to one reading after it happened.
		if step.at >= from-resolution/2 && step.at <= to+resolution {
			if a == nil {
				a = step
			}
			b = step
		}
	}
	if a != nil && b.at-a.at >= 0.6*(to-from) {
		return a, b, true
	}
	a, b = nil, nil
	for i := range steps {
		step := &steps[i]
		if step.at <= from+resolution {
			a = step
		}
		if step.at >= to && b == nil {
			b = step
		}
	}
	return a, b, a != nil && b != nil
}

// hitBetween is the block cache's hit rate between two readings.
func hitBetween(a, b *Reading) trial.Hit {
	var h trial.Hit
	hits, misses := b.DataHits-a.DataHits, b.DataMisses-a.DataMisses
	h.Lookups = hits + misses
	if h.Lookups > 0 {
		h.DataBlocks = float64(hits) / float64(h.Lookups)
	}
	hits, misses = b.Hits-a.Hits, b.Misses-a.Misses
	if hits+misses > 0 {
		h.AllBlocks = float64(hits) / float64(hits+misses)
	}
	return h
}

// lookupSeries gives each of n seconds the lookups of data blocks, and the
// misses among them, that became known in it.
func (s samples) lookupSeries(n int) (lookups, misses []int64) {
	lookups, misses = make([]int64, n), make([]int64, n)
	steps := s.steps()
	for i := 2; i < len(steps); i++ { // steps[0] is the first sample, see span
		a, b := &steps[i-1], &steps[i]
		if k := int(b.at); k < n {
			lookups[k] += b.lookups() - a.lookups()
			misses[k] += b.DataMisses - a.DataMisses
		}
	}
	return lookups, misses
}

// deltas are the counters' differences between two readings, with the gauges at
// the end, and the seconds between the two. A counter that fell belongs to
// regions that have gone, and tells nothing.
func deltas(a, b *sample) map[string]float64 {
	d := make(map[string]float64, len(b.Counters)+len(b.Gauges)+1)
	for name, after := range b.Counters {
		if before, ok := a.Counters[name]; ok && after >= before {
			d[name] = after - before
		}
	}
	maps.Copy(d, b.Gauges)
	d["metrics_seconds"] = b.at - a.at
	return d
}

// gauges is how the gauges stood from one reading to another. One that is not in
// all of them is left out.
func (s samples) gauges(from, to float64) *trial.Gauges {
	g := &trial.Gauges{Mean: map[string]float64{}, Max: map[string]float64{}}
	count := map[string]float64{}
	n := 0.0
	for i := range s {
		if s[i].at < from || s[i].at > to {
			continue
		}
		n++
		if g.First == nil {
			g.First = maps.Clone(s[i].Gauges)
		}
		for name, x := range s[i].Gauges {
			count[name]++
			g.Mean[name] += x
			if most, ok := g.Max[name]; !ok || x > most {
				g.Max[name] = x
			}
		}
	}
	for name := range g.Mean {
		g.Mean[name] /= n
		if count[name] < n {
			delete(g.First, name)
			delete(g.Mean, name)
			delete(g.Max, name)
		}
	}
	return g
}

// growingDebt tells whether flushes and compactions came in faster than they
// were done: the last third of the window's queue lengths against its first.
func (s samples) growingDebt(from, to float64) bool {
	var queue []float64
	for i := range s {
		if s[i].at >= from && s[i].at <= to {
			queue = append(queue, s[i].QueueLength)
		}
	}
	third := len(queue) / 3
	if third == 0 {
		return false
	}
	return mean(queue[len(queue)-third:]) >= mean(queue[:third])+1
}

// lastState is what the servers had before them when they were read last.
func (s samples) lastState() *trial.State {
	if len(s) == 0 {
		return nil
	}
	return stateOf(&s[len(s)-1].Reading)
}

func stateOf(r *Reading) *trial.State {
	return &trial.State{
		FlushQueue:      r.Gauges["flush_queue"],
		CompactionQueue: r.Gauges["compaction_queue"],
		MemstoreBytes:   r.Gauges["memstore_bytes"],
		StoreFiles:      r.Gauges["store_files"],
		Regions:         r.Gauges["regions"],
	}
}

// queues gives each of n seconds the flushes and compactions that waited when it
// was read last.
func (s samples) queues(n int) (flushes, compactions []float64) {
	flushes, compactions = make([]float64, n), make([]float64, n)
	next := 0
	var reading *Reading
	for k := range n {
		for next < len(s) && s[next].at < float64(k+1) {
			reading = &s[next].Reading
			next++
		}
		if reading != nil {
			flushes[k], compactions[k] = reading.Gauges["flush_queue"], reading.Gauges["compaction_queue"]
		}
	}
	return flushes, compactions
}
