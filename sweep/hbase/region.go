package hbase

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

// region is a region and the server it was last seen on. It never changes: a
// region that moves gets a new one.
type region struct {
	name       []byte // full name, as requests address it
	start, end []byte // end is empty for the last
	server     *server
	number     uint64 // tells regions apart and orders them, in a batch
}

func (r *region) contains(row []byte) bool {
	return bytes.Compare(r.start, row) <= 0 && (len(r.end) == 0 || bytes.Compare(row, r.end) < 0)
}

// regionCache holds what is known of a table's regions, ordered by start key.
// There may be holes. Readers take no lock: writers replace the whole slice.
type regionCache struct {
	regions atomic.Pointer[[]*region]
	mu      sync.Mutex // of writers

	// lookup is held (a value is in it) by the one caller that asks hbase:meta;
	// others wait and then find the answer here.
	lookup chan struct{}
}

func newRegionCache() *regionCache {
	c := &regionCache{lookup: make(chan struct{}, 1)}
	c.regions.Store(new([]*region))
	return c
}

// find returns the region that holds the row, nil if it is not known.
func (c *regionCache) find(row []byte) *region {
	regions := *c.regions.Load()
	// The last region that starts at or before the row. By hand: this is on the
	// way of every operation.
	low, high := 0, len(regions)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if bytes.Compare(regions[middle].start, row) <= 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 || !regions[low-1].contains(row) {
		return nil
	}
	return regions[low-1]
}

// findBefore returns the region that ends where row begins: the one a reversed
// scan visits next. For an empty row that is the table's last region.
func (c *regionCache) findBefore(row []byte) *region {
	for _, r := range *c.regions.Load() {
		if bytes.Equal(r.end, row) {
			return r
		}
	}
	return nil
}

// put adds regions and removes those that they overlap.
func (c *regionCache) put(added ...*region) {
	c.change(func(regions []*region) []*region {
		for _, r := range added {
			regions = slices.DeleteFunc(regions, func(old *region) bool { return overlap(old, r) })
			at, _ := slices.BinarySearchFunc(regions, r.start, func(old *region, start []byte) int {
				return bytes.Compare(old.start, start)
			})
			regions = slices.Insert(regions, at, r)
		}
		return regions
	})
}

// replace puts a whole table's regions, in order, in place of what is known.
func (c *regionCache) replace(all []*region) {
	c.change(func([]*region) []*region { return all })
}

// drop forgets one region, unless it has already been replaced.
func (c *regionCache) drop(gone *region) {
	c.change(func(regions []*region) []*region {
		return slices.DeleteFunc(regions, func(r *region) bool { return r == gone })
	})
}

// dropServer forgets all regions on a server.
func (c *regionCache) dropServer(s *server) {
	c.change(func(regions []*region) []*region {
		return slices.DeleteFunc(regions, func(r *region) bool { return r.server == s })
	})
}

// clear forgets everything.
func (c *regionCache) clear() { c.replace(nil) }

func (c *regionCache) change(edit func([]*region) []*region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	regions := edit(slices.Clone(*c.regions.Load()))
	c.regions.Store(&regions)
}

func overlap(a, b *region) bool {
	return (len(b.end) == 0 || bytes.Compare(a.start, b.end) < 0) &&
		(len(a.end) == 0 || bytes.Compare(b.start, a.end) < 0)
}
