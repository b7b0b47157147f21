package hbaseconf

// Names of the properties that this package or another one treats by itself.
// All other code takes names from the catalogue or from what it was given.
const (
	HandlerCount   = "hbase.regionserver.handler.count"
	FlushSize      = "hbase.hregion.memstore.flush.size"
	MaxFileSize    = "hbase.hregion.max.filesize"
	MemstoreSize   = "hbase.regionserver.global.memstore.size"
	BlockCacheSize = "hfile.block.cache.size"

	memstoreOld      = "hbase.regionserver.global.memstore.upperLimit"
	memstoreLow      = "hbase.regionserver.global.memstore.size.lower.limit"
	memstoreLowOld   = "hbase.regionserver.global.memstore.lowerLimit"
	memstoreMin      = "hbase.regionserver.global.memstore.size.min.range"
	memstoreMax      = "hbase.regionserver.global.memstore.size.max.range"
	blockCacheBytes  = "hfile.block.cache.memory.size"
	blockCacheMin    = "hfile.block.cache.size.min.range"
	blockCacheMax    = "hfile.block.cache.size.max.range"
	minBlock         = "hbase.blockcache.minblocksize"
	blockCachePolicy = "hfile.block.cache.policy"
	freeHeap         = "hbase.regionserver.free.heap.min.memory.size"

	lruMin        = "hbase.lru.blockcache.min.factor"
	lruAcceptable = "hbase.lru.blockcache.acceptable.factor"
	lruSingle     = "hbase.lru.blockcache.single.percentage"
	lruMulti      = "hbase.lru.blockcache.multi.percentage"
	lruMemory     = "hbase.lru.blockcache.memory.percentage"

	bucketPrefix = "hbase.bucketcache."
	bucketEngine = "hbase.bucketcache.ioengine"
	bucketSize   = "hbase.bucketcache.size"
	bucketSizes  = "hbase.bucketcache.bucket.sizes"
	bucketAccept = "hbase.bucketcache.acceptfactor"
	bucketMin    = "hbase.bucketcache.minfactor"
	bucketExtra  = "hbase.bucketcache.extrafreefactor"
	bucketSingle = "hbase.bucketcache.single.factor"
	bucketMulti  = "hbase.bucketcache.multi.factor"
	bucketMemory = "hbase.bucketcache.memory.factor"

	queueLength       = "hbase.ipc.server.max.callqueue.length"
	allocatorBuffer   = "hbase.server.allocator.buffer.size"
	mslabChunk        = "hbase.hregion.memstore.mslab.chunksize"
	mslabAllocation   = "hbase.hregion.memstore.mslab.max.allocation"
	flushPerChanges   = "hbase.regionserver.flush.per.changes"
	smallCompactions  = "hbase.regionserver.thread.compaction.small"
	walBlockSize      = "hbase.regionserver.hlog.blocksize"
	walRollMultiplier = "hbase.regionserver.logroll.multiplier"
	hfileVersion      = "hfile.format.version"
)
