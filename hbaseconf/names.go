package hbaseconf

// Names of the properties that this package or another one treats by itself.
// All other code takes names from the catalogue or from what it was given.
const (
	HandlerCount   = "hbase.regionserver.handler.count"
	FlushSize      = "hbase.hregion.memstore.flush.size"
	MaxFileSize    = "hbase.hregion.max.filesize"
	MemstoreSize   = "hbase.regionserver.global.memstore.size"
	BlockCacheSize = "hfile.block.cache.size"

	MemstoreSizeOld    = "hbase.regionserver.global.memstore.upperLimit"
	MemstoreLowMark    = "hbase.regionserver.global.memstore.size.lower.limit"
	MemstoreLowMarkOld = "hbase.regionserver.global.memstore.lowerLimit"
	BlockCacheBytes    = "hfile.block.cache.memory.size"
	BucketEngine       = "hbase.bucketcache.ioengine"
	BucketSize         = "hbase.bucketcache.size"
	QueueLength        = "hbase.ipc.server.max.callqueue.length"
	AllocatorBuffer    = "hbase.server.allocator.buffer.size"
	WALBlockSize       = "hbase.regionserver.hlog.blocksize"
	WALMultiplier      = "hbase.regionserver.logroll.multiplier"
	BlockMultiplier    = "hbase.hregion.memstore.block.multiplier"
	QueueBytes         = "hbase.ipc.server.max.callqueue.size"
	ReadRatio          = "hbase.ipc.server.callqueue.read.ratio"
	ScanRatio          = "hbase.ipc.server.callqueue.scan.ratio"
	BlockingFiles      = "hbase.hstore.blockingStoreFiles"
	MaxLogs            = "hbase.regionserver.maxlogs"
	WALProvider        = "hbase.wal.provider"
	WALGroups          = "hbase.wal.regiongrouping.numgroups"
	ThroughputLow      = "hbase.hstore.compaction.throughput.lower.bound"
	ThroughputHigh     = "hbase.hstore.compaction.throughput.higher.bound"

	memstoreMin      = "hbase.regionserver.global.memstore.size.min.range"
	memstoreMax      = "hbase.regionserver.global.memstore.size.max.range"
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
	bucketSizes  = "hbase.bucketcache.bucket.sizes"
	bucketAccept = "hbase.bucketcache.acceptfactor"
	bucketMin    = "hbase.bucketcache.minfactor"
	bucketExtra  = "hbase.bucketcache.extrafreefactor"
	bucketSingle = "hbase.bucketcache.single.factor"
	bucketMulti  = "hbase.bucketcache.multi.factor"
	bucketMemory = "hbase.bucketcache.memory.factor"

	mslabChunk       = "hbase.hregion.memstore.mslab.chunksize"
	mslabAllocation  = "hbase.hregion.memstore.mslab.max.allocation"
	flushPerChanges  = "hbase.regionserver.flush.per.changes"
	smallCompactions = "hbase.regionserver.thread.compaction.small"
	hfileVersion     = "hfile.format.version"

	handlerFactor  = "hbase.ipc.server.callqueue.handler.factor"
	sessionTimeout = "zookeeper.session.timeout"
)
