package metrics

import "slices"

// kind tells how a figure is to be read.
type kind int

const (
	counter kind = iota // grows from 0 since the server started
	gauge               // what is now; over several servers, the sum
	peak                // a gauge of which the largest of several servers tells
	level               // a share, of which the mean over several servers tells
)

// figure is one attribute of a bean under the name that this package gives it.
// Names carry their unit; those without count events or things.
type figure struct {
	name      string
	attribute string
	kind      kind
}

// source is a bean with the figures that are taken from it. The essential ones
// exist in every version of HBase: an answer without them is a gap.
type source struct {
	pattern   string
	essential []figure
	further   []figure // not in all versions, or not in all set-ups
}

// sources lists what a Snapshot is made of.
func sources() []source {
	return []source{
		{
			pattern: "Hadoop:service=HBase,name=RegionServer,sub=Server",
			essential: []figure{
				{"requests", "totalRequestCount", counter},
				{"read_requests", "readRequestCount", counter},
				{"write_requests", "writeRequestCount", counter},
				{"block_hits", "blockCacheHitCount", counter},
				{"block_misses", "blockCacheMissCount", counter},
				{"data_block_hits", "blockCacheDataHitCount", counter},
				{"data_block_misses", "blockCacheDataMissCount", counter},
				{"block_evictions", "blockCacheEvictionCount", counter},
				{"block_cache_bytes", "blockCacheSize", gauge},
				{"block_cache_free_bytes", "blockCacheFreeSize", gauge},
				{"block_cache_blocks", "blockCacheCount", gauge},
				{"memstore_bytes", "memStoreSize", gauge},
				{"regions", "regionCount", gauge},
				{"stores", "storeCount", gauge},
				{"store_files", "storeFileCount", gauge},
				{"store_file_bytes", "storeFileSize", gauge},
				{"flush_queue", "flushQueueLength", gauge},
				{"compaction_queue", "compactionQueueLength", gauge},
				{"flushes", "FlushTime_num_ops", counter},
				{"updates_blocked_ms", "updatesBlockedTime", counter},
			},
			further: []figure{
				{"row_actions", "totalRowActionRequestCount", counter},
				{"filtered_read_requests", "filteredReadRequestCount", counter},
				{"rpc_gets", "rpcGetRequestCount", counter},
				{"rpc_scans", "rpcScanRequestCount", counter},
				{"rpc_multis", "rpcMultiRequestCount", counter},
				{"rpc_mutates", "rpcMutateRequestCount", counter},
				{"block_bytes_scanned", "blockBytesScannedCount", counter},
				{"block_caching_hits", "blockCacheHitCachingCount", counter},
				{"block_caching_misses", "blockCacheMissCachingCount", counter},
				{"block_insert_failures", "blockCacheFailedInsertionCount", counter},
				{"data_blocks_cached", "blockCacheDataBlockCount", gauge},
				{"leaf_index_block_hits", "blockCacheLeafIndexHitCount", counter},
				{"leaf_index_block_misses", "blockCacheLeafIndexMissCount", counter},
				{"intermediate_index_block_hits", "blockCacheIntermediateIndexHitCount", counter},
				{"intermediate_index_block_misses", "blockCacheIntermediateIndexMissCount", counter},
				{"root_index_block_hits", "blockCacheRootIndexHitCount", counter},
				{"root_index_block_misses", "blockCacheRootIndexMissCount", counter},
				{"bloom_block_hits", "blockCacheBloomChunkHitCount", counter},
				{"bloom_block_misses", "blockCacheBloomChunkMissCount", counter},
				{"meta_block_hits", "blockCacheMetaHitCount", counter},
				{"meta_block_misses", "blockCacheMetaMissCount", counter},
				{"l1_hits", "l1CacheHitCount", counter},
				{"l1_misses", "l1CacheMissCount", counter},
				{"l1_evictions", "l1CacheEvictionCount", counter},
				{"l1_bytes", "l1CacheSize", gauge},
				{"l2_hits", "l2CacheHitCount", counter},
				{"l2_misses", "l2CacheMissCount", counter},
				{"l2_evictions", "l2CacheEvictionCount", counter},
				{"l2_bytes", "l2CacheSize", gauge},
				{"memstore_heap_bytes", "memStoreHeapSize", gauge},
				{"memstore_offheap_bytes", "memStoreOffHeapSize", gauge},
				{"small_compaction_queue", "smallCompactionQueueLength", gauge},
				{"large_compaction_queue", "largeCompactionQueueLength", gauge},
				{"split_queue", "splitQueueLength", gauge},
				{"flushed_bytes", "flushedOutputBytes", counter},
				{"flushed_memstore_bytes", "flushedMemstoreBytes", counter},
				{"flushed_cells", "flushedCellsCount", counter},
				{"compactions", "CompactionTime_num_ops", counter},
				{"compacted_input_bytes", "compactedInputBytes", counter},
				{"compacted_output_bytes", "compactedOutputBytes", counter},
				{"compacted_cells", "compactedCellsCount", counter},
				{"major_compactions", "MajorCompactionTime_num_ops", counter},
				{"major_compacted_input_bytes", "majorCompactedInputBytes", counter},
				{"major_compacted_output_bytes", "majorCompactedOutputBytes", counter},
				{"splits", "splitSuccessCount", counter},
				{"blocked_requests", "blockedRequestCount", counter},
				{"slow_gets", "slowGetCount", counter},
				{"slow_puts", "slowPutCount", counter},
				{"mutations_without_wal", "mutationsWithoutWALCount", counter},
				{"wal_files", "hlogFileCount", gauge},
				{"wal_file_bytes", "hlogFileSize", gauge},
				{"max_store_files", "maxStoreFileCount", peak},
				{"local_files_percent", "percentFilesLocal", level},
				// Pauses of a second and more. The source names the histograms
				// pauseTimeWithGc and pauseTimeWithoutGc, and HBase capitalizes the
				// names of histograms. Counts are since the start; the maximum is
				// that since the figures were sampled last.
				{"gc_pauses", "PauseTimeWithGc_num_ops", counter},
				{"gc_pause_max_ms", "PauseTimeWithGc_max", peak},
				{"other_pauses", "PauseTimeWithoutGc_num_ops", counter},
				{"other_pause_max_ms", "PauseTimeWithoutGc_max", peak},
				{"buffer_heap_bytes", "ByteBuffAllocatorHeapAllocationBytes", counter},
				{"buffer_pool_bytes", "ByteBuffAllocatorPoolAllocationBytes", counter},
			},
		},
		{
			pattern: "Hadoop:service=HBase,name=RegionServer,sub=IPC",
			essential: []figure{
				{"call_queue_bytes", "queueSize", gauge},
				{"general_queue_calls", "numCallsInGeneralQueue", gauge},
				{"active_handlers", "numActiveHandler", gauge},
				{"open_connections", "numOpenConnections", gauge},
				{"received_bytes", "receivedBytes", counter},
				{"sent_bytes", "sentBytes", counter},
			},
			further: []figure{
				{"calls", "TotalCallTime_num_ops", counter},
				{"read_queue_calls", "numCallsInReadQueue", gauge},
				{"write_queue_calls", "numCallsInWriteQueue", gauge},
				{"scan_queue_calls", "numCallsInScanQueue", gauge},
				{"priority_queue_calls", "numCallsInPriorityQueue", gauge},
				{"active_general_handlers", "numActiveGeneralHandler", gauge},
				{"active_read_handlers", "numActiveReadHandler", gauge},
				{"active_write_handlers", "numActiveWriteHandler", gauge},
				{"active_scan_handlers", "numActiveScanHandler", gauge},
				{"calls_dropped", "numGeneralCallsDropped", counter},
				{"exceptions", "exceptions", counter},
				{"exceptions_call_queue_too_big", "exceptions.callQueueTooBig", counter},
				{"exceptions_call_timed_out", "exceptions.callTimedOut", counter},
				{"exceptions_region_too_busy", "exceptions.RegionTooBusyException", counter},
				{"exceptions_region_moved", "exceptions.RegionMovedException", counter},
				{"exceptions_not_serving_region", "exceptions.NotServingRegionException", counter},
				{"netty_direct_bytes", "nettyDirectMemoryUsage", gauge},
			},
		},
		{
			// Comes into being with the first region.
			pattern: "Hadoop:service=HBase,name=RegionServer,sub=WAL",
			further: []figure{
				{"wal_appends", "appendCount", counter},
				{"wal_bytes", "writtenBytes", counter},
				{"wal_syncs", "SyncTime_num_ops", counter},
				{"wal_slow_appends", "slowAppendCount", counter},
				{"wal_rolls", "rollRequest", counter},
			},
		},
	}
}

// processorLoad are the attributes of the Java machine that tell how busy the
// whole machine has been, the newer name first: it came with Java 14. They tell
// of the time since one of them was read last, so that the bean as a whole, which
// reads both, would tell of the moment between the two. They are below 0 where
// the load is not known.
func processorLoad() []string { return []string{"CpuLoad", "SystemCpuLoad"} }

// machineCPU is the gauge made of it.
const machineCPU = "machine_cpu_share"

// notSummed are the gauges of which several servers' are not added up.
func notSummed() map[string]kind {
	list := map[string]kind{machineCPU: level}
	for _, source := range sources() {
		for _, f := range slices.Concat(source.essential, source.further) {
			if f.kind == peak || f.kind == level {
				list[f.name] = f.kind
			}
		}
	}
	return list
}
