package lint

import (
	"math"

	"hbtune/hbaseconf"
)

// writeRules look at the write-ahead log and at the size of regions.
func writeRules() []Rule {
	return []Rule{
		{
			Code: "wal-forces-flushes", Severity: Warning, Title: "So few log files that they force flushes",
			Doc: "When there are more than hbase.regionserver.maxlogs files, the regions with the oldest edits are flushed, however small they are. The logs should hold at least what the memstore does; with multiwal each log has its own limit.",
			Bad: "heap 32g\nhbase.regionserver.maxlogs=8", Good: "heap 32g\nhbase.regionserver.maxlogs=128",
			check: walForcesFlushes,
		},
		{
			Code: "wal-off", Severity: Warning, Title: "A write-ahead log that is switched off",
			Doc: "What has not been flushed is lost when a server dies, and replication has nothing to read. To load much data at once use bulk load, or durability SKIP_WAL for one table.",
			Bad: "hbase.regionserver.hlog.enabled=false", Good: "hbase.regionserver.hlog.enabled=true",
			check: walOff,
		},
		{
			Code: "split-storm", Severity: Error, Title: "Regions that split without end",
			Doc: "hbase.hregion.max.filesize counts bytes. Below 2 MB HBase refuses new tables, and existing ones split again and again.",
			Bad: "hbase.hregion.max.filesize=256", Good: "hbase.hregion.max.filesize=10737418240",
			check: splitStorm,
		},
		{
			Code: "split-below-flush", Severity: Warning, Title: "Regions that split at every flush",
			Doc: "Where a region may hold hardly more than one flush, each flush leads to a split, and the number of regions grows until the servers give up.",
			Bad: "hbase.hregion.max.filesize=67108864", Good: "hbase.hregion.max.filesize=10737418240",
			check: splitBelowFlush,
		},
		{
			Code: "huge-max-filesize", Severity: Warning, Title: "A huge region size meant to stop splits",
			Doc: "HBase adds up to a quarter to the size at random. Added to a huge number that overflowed in some versions, and everything split. A split policy that never splits says what is meant.",
			Bad: "hbase.hregion.max.filesize=9223372036854775000", Good: "hbase.regionserver.region.split.policy=org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy",
			check: hugeMaxFileSize,
		},
	}
}

// rollSize is the size at which a log file is rolled; false where the block
// size of the file system decides, which is then taken as 128 MB.
func (f *facts) rollSize() (bytes float64, known bool) {
	block := float64(f.long(walBlockSize, 0))
	multiplier := f.float(walMultiplier, 0.5)
	if block > 0 {
		return block * multiplier, true
	}
	block = 256 << 20 // twice that of the file system
	if hbaseconf.VersionBefore(f.version, "2.0") {
		block = 128 << 20
	}
	return block * multiplier, false
}

func walForcesFlushes(f *facts) []Finding {
	memstore, known := f.globalMemstore()
	logs := f.long(maxLogs, 0)
	if !known || !f.isSet(maxLogs) || logs <= 0 {
		return nil
	}
	roll, exact := f.rollSize()
	each := logs
	logs *= hbaseconf.WALCount(f.get)
	if float64(logs)*roll >= memstore {
		return nil
	}
	about := ""
	if !exact {
		about = "about "
	}
	return []Finding{f.at(maxLogs, "%s of %s%s hold %s, where the memstore may hold %s: flushes are forced by log count long before it is full",
		count(logs, "log file"), about, size(roll), size(float64(logs)*roll), size(memstore)).
		write("%s=%d, or leave it out: HBase computes it", maxLogs, int64(math.Ceil(2*memstore/roll*float64(each)/float64(logs))))}
}

func walOff(f *facts) []Finding {
	enabled, err := f.conf.Bool(walEnabled, true)
	return when(err == nil && !enabled, func() Finding {
		return f.at(walEnabled, "switches the write-ahead log off: what is not flushed is lost when a server dies").write("%s=true", walEnabled)
	})
}

// leastFileSize is the least that HBase takes for a table.
const leastFileSize = 2 << 20

func splitStorm(f *facts) []Finding {
	bytes := f.long(maxFileSize, leastFileSize)
	return when(f.isSet(maxFileSize) && bytes < leastFileSize, func() Finding {
		x := f.at(maxFileSize, "is %s bytes, not megabytes or gigabytes: regions split without end, and new tables are refused below 2 MB", grouped(bytes))
		switch {
		case bytes >= 1 && bytes <= 100:
			x = x.write("%s=%d (%d GB)", maxFileSize, bytes<<30, bytes)
		case bytes > 100:
			x = x.write("%s=%d if megabytes were meant, or the default of 10737418240", maxFileSize, bytes<<20)
		}
		return x
	})
}

func splitBelowFlush(f *facts) []Finding {
	name, set := f.anySet(maxFileSize, flushSize)
	bytes, flush := f.long(maxFileSize, 0), f.long(flushSize, 0)
	return when(set && bytes >= leastFileSize && bytes < 2*flush, func() Finding {
		return f.at(name, "a region splits at %s, hardly more than one flush of %s", size(float64(bytes)), size(float64(flush))).
			write("%s=10737418240", maxFileSize)
	})
}

// hugeFileSize is what no region will ever reach.
const hugeFileSize = 1 << 50

func hugeMaxFileSize(f *facts) []Finding {
	bytes := f.long(maxFileSize, 0)
	return when(f.isSet(maxFileSize) && bytes >= hugeFileSize, func() Finding {
		return f.at(maxFileSize, "%s is never reached, which is meant to stop splits; in some versions the jitter overflowed on such values and split everything", size(float64(bytes))).
			write("%s=org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy", splitPolicy)
	})
}
