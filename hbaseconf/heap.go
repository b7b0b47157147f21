package hbaseconf

import (
	"fmt"
	"strings"
)

// Heap is how a RegionServer shares its heap out, with the numbers that it
// computes itself: shares in single precision, judged in whole percent cut off.
type Heap struct {
	Bytes      int64   // maximum of the heap, 0 if unknown
	Memstore   float32 // share of the heap
	LowMark    float32 // share of the memstore
	BlockCache float32 // share of the heap
	MinFree    float32 // share of the heap that must stay free
	// Replaced is what the file asked for where HBase silently takes 0.4 for the
	// memstore instead; else 0.
	Replaced float32
	// cacheInBytes and freeInBytes say that those shares come from an absolute
	// size, so that without the size of the heap they are not known.
	cacheInBytes, freeInBytes bool
}

const (
	defaultMemstore   = float32(0.4)
	defaultBlockCache = float32(0.4)
	defaultLowMark    = float32(0.95)
	defaultMinFree    = float32(0.2)
)

// HeapOf computes the shares as HBase 2.6.4 does. get returns the effective
// text of a property; heapBytes is the maximum of the heap, which with G1 is
// -Xmx. The error names a value that HBase cannot read.
func HeapOf(get func(name string) (string, bool), heapBytes int64) (Heap, error) {
	r := &reading{get: get}
	h := Heap{Bytes: heapBytes}
	asked := r.float(MemstoreSize, r.float(MemstoreSizeOld, defaultMemstore))
	h.Memstore = memstoreShare(asked)
	if h.Memstore != asked {
		h.Replaced = asked
	}
	h.LowMark = lowMark(r, h.Memstore)
	h.BlockCache, h.cacheInBytes = h.share(r, BlockCacheBytes, 1)
	if !h.cacheInBytes {
		h.BlockCache = r.float(BlockCacheSize, defaultBlockCache)
	}
	h.MinFree, h.freeInBytes = h.share(r, freeHeap, 0)
	if !h.freeInBytes {
		h.MinFree = defaultMinFree
	}
	return h, r.fault()
}

// memstoreShare replaces a share outside of (0, 0.8], as HBase does.
func memstoreShare(asked float32) float32 {
	if asked > 0.8 || asked <= 0 {
		return defaultMemstore
	}
	return asked
}

// share computes the share of an absolute size of at least the given number of
// bytes; false where none is set.
func (h Heap) share(r *reading, name string, least int64) (float32, bool) {
	size := r.size(name)
	if size < least {
		return 0, false
	}
	if h.Bytes <= 0 {
		return 0, true
	}
	return float32(size) / float32(h.Bytes), true
}

// lowMark is the share of the memstore at which flushes are forced. The old
// setting is a share of the heap.
func lowMark(r *reading, memstore float32) float32 {
	if r.isSet(MemstoreLowMark) {
		return min(r.float(MemstoreLowMark, 1), 1)
	}
	if !r.isSet(MemstoreLowMarkOld) {
		return defaultLowMark
	}
	return min(r.float(MemstoreLowMarkOld, 0), memstore) / memstore
}

// Fits is the rule by which a RegionServer, and the Master that reads the same
// file, refuse to start. The error is an *InfeasibleError.
func (h Heap) Fits() error {
	if h.Bytes <= 0 && (h.cacheInBytes || h.freeInBytes) {
		return nil // not known
	}
	memstore, cache, free := percent(h.Memstore), percent(h.BlockCache), percent(h.MinFree)
	if memstore+cache <= 100-free {
		return nil
	}
	return infeasible(fmt.Sprintf("memstore %d %% + block cache %d %% + free %d %% = %d %% of the heap, more than all of it",
		memstore, cache, free, memstore+cache+free), MemstoreSize, h.cacheName(), h.freeName())
}

func (h Heap) cacheName() string { return either(h.cacheInBytes, BlockCacheBytes, BlockCacheSize) }
func (h Heap) freeName() string  { return either(h.freeInBytes, freeHeap, "") }

// percent is a share in whole percent, in an integer of 32 bits that overflows as
// HBase's does.
func percent(share float32) int32 { return toInt(share * 100) }

// reading reads properties as Java would and keeps what could not be read.
type reading struct {
	get    func(name string) (string, bool)
	faults []Conflict
}

func (r *reading) isSet(name string) bool {
	_, ok := r.get(name)
	return ok
}

func (r *reading) unreadable(name, text string, err error) {
	r.faults = append(r.faults, Conflict{[]string{name}, fmt.Sprintf("%q %v", text, err)})
}

func (r *reading) float(name string, none float32) float32 {
	text, ok := r.get(name)
	if !ok {
		return none
	}
	x, err := javaFloat(text, 32)
	if err != nil {
		r.unreadable(name, text, err)
		return none
	}
	return float32(x)
}

func (r *reading) long(name string, none int64) int64 {
	text, ok := r.get(name)
	if !ok {
		return none
	}
	n, err := javaInteger(text, 64)
	if err != nil {
		r.unreadable(name, text, err)
		return none
	}
	return n
}

// size reads a size with or without a unit; -1 where none is set.
func (r *reading) size(name string) int64 {
	text, ok := r.get(name)
	if !ok {
		return -1
	}
	n, err := storageSize(text)
	if err != nil {
		r.unreadable(name, text, err)
		return -1
	}
	return n
}

func (r *reading) fault() error {
	if r.faults == nil {
		return nil
	}
	return &InfeasibleError{Conflicts: r.faults}
}

// InfeasibleError says why HBase would not run with a configuration.
type InfeasibleError struct {
	Conflicts []Conflict // at least one
}

// Conflict is one reason.
type Conflict struct {
	Properties []string // those to change
	Reason     string
}

func (e *InfeasibleError) Error() string {
	parts := make([]string, len(e.Conflicts))
	for i, c := range e.Conflicts {
		parts[i] = strings.Join(c.Properties, ", ") + ": " + c.Reason
	}
	return strings.Join(parts, "; ")
}

func infeasible(reason string, properties ...string) *InfeasibleError {
	return &InfeasibleError{Conflicts: []Conflict{conflict(reason, properties...)}}
}

func conflict(reason string, properties ...string) Conflict {
	var named []string
	for _, p := range properties {
		if p != "" {
			named = append(named, p)
		}
	}
	return Conflict{Properties: named, Reason: reason}
}
