package diagnose

// writeRules look at the memstore, flushes, store files and compactions.
func writeRules() []Rule {
	return []Rule{
		{"flush-stuck", each(flushStuck)},
		{"too-many-regions", each(tooManyRegions)},
		{"multiplier-above-memstore", each(multiplierAboveMemstore)},
		{"compaction-traffic", each(compactionTraffic)},
		{"store-files-block", each(storeFilesBlock)},
		{"updates-blocked", each(updatesBlocked)},
		{"wal-forces-flushes", each(walForcesFlushes)},
	}
}

// longFlush is how long no flush takes that is well.
const longFlush = 600

func flushStuck(o Observation, s Server) *Conclusion {
	waits := s.Last["flush_queue"] > 0 && s.Grown["flushes"] == 0 && o.Seconds >= 60
	if s.FlushSeconds < longFlush && !(s.writesRefused() && waits) {
		return nil
	}
	c := &Conclusion{
		weight:  100,
		Message: "a flush does not come to its end, and writes are refused meanwhile",
		Evidence: []string{
			evidence("%s calls refused because a region is above its memstore limit", number(s.Grown["blocked_requests"]+s.Grown["exceptions_region_too_busy"])),
			evidence("%s flushes ended in %s s, %s wait", number(s.Grown["flushes"]), number(o.Seconds), number(s.Last["flush_queue"])),
			evidence("memstore %s, of %s", size(memstore(s.Last)), size(s.Sizing.MemstoreBytes)),
		},
		Advice:  "look at the flush and the file system first: a thread dump of the server, the DataNodes, known faults of this version; moving the region may free it",
		Not:     "a larger hbase.hregion.memstore.block.multiplier: it fills the same memory later",
		Refuted: "flushes that end, however slowly",
	}
	if s.FlushSeconds > 0 {
		c.Evidence = append(c.Evidence, evidence("one flush has been running for %s minutes", number(s.FlushSeconds/60)))
	}
	return c
}

// memstore is what the memstores hold on the heap, which is what the limit is
// about.
func memstore(gauges map[string]float64) float64 {
	if heap, ok := gauges["memstore_heap_bytes"]; ok && heap > 0 {
		return heap
	}
	return gauges["memstore_bytes"]
}

// smallFlush is the share of the flush size below which flushes are small.
const smallFlush = 0.25

func tooManyRegions(_ Observation, s Server) *Conclusion {
	regions, flushes := s.Last["regions"], s.Grown["flushes"]
	fits := s.Sizing.MemstoreBytes / max(s.Sizing.FlushBytes, 1)
	if regions == 0 || flushes == 0 || s.Sizing.MemstoreBytes == 0 || regions < 2*fits {
		return nil
	}
	mean := s.Grown["flushed_memstore_bytes"] / flushes
	if mean > smallFlush*s.Sizing.FlushBytes {
		return nil
	}
	return &Conclusion{
		weight:  65,
		Message: "more regions are written to than the memstore carries, so that all flush small files",
		Evidence: []string{
			evidence("%s regions on the server; %s of memstore carry about %s that are written to, at %s each", number(regions), size(s.Sizing.MemstoreBytes), number(fits), size(s.Sizing.FlushBytes)),
			evidence("%s flushes of %s on average", number(flushes), size(mean)),
		},
		Advice:  "fewer and larger regions: merge them and raise hbase.hregion.max.filesize, or add servers",
		Not:     "a larger flush size: the memstore is shared out already",
		Refuted: "flushes near the flush size; writes that go to a few of the regions only",
	}
}

func multiplierAboveMemstore(o Observation, s Server) *Conclusion {
	hot := float64(max(hotWrites(s), 1))
	line := s.Sizing.FlushBytes * s.Sizing.Multiplier
	died := o.says("outofmemory")
	if s.Sizing.MemstoreBytes == 0 || hot*line <= s.Sizing.MemstoreBytes {
		return nil
	}
	full := memstore(s.Max) >= nearlyFull*s.Sizing.LowMarkBytes
	if !died && !full {
		return nil // it could happen, but nothing like it did
	}
	return &Conclusion{
		weight:  72,
		Message: "the regions that are written to may together grow past the memstore before any of them is stopped",
		Evidence: []string{
			evidence("%s hot regions × %s × %s = %s, where the memstore may hold %s of a heap of %s", number(hot), size(s.Sizing.FlushBytes), number(s.Sizing.Multiplier), size(hot*line), size(s.Sizing.MemstoreBytes), size(float64(s.Sizing.HeapBytes))),
			evidence("%s in the memstores at most", size(memstore(s.Max))),
		},
		Advice:  "lower flush size × hbase.hregion.memstore.block.multiplier until hot regions together stay under the global memstore",
		Not:     "raising the multiplier again",
		Refuted: "a memstore that never comes near its limit",
	}
}

