package diagnose

// serverRules look at what servers run with, the Java machine, the processors and the block cache.
func serverRules() []Rule {
	return []Rule{
		{"config-not-applied", once(configNotApplied)},
		{"gc-outlives-session", each(gcOutlivesSession)},
		{"stall-outlives-session", each(stallOutlivesSession)},
		{"gc-load", each(gcLoad)},
		{"cpu-full", each(cpuFull)},
		{"working-set", each(workingSet)},
		{"locality", each(locality)},
	}
}

func configNotApplied(o Observation) *Conclusion {
	c := &Conclusion{
		weight:  90,
		Message: "servers that started after the file was written do not run with it",
		Advice:  "a cluster manager (Ambari, Cloudera Manager, an operator) writes its own copy at every start: change the value there; else see which folder HBASE_CONF_DIR names",
		Not:     "editing the same file again",
		Refuted: "a file that other machines were never given",
	}
	for _, d := range o.Drift {
		if d.Restarted {
			c.Evidence = append(c.Evidence, evidence("%s: %s says %s=%s, running is %s (from %s)", d.Server, d.File, d.Property, d.InFile, orUnset(d.Running), orUnset(d.Source)))
		}
	}
	if c.Evidence == nil {
		return nil
	}
	return c
}

func orUnset(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

func gcOutlivesSession(o Observation, s Server) *Conclusion {
	if !s.outlivesSession(s.PauseSeconds) {
		return nil
	}
	return &Conclusion{
		weight:  95,
		Message: "the Java machine collects garbage nearly as long as the ZooKeeper session lasts, or longer: the server is given up for dead",
		Evidence: []string{
			evidence("a pause of %s s (%s), a session of %s s asked for, of which ZooKeeper grants at most 20 of its ticks", number(s.PauseSeconds), s.when("gc_pauses"), number(s.session())),
			evidence("%s of the time in garbage collection", percent(s.collecting(o.Seconds))),
		},
		Advice:  "find the cause of the pause: heap too full, swapping, a collector that stops the world; the log of garbage collections tells",
		Not:     "a session timeout of minutes alone: it hides the pause, and ZooKeeper cuts it to 20 of its ticks",
		Refuted: "pauses outside of garbage collection (a machine that swaps or is starved)",
	}
}

func stallOutlivesSession(_ Observation, s Server) *Conclusion {
	if !s.outlivesSession(s.StallSeconds) {
		return nil
	}
	c := &Conclusion{
		weight:  95,
		Message: "the Java machine stands still without collecting garbage, nearly as long as the ZooKeeper session lasts, or longer",
		Evidence: []string{
			evidence("a pause of %s s (%s), a session of %s s asked for, of which ZooKeeper grants at most 20 of its ticks", number(s.StallSeconds), s.when("other_pauses"), number(s.session())),
		},
		Advice:  "look at the machine: swapping, a virtual machine that is moved or starved, a disk that the Java machine's own logs wait for",
		Not:     "another collector or heap: none of it was garbage collection",
		Refuted: "a log of the Java machine with a long stop at that time",
	}
	if machine, known := s.MachineCPU(); known {
		c.Evidence = append(c.Evidence, evidence("the machine's processors %s busy", percent(machine)))
	}
	return c
}

// leastPause is how long a pause is that may matter to any session.
const leastPause = 5

func (s Server) session() float64 { return float64(s.Sizing.SessionMillis) / 1000 }

func (s Server) outlivesSession(pause float64) bool {
	return pause >= leastPause && pause >= s.session()/2
}

// when says whether the longest pause was in the window, or before it: a maximum
// holds what has been since somebody asked last.
func (s Server) when(count string) string {
	if s.Grown[count] > 0 {
		return "in the window"
	}
	return "since the figures were last read"
}

func gcLoad(o Observation, s Server) *Conclusion {
	share := s.collecting(o.Seconds)
	if share < MuchGC {
		return nil
	}
	return &Conclusion{
		weight:  62,
		Message: "garbage collection takes a notable part of the time",
		Evidence: []string{
			evidence("%s of the time, %s collections in %s s", percent(share), number(s.Grown["gc_count"]), number(o.Seconds)),
			evidence("heap %s of %s in use at most", size(s.Max["heap_used_bytes"]), size(float64(s.Sizing.HeapBytes))),
		},
		Advice:  "more heap, a smaller memstore or block cache, or the block cache off the heap",
		Not:     "more handlers: each makes more garbage at once",
		Refuted: "a heap that is half empty after collections; a collector that works beside the requests (ZGC, Shenandoah), whose time counts here though nobody waits for it",
	}
}

func cpuFull(o Observation, s Server) *Conclusion {
	full, known := s.fullestCPU(o.Seconds)
	if !known || full < FullCPU {
		return nil
	}
	c := &Conclusion{
		weight:  58,
		Message: "the processors are full",
		Evidence: []string{
			evidence("%s requests/s", number(s.Grown["requests"]/max(o.Seconds, 1))),
		},
		Advice:  "fewer or cheaper requests, more servers; settings move little here",
		Not:     "more handlers: they share the same processors, and p99 gets worse",
		Refuted: "throughput that rises with handlers all the same",
	}
	own, ownKnown := s.CPUShare(o.Seconds)
	if machine, ok := s.MachineCPU(); ok {
		c.Evidence = append(c.Evidence, evidence("the machine's processors %s busy", percent(machine)))
		if ownKnown && own < machine/2 {
			c.Message = "the processors are full, and mostly of something else than this server"
			c.Advice = "find what else runs on the machine (a load generator, compactions of another server, jobs) and give it another one"
		}
	}
	if ownKnown {
		c.Evidence = append(c.Evidence, evidence("%s of %s processors in use by the server", percent(own), number(s.CPUs)))
	}
	if busy := s.BusyHandlers(); busy >= FullHandlers || Waiting(s.Mean) >= 1 {
		c.Evidence = append(c.Evidence, evidence("%s of %d handlers at work, %s calls waited on average: they wait for processors", percent(busy), s.Sizing.Handlers, number(Waiting(s.Mean))))
	}
	return c
}

// fewLookups is how many block lookups tell nothing.
const fewLookups = 1000

func workingSet(o Observation, s Server) *Conclusion {
	hits, misses := s.Grown["data_block_hits"], s.Grown["data_block_misses"]
	if hits+misses < fewLookups || misses/(hits+misses) < 0.2 {
		return nil
	}
	rate := hits / (hits + misses)
	all := s.Grown["block_hits"] / max(s.Grown["block_hits"]+s.Grown["block_misses"], 1)
	c := &Conclusion{
		weight:  40,
		Message: "what is read does not fit in the block cache",
		Evidence: []string{
			evidence("%s of data blocks found in the cache (%s of all blocks, index and bloom included)", percent(rate), percent(all)),
			evidence("cache %s on the heap and %s off it, %s of store files", size(s.Sizing.CacheBytes), size(s.Sizing.BucketBytes), size(s.Last["store_file_bytes"])),
		},
		Advice:  "state the size of the working set and the data-block hit rate with every latency; a larger or off-heap cache, smaller blocks or compression on disk make more of it fit",
		Not:     "more regions: the same blocks are read",
		Refuted: "a hit rate that stays where it is with a cache twice as large",
	}
	if o.Client != nil && o.Client.Rows > 0 {
		c.Evidence = append(c.Evidence, evidence("%s rows in the working set", number(o.Client.Rows)))
	}
	return c
}

func locality(_ Observation, s Server) *Conclusion {
	local, known := s.Last["local_files_percent"]
	// 0 is also what a file system without locality says.
	if !known || local == 0 || local > 70 || s.Last["store_file_bytes"] == 0 {
		return nil
	}
	return &Conclusion{
		weight:  35,
		Message: "many blocks lie on other machines",
		Evidence: []string{
			evidence("%s of the store files' bytes are local, of %s", percent(local/100), size(s.Last["store_file_bytes"])),
		},
		Advice:  "a major compaction at a quiet hour brings them here; find out what moves regions about",
		Not:     "a larger cache for it alone",
		Refuted: "reads as slow where all blocks are local",
	}
}
