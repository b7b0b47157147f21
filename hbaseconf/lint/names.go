package lint

import "hbtune/hbaseconf"

// Names of the properties that rules look at by themselves.
const (
	handlerCount   = hbaseconf.HandlerCount
	flushSize      = hbaseconf.FlushSize
	maxFileSize    = hbaseconf.MaxFileSize
	memstoreSize   = hbaseconf.MemstoreSize
	blockCacheSize = hbaseconf.BlockCacheSize

	memstoreOld     = hbaseconf.MemstoreSizeOld
	memstoreLow     = hbaseconf.MemstoreLowMark
	memstoreLowOld  = hbaseconf.MemstoreLowMarkOld
	memstoreOffHeap = "hbase.regionserver.offheap.global.memstore.size"
	blockCacheBytes = hbaseconf.BlockCacheBytes
	blockMultiplier = hbaseconf.BlockMultiplier

	bucketEngine     = hbaseconf.BucketEngine
	bucketSize       = hbaseconf.BucketSize
	bucketPercentage = "hbase.bucketcache.percentage.in.combinedcache"

	queueType       = "hbase.ipc.server.callqueue.type"
	readRatio       = hbaseconf.ReadRatio
	scanRatio       = hbaseconf.ScanRatio
	queueLength     = hbaseconf.QueueLength
	queueBytes      = hbaseconf.QueueBytes
	allocatorBuffer = hbaseconf.AllocatorBuffer
	allocatorCount  = "hbase.server.allocator.max.buffer.count"
	allocatorPool   = "hbase.server.allocator.pool.enabled"
	rpcTimeout      = "hbase.rpc.timeout"
	operationLimit  = "hbase.client.operation.timeout"
	writeBuffer     = "hbase.client.write.buffer"

	splitPolicy       = "hbase.regionserver.region.split.policy"
	compactionMin     = "hbase.hstore.compaction.min"
	compactionMinOld  = "hbase.hstore.compactionThreshold"
	compactionMax     = "hbase.hstore.compaction.max"
	compactionMaxSize = "hbase.hstore.compaction.max.size"
	blockingFiles     = hbaseconf.BlockingFiles
	throughputLow     = hbaseconf.ThroughputLow
	throughputHigh    = hbaseconf.ThroughputHigh
	throughputOffPeak = "hbase.hstore.compaction.throughput.offpeak"
	offPeakStart      = "hbase.offpeak.start.hour"

	walProvider   = hbaseconf.WALProvider
	walEnabled    = "hbase.regionserver.hlog.enabled"
	walBlockSize  = hbaseconf.WALBlockSize
	walMultiplier = hbaseconf.WALMultiplier
	maxLogs       = hbaseconf.MaxLogs
	mslabEnabled  = "hbase.hregion.memstore.mslab.enabled"
)