func compactionTraffic(o Observation, s Server) *Conclusion {
	compacted := s.Grown["compacted_input_bytes"] + 3*s.Grown["compacted_output_bytes"]
	served := s.Grown["received_bytes"] + s.Grown["sent_bytes"]
	if compacted/max(o.Seconds, 1) < 10<<20 || compacted < 2*served || s.NetworkShare > 0 && s.NetworkShare < 0.8 || s.NetworkShare == 0 && s.Last["compaction_queue"] == 0 {
		return nil
	}
	c := &Conclusion{
		weight:  68,
		Message: "compactions move far more bytes than clients do",
		Evidence: []string{
			evidence("%s/s for compactions (read once, written three times), %s/s for clients", size(compacted/o.Seconds), size(served/o.Seconds)),
			evidence("%s compactions wait, bounds %s/s to %s/s", number(s.Last["compaction_queue"]), size(s.Sizing.ThroughputLow), size(s.Sizing.ThroughputHigh)),
		},
		Advice:  "the bounds of compaction throughput, fewer or larger compactions (hbase.hstore.compaction.min, flush size), more DataNodes",
		Not:     "more handlers: they wait for the same network and disks",
		Refuted: "network and disks with room to spare while writes are slow",
	}
	if s.NetworkShare > 0 {
		c.Evidence = append(c.Evidence, evidence("network %s full", percent(s.NetworkShare)))
	}
	return c
}

func storeFilesBlock(_ Observation, s Server) *Conclusion {
	files := s.Max["max_store_files"]
	if files <= float64(s.Sizing.BlockingFiles) {
		return nil
	}
	return &Conclusion{
		weight:  64,
		Message: "a store has more files than it may have, so that its flushes wait for a compaction",
		Evidence: []string{
			evidence("%s files in one store; above %d flushes wait (hbase.hstore.blockingStoreFiles)", number(files), s.Sizing.BlockingFiles),
			evidence("%s compactions wait, %s flushes wait", number(s.Last["compaction_queue"]), number(s.Last["flush_queue"])),
		},
		Advice:  "let compactions keep up: more small compaction threads, higher throughput bounds, larger flushes",
		Not:     "only raising hbase.hstore.blockingStoreFiles: every read then looks into more files",
		Refuted: "a compaction queue that is empty",
	}
}

func updatesBlocked(o Observation, s Server) *Conclusion {
	blocked := s.Grown["updates_blocked_ms"]
	if s.blocked(o.Seconds) < MuchBlocked {
		return nil
	}
	return &Conclusion{
		weight:  50,
		Message: "all writes of the server stood still because its memstores were full",
		Evidence: []string{
			evidence("%s s of %s s", number(blocked/1000), number(o.Seconds)),
			evidence("memstore %s at most, of %s; %s flushes, %s wait", size(memstore(s.Max)), size(s.Sizing.MemstoreBytes), number(s.Grown["flushes"]), number(s.Last["flush_queue"])),
		},
		Advice:  "find what slows flushes down (store files, file system), or give the memstore more of the heap where reads allow it",
		Not:     "more handlers: more writes would stand still",
		Refuted: "updates_blocked_ms that no longer grows",
	}
}

func walForcesFlushes(_ Observation, s Server) *Conclusion {
	files := s.Max["wal_files"]
	if s.Sizing.MaxLogs == 0 || files < float64(s.Sizing.MaxLogs) || s.Grown["flushes"] == 0 {
		return nil
	}
	mean := s.Grown["flushed_memstore_bytes"] / s.Grown["flushes"]
	if mean > smallFlush*s.Sizing.FlushBytes {
		return nil
	}
	return &Conclusion{
		weight:  63,
		Message: "the number of log files forces flushes of small memstores",
		Evidence: []string{
			evidence("%s log files, of %d (hbase.regionserver.maxlogs)", number(files), s.Sizing.MaxLogs),
			evidence("%s flushes of %s on average, where %s is the flush size", number(s.Grown["flushes"]), size(mean), size(s.Sizing.FlushBytes)),
		},
		Advice:  "leave hbase.regionserver.maxlogs out, so that HBase computes it from the memstore, or raise it",
		Not:     "a smaller flush size",
		Refuted: "flushes near the flush size",
	}
}
