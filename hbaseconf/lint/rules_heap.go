package lint

import (
	"slices"

	"hbtune/hbaseconf"
)

// heapRules look at how the heap is shared out.
func heapRules() []Rule {
	return []Rule{
		{
			Code: "heap-sum", Severity: Error, Title: "Memstore and block cache that leave too little of the heap",
			Doc: "HBase adds up the shares in whole per cent, each cut off, and refuses to start where less than 20 % of the heap is left. The Master, which reads the same file, does not start either.",
			Bad: "hbase.regionserver.global.memstore.size=0.5", Good: "hbase.regionserver.global.memstore.size=0.5\nhfile.block.cache.size=0.3",
			check: heapSum,
		},
		{
			Code: "memstore-replaced", Severity: Error, Title: "A memstore share that HBase silently replaces",
			Doc: "A share outside of (0, 0.8] counts as 0.4, before the sum is checked: the daemon starts, with another memstore than the file says.",
			Bad: "hbase.regionserver.global.memstore.size=0.9", Good: "hbase.regionserver.global.memstore.size=0.35",
			check: memstoreReplaced,
		},
		{
			Code: "no-flush-margin", Severity: Warning, Title: "No margin between forced flushes and blocked writes",
			Doc: "At the low mark the largest regions are flushed, at the limit all writes of the server wait. Where both are the same every pressure is a stall.",
			Bad: "hbase.regionserver.global.memstore.size=0.4\nhbase.regionserver.global.memstore.size.lower.limit=1.0", Good: "hbase.regionserver.global.memstore.size.lower.limit=0.95",
			check: noFlushMargin,
		},
		{
			Code: "overrides-fraction", Severity: Info, Title: "A block cache given in bytes",
			Doc: "hfile.block.cache.memory.size wins over the share hfile.block.cache.size, and does not grow with the heap. The heap rule takes its share of this heap.",
			Bad: "heap 4g\nhfile.block.cache.memory.size=512m", Good: "heap 4g\nhfile.block.cache.size=0.3",
			check: overridesFraction,
		},
		{
			Code: "flush-never-full", Severity: Warning, Title: "A flush size that the memstore can hardly reach",
			Doc: "Where all memstores together hold fewer than two full ones, regions are only flushed by global pressure: early, in small files that must be compacted again.",
			Bad: "heap 512m\nhbase.hregion.memstore.flush.size=134217728", Good: "heap 8g\nhbase.hregion.memstore.flush.size=134217728",
			check: flushNeverFull,
		},
		{
			Code: "regions-share-memstore", Severity: Warning, Title: "More regions than the memstore has room for",
			Doc: "When all regions are written to, each can hold its share of the global memstore. Far below the flush size every flush is a small file. Fewer or larger regions, or a larger memstore, make better files; regions that are not written to do not count.",
			Bad: "heap 8g\nregions 400\nhbase.hregion.memstore.flush.size=134217728", Good: "heap 8g\nregions 40\nhbase.hregion.memstore.flush.size=134217728",
			check: regionsShareMemstore,
		},
		{
			Code: "block-line-above-memstore", Severity: Warning, Title: "A region that may outgrow the global memstore",
			Doc: "A region refuses writes at flush size × multiplier. Above the global memstore that line is never reached: one busy region can stall the writes of all.",
			Bad: "heap 8g\nhbase.hregion.memstore.flush.size=536870912\nhbase.hregion.memstore.block.multiplier=7", Good: "heap 8g\nhbase.hregion.memstore.flush.size=134217728\nhbase.hregion.memstore.block.multiplier=4",
			check: blockLineAboveMemstore,
		},
	}
}

// conflictOn is what HBase refuses about one of the properties, and the one to
// blame.
func (f *facts) conflictsOn(names ...string) []hbaseconf.Conflict {
	var list []hbaseconf.Conflict
	for _, c := range f.conflicts {
		if slices.ContainsFunc(c.Properties, func(name string) bool { return slices.Contains(names, name) }) {
			list = append(list, c)
		}
	}
	return list
}

