package lint

import (
	"fmt"
	"slices"
	"strings"

	"hbtune/hbaseconf"
)

// cacheRules look at the block cache on and off the heap.
func cacheRules() []Rule {
	return []Rule{
		{
			Code: "bucket-size", Severity: Error, Title: "A bucket cache of an impossible size",
			Doc: "hbase.bucketcache.size counts megabytes, at least 1, and holds a few buckets of every size. In 1.x a number below 1 was a share of the heap.",
			Bad: "hbase.bucketcache.ioengine=offheap\nhbase.bucketcache.size=0.3", Good: "heap 16g\nhbase.bucketcache.ioengine=offheap\nhbase.bucketcache.size=4096",
			check: bucketSizeRule,
		},
		{
			Code: "bucket-engine", Severity: Error, Title: "A bucket cache engine that HBase does not know",
			Doc: "The engines are offheap, file:…, files:…, mmap:… and pmem:…. The engine heap is gone in 2.x. With any other word the server does not start.",
			Bad: "hbase.bucketcache.ioengine=heap\nhbase.bucketcache.size=2048", Good: "heap 16g\nhbase.bucketcache.ioengine=offheap\nhbase.bucketcache.size=2048",
			check: bucketEngineRule,
		},
		{
			Code: "block-cache-off", Severity: Warning, Title: "A block cache that is switched off",
			Doc: "Without a block cache on the heap every read goes to the file system, index and bloom blocks too, and there is silently no bucket cache either.",
			Bad: "hfile.block.cache.size=0", Good: "hfile.block.cache.size=0.1",
			check: blockCacheOff,
		},
		{
			Code: "direct-memory", Severity: Error, Title: "More off the heap than direct memory allows",
			Doc: "An off-heap bucket cache is reserved at the start, and the server dies where it does not fit. The off-heap memstore and the pooled buffers of the RPC server come on top as they are used. Without -XX:MaxDirectMemorySize direct memory may be as large as the heap.",
			Bad: "hbase.bucketcache.ioengine=offheap\nhbase.bucketcache.size=4096\nexport HBASE_REGIONSERVER_OPTS=\"-Xmx8g -XX:MaxDirectMemorySize=2g\"", Good: "hbase.bucketcache.ioengine=offheap\nhbase.bucketcache.size=4096\nexport HBASE_REGIONSERVER_OPTS=\"-Xmx8g -XX:MaxDirectMemorySize=6g\"",
			check: directMemory,
		},
	}
}

func bucketSizeRule(f *facts) []Finding {
	if !f.isSet(bucketSize) || f.text(bucketEngine) == "" {
		return nil
	}
	entry, _ := f.get(bucketSize)
	if slices.Contains(f.unreadable, bucketSize) {
		return []Finding{f.explain(bucketSize)}
	}
	megabytes := f.float(bucketSize, 0)
	if megabytes > 0 && megabytes < 1 && !hbaseconf.VersionBefore(f.version, "2.0") {
		x := f.at(bucketSize, "%s is a number of megabytes, at least 1, in 2.x: the server does not start. In 1.x it was a share of the heap", entry)
		if f.heap > 0 {
			return []Finding{x.write("%s=%d", bucketSize, int64(megabytes*float64(f.heap))>>20)}
		}
		return []Finding{x.write("%s in megabytes", bucketSize)}
	}
	if conflicts := f.conflictsOn(bucketSize); len(conflicts) > 0 {
		return []Finding{f.at(bucketSize, "the server does not start: %s", conflicts[0].Reason)}
	}
	return nil
}

func bucketEngineRule(f *facts) []Finding {
	if conflicts := f.conflictsOn(bucketEngine); len(conflicts) > 0 {
		if f.text(bucketEngine) == "heap" {
			return []Finding{f.at(bucketEngine, "the engine heap is gone in 2.x: the server does not start").write("%s=offheap", bucketEngine)}
		}
		return []Finding{f.at(bucketEngine, "the server does not start: %s", conflicts[0].Reason)}
	}
	if !f.isSet(bucketSize) && f.text(bucketEngine) != "" && f.float(bucketSize, 0) < 1 {
		return []Finding{f.at(bucketEngine, "needs %s, which is not set: the server does not start", bucketSize).write("%s in megabytes", bucketSize)}
	}
	return nil
}

func blockCacheOff(f *facts) []Finding {
	return when(f.shared && f.isSet(blockCacheSize) && f.shares.BlockCache <= 0.0001 && !f.wins(blockCacheBytes) && f.role == RegionServer, func() Finding {
		x := f.at(blockCacheSize, "switches the block cache off: every read goes to the file system")
		if f.text(bucketEngine) != "" {
			x.Message += ", and the bucket cache is silently off too"
		}
		return x.write("%s=0.1 or more", blockCacheSize)
	})
}

// offHeap is what one part of the server may take off the heap.
type offHeap struct {
	what  string
	name  string
	bytes float64
}

// budget lists what may be taken off the heap, what is reserved at the start
// first.
func (f *facts) budget() (reserved float64, parts []offHeap) {
	if strings.EqualFold(f.text(bucketEngine), "offheap") {
		if reserved = f.float(bucketSize, 0) * (1 << 20); reserved >= 1<<20 {
			parts = append(parts, offHeap{"bucket cache", bucketSize, reserved})
		}
	}
	if bytes := f.float(memstoreOffHeap, 0) * (1 << 20); bytes > 0 {
		parts = append(parts, offHeap{"off-heap memstore", memstoreOffHeap, bytes})
	}
	handlers := float64(f.long(handlerCount, 30))
	buffers := float64(f.long(allocatorBuffer, 66560)) * float64(f.long(allocatorCount, int64(62*handlers)))
	if len(parts) > 0 && buffers > 0 && f.text(allocatorPool) != "false" {
		parts = append(parts, offHeap{"RPC buffers", handlerCount, buffers})
	}
	return reserved, parts
}

func directMemory(f *facts) []Finding {
	limit, from := float64(f.heap), "the heap's size, since no -XX:MaxDirectMemorySize is set"
	switch {
	case f.memory.Direct != nil:
		limit, from = float64(f.memory.Direct.Bytes), "-XX:MaxDirectMemorySize"
	case f.memory.Unknown, f.in.Env == nil && f.in.Running.Len() == 0, hbaseconf.VersionBefore(f.version, "2.0"):
		return nil // not known
	}
	if limit <= 0 || f.role != RegionServer {
		return nil
	}
	reserved, parts := f.budget()
	sum := 0.0
	var list []string
	for _, p := range parts {
		sum += p.bytes
		list = append(list, fmt.Sprintf("%s %s", p.what, size(p.bytes)))
	}
	if sum <= limit {
		return nil
	}
	x := f.at(parts[0].name, "%s off the heap (%s) do not fit in %s of direct memory (%s)", size(sum), strings.Join(list, ", "), size(limit), from)
	if reserved > limit {
		x.Message += ": the server does not start"
	} else {
		x.Message += ": it runs out under load"
		x = x.as(Warning)
	}
	return []Finding{x.write("-XX:MaxDirectMemorySize=%dm or more", int64(sum*1.1)>>20)}
}
