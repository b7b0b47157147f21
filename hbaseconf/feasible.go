package hbaseconf

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Feasible refuses settings with which a RegionServer would not start, would
// open no region or answer no call, or would silently run with another value.
// The settings are all that is effective; what is missing has HBase's default.
// heapBytes is the maximum of the heap, 0 if unknown. The error is an
// *InfeasibleError that lists every reason.
func Feasible(effective Settings, heapBytes int64) error {
	get := func(name string) (string, bool) {
		value, ok := effective.Get(name)
		return string(value), ok
	}
	f := &feasibility{reading: reading{get: get}}
	f.heap(heapBytes)
	f.readable(effective)
	f.lru()
	f.bucketCache()
	f.limits()
	f.conflicts = append(f.conflicts, f.faults...)
	if f.conflicts == nil {
		return nil
	}
	return &InfeasibleError{Conflicts: unique(f.conflicts)}
}

type feasibility struct {
	reading
	noCache   bool // the on-heap block cache is off, and any other with it
	conflicts []Conflict
}

func (f *feasibility) refuse(reason string, properties ...string) {
	f.conflicts = append(f.conflicts, conflict(reason, properties...))
}

// unique drops what was found twice, in different checks.
func unique(conflicts []Conflict) []Conflict {
	seen := map[string]bool{}
	var out []Conflict
	for _, c := range conflicts {
		key := strings.Join(c.Properties, " ") + c.Reason
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// readable refuses texts that a daemon cannot read as their type, where it
// reads them.
func (f *feasibility) readable(effective Settings) {
	for name, value := range effective.All() {
		if strings.HasPrefix(name, bucketPrefix) && !f.hasBucketCache() || name == BlockCacheSize && f.size(BlockCacheBytes) > 0 {
			continue
		}
		if p, ok := Builtin().Lookup(name); ok && !p.Takes(NoEffect) {
			if err := p.readable(string(value)); err != nil {
				f.refuse(fmt.Sprintf("%q %v", value, err), name)
			}
		}
	}
}

func (f *feasibility) heap(heapBytes int64) {
	h, err := HeapOf(f.get, heapBytes)
	if err != nil {
		return // readable or a later reading tells
	}
	f.noCache = h.BlockCache <= 0.0001 && (h.Bytes > 0 || !h.cacheInBytes)
	if h.Replaced != 0 || h.Memstore != h.Memstore {
		name := either(f.isSet(MemstoreSize), MemstoreSize, MemstoreSizeOld)
		f.refuse(fmt.Sprintf("%v lies outside of (0, 0.8]: HBase would silently take 0.4", h.Replaced), name)
	}
	if h.BlockCache > 1 {
		f.refuse("the block cache would be larger than the heap", h.cacheName())
	}
	var sum *InfeasibleError
	if errors.As(h.Fits(), &sum) {
		f.conflicts = append(f.conflicts, sum.Conflicts...)
		return
	}
	f.tunerRanges(h)
}

// tunerRanges checks the bounds that HBase's own heap tuner may move within;
// those that leave out the value at start are widened to it.
func (f *feasibility) tunerRanges(h Heap) {
	if h.Bytes <= 0 && (h.cacheInBytes || h.freeInBytes) {
		return
	}
	check := func(memstoreName string, memstore float32, cacheName string, cache float32) {
		if !f.isSet(memstoreName) && !f.isSet(cacheName) {
			return
		}
		m, c, free := percent(memstore), percent(cache), percent(h.MinFree)
		if m+c > 100-free {
			f.refuse(fmt.Sprintf("the heap tuner's bounds, memstore %d %% + block cache %d %% + free %d %%, are more than the heap", m, c, free), memstoreName, cacheName)
		}
	}
	check(memstoreMax, max(h.Memstore, f.float(memstoreMax, h.Memstore)), blockCacheMin, min(h.BlockCache, f.float(blockCacheMin, h.BlockCache)))
	check(memstoreMin, min(h.Memstore, f.float(memstoreMin, h.Memstore)), blockCacheMax, max(h.BlockCache, f.float(blockCacheMax, h.BlockCache)))
}

func (f *feasibility) lru() {
	if f.noCache {
		return
	}
	policy, ok := f.get(blockCachePolicy)
	p, _ := Builtin().Lookup(blockCachePolicy)
	if _, known := p.Range.word(policy); ok && !known {
		f.refuse(fmt.Sprintf("%q is no policy; give %v", policy, p.Range), blockCachePolicy)
		return
	}
	if strings.EqualFold(policy, "TinyLFU") {
		return // has none of the factors
	}
	single, multi, memory := f.float(lruSingle, 0.25), f.float(lruMulti, 0.5), f.float(lruMemory, 0.25)
	if single+multi+memory != 1 || single < 0 || multi < 0 || memory < 0 {
		f.refuse(fmt.Sprintf("%v + %v + %v must make exactly 1, none below 0", single, multi, memory), lruSingle, lruMulti, lruMemory)
	}
	low, acceptable := f.float(lruMin, 0.95), f.float(lruAcceptable, 0.99)
	if low >= acceptable {
		f.refuse(fmt.Sprintf("%v must be below %v", low, acceptable), lruMin, lruAcceptable)
	} else if low >= 1 || acceptable >= 1 {
		f.refuse("must be below 1", lruMin, lruAcceptable)
	}
}

func (f *feasibility) hasBucketCache() bool {
	engine, _ := f.get(BucketEngine)
	return engine != "" && !f.noCache
}

func (f *feasibility) bucketCache() {
	if !f.hasBucketCache() {
		return
	}
	engine, _ := f.get(BucketEngine)
	p, _ := Builtin().Lookup(BucketEngine)
	if word, known := p.Range.word(engine); !known || word != engine {
		f.refuse(fmt.Sprintf("%q is no engine; give %v", engine, p.Range), BucketEngine)
	}
	megabytes := f.float(BucketSize, 0)
	if megabytes < 1 {
		f.refuse(fmt.Sprintf("%v MB is less than 1 MB, the least that HBase takes", megabytes), BucketSize)
		return
	}
	capacity := toLong(float64(megabytes * 1024 * 1024))
	if block := f.long(minBlock, 65536); block > 0 && capacity/block >= math.MaxInt32 {
		f.refuse(fmt.Sprintf("%v MB are more blocks of %d bytes than the cache can count", megabytes, block), BucketSize, minBlock)
	}
	f.bucketSizes(capacity)
	f.bucketFactors()
}

// defaultBucketCount and defaultLargestBucket describe the sizes that HBase
// takes where none are set.
const (
	defaultBucketCount   = 14
	defaultLargestBucket = 513 * 1024
)

func (f *feasibility) bucketSizes(capacity int64) {
	count, largest := int64(defaultBucketCount), int64(defaultLargestBucket)
	if text, ok := f.get(bucketSizes); ok {
		count, largest = 0, 0
		for part := range strings.SplitSeq(text, ",") {
			size, err := javaInteger(part, 32)
			if err != nil {
				continue // readable tells
			}
			if size <= 0 || size%256 != 0 {
				f.refuse(fmt.Sprintf("%d is no multiple of 256", size), bucketSizes)
				return
			}
			count, largest = count+1, max(largest, size)
		}
		if count == 0 {
			return
		}
	}
	if need := count * 4 * largest; capacity/(4*largest) < count {
		f.refuse(fmt.Sprintf("%d MB hold not even one bucket of each of the %d sizes; at least %d MB", capacity>>20, count, (need+1<<20-1)>>20), BucketSize, bucketSizes)
	}
}

func (f *feasibility) bucketFactors() {
	accept, low := f.float(bucketAccept, 0.95), f.float(bucketMin, 0.85)
	single, multi, memory := f.float(bucketSingle, 0.25), f.float(bucketMulti, 0.5), f.float(bucketMemory, 0.25)
	for _, factor := range []struct {
		name  string
		value float32
	}{{bucketAccept, accept}, {bucketMin, low}, {bucketSingle, single}, {bucketMulti, multi}, {bucketMemory, memory}} {
		if !(factor.value >= 0 && factor.value <= 1) {
			f.refuse(fmt.Sprintf("%v must lie in 0 to 1", factor.value), factor.name)
		}
	}
	if low > accept {
		f.refuse(fmt.Sprintf("%v must not be above %v", low, accept), bucketMin, bucketAccept)
	}
	if f.float(bucketExtra, 0.1) < 0 {
		f.refuse("must not be below 0", bucketExtra)
	}
	if single+multi+memory != 1 {
		f.refuse(fmt.Sprintf("%v + %v + %v must make exactly 1", single, multi, memory), bucketSingle, bucketMulti, bucketMemory)
	}
}

// limits are the checks that look at one or two numbers.
func (f *feasibility) limits() {
	if f.isSet(HandlerCount) && !f.isSet(QueueLength) && f.long(HandlerCount, 30) <= 0 {
		f.refuse("with no handler every call is refused", HandlerCount)
	}
	if f.long(QueueLength, 1) <= 0 {
		f.refuse("a queue of no calls refuses every call", QueueLength)
	}
	if f.long(AllocatorBuffer, 1) <= 0 {
		f.refuse("must be above 0", AllocatorBuffer)
	}
	if f.long(smallCompactions, 1) <= 0 {
		f.refuse("must be at least 1", smallCompactions)
	}
	if chunk, cell := f.long(mslabChunk, 2<<20), f.long(mslabAllocation, 256<<10); cell > chunk {
		f.refuse(fmt.Sprintf("%d must not be above the chunk size, %d: regions would not open", cell, chunk), mslabAllocation, mslabChunk)
	}
	if f.long(flushPerChanges, 1) > 1_000_000_000 {
		f.refuse("above 1000000000 regions would not open", flushPerChanges)
	}
	if f.long(FlushSize, 1) <= 0 {
		f.refuse("must be above 0", FlushSize)
	}
	if f.isSet(WALBlockSize) && toLong(float64(float32(f.long(WALBlockSize, 1))*f.float(WALMultiplier, 0.5))) <= 0 || f.float(WALMultiplier, 0.5) <= 0 {
		f.refuse("the size at which a log is rolled must be above 0", WALBlockSize, WALMultiplier)
	}
	if f.long(hfileVersion, 3) != 3 {
		f.refuse("must be 3", hfileVersion)
	}
}