func heapSum(f *facts) []Finding {
	if !f.shared || f.role == Client {
		return nil
	}
	for _, c := range f.conflictsOn(memstoreSize) {
		if len(c.Properties) < 2 {
			continue
		}
		name, set := f.anySet(append(c.Properties, memstoreOld)...)
		if !set && f.in.Env == nil && f.in.Heap == 0 {
			continue
		}
		cache := "block cache"
		if _, ok := f.anySet(blockCacheSize, blockCacheBytes); !ok {
			cache = "default block cache"
		}
		return []Finding{f.at(name, "memstore %s + %s %s leave %s of the heap, of which HBase wants %s free: neither the RegionServer nor a Master that reads this file starts",
			percent(f.shares.Memstore), cache, percent(f.shares.BlockCache), percent(1-f.shares.Memstore-f.shares.BlockCache), percent(f.shares.MinFree)).
			write("shares that make at most %s together, such as %s=0.4 with %s=0.4", percent(1-f.shares.MinFree), memstoreSize, blockCacheSize)}
	}
	return nil
}

func percent(share float32) string { return figure(float64(share)*100) + " %" }

func memstoreReplaced(f *facts) []Finding {
	return when(f.shared && f.shares.Replaced != 0, func() Finding {
		name, _ := f.anySet(memstoreSize, memstoreOld)
		return f.at(name, "%s lies outside of (0, 0.8]: HBase silently takes 0.4 instead, and starts", f.shown(name)).write("%s=0.4, or what was meant", name)
	})
}

func noFlushMargin(f *facts) []Finding {
	name, set := f.anySet(memstoreLow, memstoreLowOld)
	if name == memstoreLow && !f.wins(memstoreLow) {
		name, set = memstoreLowOld, f.isSet(memstoreLowOld)
	}
	return when(set && f.shared && f.shares.LowMark >= 1 && !slices.Contains(f.unreadable, name), func() Finding {
		return f.at(name, "no gap is left between forced flushes and blocked writes: the low mark is %s of the memstore", percent(f.shares.LowMark)).
			write("%s=0.95", memstoreLow)
	})
}

func overridesFraction(f *facts) []Finding {
	if !f.wins(blockCacheBytes) || !f.shared {
		return nil
	}
	bytes, err := f.conf.Size(blockCacheBytes, 0)
	if err != nil || bytes <= 0 {
		return nil
	}
	x := f.at(blockCacheBytes, "overrides the fraction %s", blockCacheSize)
	if f.heap > 0 {
		x.Message += ": " + size(float64(bytes)) + " are " + percent(f.shares.BlockCache) + " of the heap"
	}
	return []Finding{x}
}

func flushNeverFull(f *facts) []Finding {
	memstore, known := f.globalMemstore()
	flush := float64(f.long(flushSize, 0))
	return when(known && flush > 0 && memstore < 2*flush, func() Finding {
		return f.at(flushSize, "%s of a heap of %s are %s, less than two flushes of %s: only global pressure flushes, in small files",
			percent(f.shares.Memstore), size(float64(f.heap)), size(memstore), size(flush)).
			write("a larger heap, or %s=%d", flushSize, max(int64(memstore/8)>>20, 1)<<20)
	})
}

func regionsShareMemstore(f *facts) []Finding {
	memstore, known := f.globalMemstore()
	flush := float64(f.long(flushSize, 0))
	if !known || flush <= 0 || f.in.Regions <= 0 {
		return nil
	}
	share := memstore / float64(f.in.Regions)
	return when(share < flush/4, func() Finding {
		x := f.at(flushSize, "%s share a memstore of %s: %s each when all are written to, where a flush is meant to be %s",
			count(f.in.Regions, "region"), size(memstore), size(share), size(flush))
		if share >= flush/16 {
			x = x.as(Info)
		}
		return x.write("about %d regions that are written to on a server, or a larger memstore", max(int(memstore/flush), 1))
	})
}

func blockLineAboveMemstore(f *facts) []Finding {
	name, _ := f.anySet(blockMultiplier, flushSize)
	memstore, known := f.globalMemstore()
	flush, multiplier := float64(f.long(flushSize, 0)), float64(f.long(blockMultiplier, 4))
	return when((f.chosen(blockMultiplier) || f.chosen(flushSize)) && known && flush*multiplier > memstore && memstore >= 2*flush, func() Finding {
		return f.at(name, "one region may hold %s (%s × %s) before it refuses writes: more than the global memstore of this heap, %s",
			size(flush*multiplier), size(flush), figure(multiplier), size(memstore)).
			write("%s=%d", blockMultiplier, max(int64(memstore/flush)/2, 2))
	})
}
