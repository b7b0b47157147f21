package hbaseconf

import (
	"errors"
	"testing"
)

func settings(pairs ...string) Settings {
	var s Settings
	for i := 0; i < len(pairs); i += 2 {
		s = s.With(Setting{Name: pairs[i], Value: Value(pairs[i+1])})
	}
	return s
}

const gib = int64(1) << 30

func TestFeasible(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings Settings
		heap     int64
		want     string // empty: feasible
	}{
		{"defaults", settings(), gib, ""},
		{"shares cut to whole percent", settings(MemstoreSize, "0.404", BlockCacheSize, "0.404"), gib, ""},
		{"0.53 counts as 52", settings(MemstoreSize, "0.53", BlockCacheSize, "0.28"), gib, ""},
		{"0.59 counts as 58", settings(MemstoreSize, "0.59", BlockCacheSize, "0.22"), gib, ""},
		{"exactly 0.8", settings(MemstoreSize, "0.8", BlockCacheSize, "0"), gib, ""},
		{"one percent too much", settings(BlockCacheSize, "0.41"), gib, MemstoreSize + ", " + BlockCacheSize + ": memstore 40 % + block cache 41 % + free 20 % = 101 % of the heap, more than all of it"},
		{"old name counts", settings(MemstoreSizeOld, "0.5"), gib, MemstoreSize + ", " + BlockCacheSize + ": memstore 50 % + block cache 40 % + free 20 % = 110 % of the heap, more than all of it"},
		{"new name wins", settings(MemstoreSizeOld, "0.5", MemstoreSize, "0.3"), gib, ""},
		{"silently replaced", settings(MemstoreSize, "0.9", BlockCacheSize, "0.2"), gib, MemstoreSize + ": 0.9 lies outside of (0, 0.8]: HBase would silently take 0.4"},
		{"cache in bytes wins", settings(BlockCacheSize, "0.1", BlockCacheBytes, "512m"), gib, MemstoreSize + ", " + BlockCacheBytes + ": memstore 40 % + block cache 50 % + free 20 % = 110 % of the heap, more than all of it"},
		{"cache in bytes fits", settings(BlockCacheSize, "0.7", BlockCacheBytes, "256m"), gib, ""},
		{"cache in bytes, heap unknown", settings(BlockCacheBytes, "256m"), 0, ""},
		{"free heap 0 lifts the check", settings(freeHeap, "0", BlockCacheSize, "0.6"), gib, ""},
		{"free heap in bytes", settings(freeHeap, "512m"), gib, MemstoreSize + ", " + BlockCacheSize + ", " + freeHeap + ": memstore 40 % + block cache 40 % + free 50 % = 130 % of the heap, more than all of it"},
		{"not a number", settings(BlockCacheSize, "40%"), gib, BlockCacheSize + `: "40%" is not a number to HBase`},
		{"float with a suffix", settings(BlockCacheSize, "0.3f"), gib, ""},
		{"tuner's bounds", settings(memstoreMax, "0.5"), gib, memstoreMax + ", " + blockCacheMin + ": the heap tuner's bounds, memstore 50 % + block cache 40 % + free 20 %, are more than the heap"},
		{"tuner's bounds fit", settings(memstoreMax, "0.5", blockCacheMin, "0.3"), gib, ""},
		{"unknown policy", settings(blockCachePolicy, "lfu"), gib, blockCachePolicy + `: "lfu" is no policy; give LRU, TinyLFU, AdaptiveLRU or IndexOnlyLRU`},
		{"policy in any case", settings(blockCachePolicy, "tinylfu"), gib, ""},
		{"LRU factors", settings(lruMin, "0.99"), gib, lruMin + ", " + lruAcceptable + ": 0.99 must be below 0.99"},
		{"LRU shares", settings(lruSingle, "0.3"), gib, lruSingle + ", " + lruMulti + ", " + lruMemory + ": 0.3 + 0.5 + 0.25 must make exactly 1, none below 0"},
		{"bucket cache", settings(BucketEngine, "offheap", BucketSize, "29"), gib, ""},
		{"bucket cache too small", settings(BucketEngine, "offheap", BucketSize, "28"), gib, BucketSize + ", " + bucketSizes + ": 28 MB hold not even one bucket of each of the 14 sizes; at least 29 MB"},
		{"bucket cache as a share", settings(BucketEngine, "offheap", BucketSize, "0.3"), gib, BucketSize + ": 0.3 MB is less than 1 MB, the least that HBase takes"},
		{"bucket cache without size", settings(BucketEngine, "offheap"), gib, BucketSize + ": 0 MB is less than 1 MB, the least that HBase takes"},
		{"bucket engine of 1.x", settings(BucketEngine, "heap", BucketSize, "512"), gib, BucketEngine + `: "heap" is no engine; give offheap, file:…, files:…, mmap:… or pmem:…`},
		{"no cache, so no bucket cache either", settings(BucketEngine, "heap", BlockCacheSize, "0"), gib, ""},
		{"bucket sizes", settings(BucketEngine, "offheap", BucketSize, "64", bucketSizes, "5120,5000"), gib, bucketSizes + ": 5000 is no multiple of 256"},
		{"bucket factors", settings(BucketEngine, "offheap", BucketSize, "64", bucketSingle, "0.5"), gib, bucketSingle + ", " + bucketMulti + ", " + bucketMemory + ": 0.5 + 0.5 + 0.25 must make exactly 1"},
		{"no handlers", settings(HandlerCount, "0"), gib, HandlerCount + ": with no handler every call is refused"},
		{"queue of nothing", settings(QueueLength, "0"), gib, QueueLength + ": a queue of no calls refuses every call"},
		{"cell larger than chunk", settings(mslabAllocation, "4194304"), gib, mslabAllocation + ", " + mslabChunk + ": 4194304 must not be above the chunk size, 2097152: regions would not open"},
		{"two faults", settings(BlockCacheSize, "0.5", smallCompactions, "0"), gib, MemstoreSize + ", " + BlockCacheSize + ": memstore 40 % + block cache 50 % + free 20 % = 110 % of the heap, more than all of it; " + smallCompactions + ": must be at least 1"},
	} {
		err := Feasible(c.settings, c.heap)
		got := ""
		if err != nil {
			got = err.Error()
			var infeasible *InfeasibleError
			if !errors.As(err, &infeasible) {
				t.Errorf("%s: untyped error %T", c.name, err)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
