package lint

import "hbtune/hbaseconf"

// Names of the properties that rules look at by themselves.
const (
	handlerCount   = hbaseconf.HandlerCount
	flushSize      = hbaseconf.FlushSize
	maxFileSize    = hbaseconf.MaxFileSize
	memstoreSize   = hbaseconf.MemstoreSize
	blockCacheSize = hbaseconf.BlockCacheSize

	memstoreOld     = "hbase.regionserver.global.memstore.upperLimit"
	memstoreLow     = "hbase.regionserver.global.memstore.size.lower.limit"
	memstoreLowOld  = "hbase.regionserver.global.memstore.lowerLimit"
	memstoreOffHeap = "hbase.regionserver.offheap.global.memstore.size"
	blockCacheBytes = "hfile.block.cache.memory.size"
	blockMultiplier = "hbase.hregion.memstore.block.multiplier"

	bucketEngine     = "hbase.bucketcache.ioengine"
	bucketSize       = "hbase.bucketcache.size"
	bucketPercentage = "hbase.bucketcache.percentage.in.combinedcache"

	queueType       = "hbase.ipc.server.callqueue.type"
	readRatio       = "hbase.ipc.server.callqueue.read.ratio"
	scanRatio       = "hbase.ipc.server.callqueue.scan.ratio"
	queueLength     = "hbase.ipc.server.max.callqueue.length"
	queueBytes      = "hbase.ipc.server.max.callqueue.size"
	allocatorBuffer = "hbase.server.allocator.buffer.size"
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
	blockingFiles     = "hbase.hstore.blockingStoreFiles"
	throughputLow     = "hbase.hstore.compaction.throughput.lower.bound"
	throughputHigh    = "hbase.hstore.compaction.throughput.higher.bound"
	throughputOffPeak = "hbase.hstore.compaction.throughput.offpeak"
	offPeakStart      = "hbase.offpeak.start.hour"

	walProvider   = "hbase.wal.provider"
	walEnabled    = "hbase.regionserver.hlog.enabled"
	walBlockSize  = "hbase.regionserver.hlog.blocksize"
	walMultiplier = "hbase.regionserver.logroll.multiplier"
	maxLogs       = "hbase.regionserver.maxlogs"
	mslabEnabled  = "hbase.hregion.memstore.mslab.enabled"
)
