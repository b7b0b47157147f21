package lint

// storeRules look at compactions and store files.
func storeRules() []Rule {
	return []Rule{
		{
			Code: "nothing-compacts", Severity: Error, Title: "A limit above which no file is compacted",
			Doc: "hbase.hstore.compaction.max.size counts bytes: larger files never take part in a minor compaction. Below the size of a flushed file nothing is ever compacted, files pile up to hbase.hstore.blockingStoreFiles, and flushes wait.",
			Bad: "hbase.hstore.compaction.max.size=100", Good: "hbase.hstore.compaction.max.size=10737418240",
			check: nothingCompacts,
		},
		{
			Code: "blocking-below-compaction", Severity: Error, Title: "Flushes that wait for a compaction that never comes",
			Doc: "Above hbase.hstore.blockingStoreFiles flushes of the store wait, and below hbase.hstore.compaction.min files nothing is compacted. Where the first is not the larger, every flush waits for the full hbase.hstore.blockingWaitTime.",
			Bad: "hbase.hstore.blockingStoreFiles=3\nhbase.hstore.compaction.min=5", Good: "hbase.hstore.blockingStoreFiles=16\nhbase.hstore.compaction.min=5",
			check: blockingBelowCompaction,
		},
		{
			Code: "compaction-min-above-max", Severity: Error, Title: "A compaction that may take fewer files than it must",
			Doc: "No minor compaction is ever selected.",
			Bad: "hbase.hstore.compaction.min=12\nhbase.hstore.compaction.max=10", Good: "hbase.hstore.compaction.min=3\nhbase.hstore.compaction.max=10",
			check: compactionMinAboveMax,
		},
		{
			Code: "compaction-min-low", Severity: Warning, Title: "Compactions of a single file",
			Doc: "A compaction needs at least two files; HBase takes two for anything lower.",
			Bad: "hbase.hstore.compaction.min=1", Good: "hbase.hstore.compaction.min=3",
			check: compactionMinLow,
		},
		{
			Code: "throughput-bounds", Severity: Warning, Title: "Bounds of compaction throughput in the wrong order",
			Doc: "The speed of compactions moves from the lower bound to the higher one as files pile up. The other way round pressure slows them down.",
			Bad: "hbase.hstore.compaction.throughput.lower.bound=209715200", Good: "hbase.hstore.compaction.throughput.lower.bound=52428800\nhbase.hstore.compaction.throughput.higher.bound=209715200",
			check: throughputBounds,
		},
	}
}

func nothingCompacts(f *facts) []Finding {
	if !f.isSet(compactionMaxSize) {
		return nil
	}
	bytes, flush := f.long(compactionMaxSize, 1<<62), f.long(flushSize, 128<<20)
	switch {
	case bytes < 1<<20:
		return []Finding{f.at(compactionMaxSize, "is %s bytes: no store file ever qualifies for a minor compaction, files pile up to %d (%s) and flushes wait",
			grouped(bytes), f.long(blockingFiles, 16), blockingFiles).write("remove it, or give bytes: %d for %d GB", max(bytes, 1)<<30, max(bytes, 1))}
	case bytes < flush:
		return []Finding{f.at(compactionMaxSize, "files above %s are never compacted, where a flush makes files of up to %s: they pile up", size(float64(bytes)), size(float64(flush))).
			as(Warning).write("remove it, or %s=%d", compactionMaxSize, 20*flush)}
	}
	return nil
}

// minFiles is how many files a minor compaction needs, and the property that
// says so.
func (f *facts) minFiles() (int64, string, bool) {
	name, set := f.anySet(compactionMin, compactionMinOld)
	return f.long(name, 3), name, set
}

func blockingBelowCompaction(f *facts) []Finding {
	least, minName, minSet := f.minFiles()
	blocking := f.long(blockingFiles, 16)
	name := blockingFiles
	if !f.isSet(blockingFiles) {
		name = minName
	}
	return when((minSet || f.isSet(blockingFiles)) && blocking < least, func() Finding {
		return f.at(name, "flushes wait above %s, and only %d or more are compacted: each waits for %s s", count(blocking, "file"), least, figure(float64(f.long("hbase.hstore.blockingWaitTime", 90000))/1000)).
			write("%s=%d", blockingFiles, max(4*least, 16))
	})
}

func compactionMinAboveMax(f *facts) []Finding {
	least, minName, minSet := f.minFiles()
	most := f.long(compactionMax, 10)
	name := compactionMax
	if minSet {
		name = minName
	}
	return when((minSet || f.isSet(compactionMax)) && least > most, func() Finding {
		return f.at(name, "at least %d files are needed for a compaction and at most %d may take part: none is ever selected", least, most).
			write("%s above %s", compactionMax, compactionMin)
	})
}

func compactionMinLow(f *facts) []Finding {
	least, name, set := f.minFiles()
	return when(set && least < 2, func() Finding {
		return f.at(name, "%d is less than the two files that a compaction needs; HBase takes 2", least).write("%s=3", compactionMin)
	})
}

func throughputBounds(f *facts) []Finding {
	name, set := f.anySet(throughputLow, throughputHigh)
	low, high := float64(f.long(throughputLow, 0)), float64(f.long(throughputHigh, 0))
	return when(set && low > high && high > 0, func() Finding {
		return f.at(name, "the lower bound, %s/s, is above the higher one, %s/s: pressure slows compactions down", size(low), size(high)).
			write("%s=%d", throughputHigh, int64(2*low))
	})
}
