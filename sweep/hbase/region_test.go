package hbase

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is put and dropped, regions in the cache never overlap, and a row is
// found in the region last put over it, or nowhere.
func TestRegionCache(t *testing.T) {
	key := rapid.Custom(func(t *rapid.T) []byte {
		return fmt.Appendf(nil, "%02d", rapid.IntRange(1, 20).Draw(t, "key"))
	})
	rapid.Check(t, func(t *rapid.T) {
		c := newRegionCache()
		a, b := &server{}, &server{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			r := &region{start: key.Draw(t, "start"), end: key.Draw(t, "end"), server: rapid.SampledFrom([]*server{a, b}).Draw(t, "server")}
			switch string(r.start) {
			case "01":
				r.start = nil
			}
			if string(r.end) == "20" {
				r.end = nil
			}
			if len(r.end) > 0 && string(r.start) >= string(r.end) {
				continue
			}
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				c.dropServer(a)
			case 1:
				if old := c.find(r.start); old != nil {
					c.drop(old)
					if c.find(r.start) != nil {
						t.Fatal("a dropped region is found")
					}
				}
			default:
				c.put(r)
				if c.find(r.start) != r || len(r.end) > 0 && c.findBefore(r.end) != r {
					t.Fatal("a region is not found where it was put")
				}
			}
			regions := *c.regions.Load()
			for i := 1; i < len(regions); i++ {
				if overlap(regions[i-1], regions[i]) || string(regions[i-1].start) >= string(regions[i].start) {
					t.Fatalf("regions %d and %d overlap or are out of order", i-1, i)
				}
			}
			for n := range 22 {
				row := fmt.Appendf(nil, "%02d", n)
				var want *region
				for _, r := range regions {
					if r.contains(row) {
						want = r
					}
				}
				if got := c.find(row); got != want {
					t.Fatalf("row %s: found %v, want %v", row, got, want)
				}
			}
		}
	})
}
