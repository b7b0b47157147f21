package hbase

import (
	"testing"

	"pgregory.net/rapid"
)

// The table behaves like a map from ids to calls, whatever the order in which
// calls end, also when ids wrap around.
func TestCallTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := callTable{next: maxCallID - uint32(rapid.IntRange(0, 50).Draw(t, "before the end"))}
		model := map[uint32]*call{}
		var ids []uint32
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if len(ids) == 0 || rapid.IntRange(0, 2).Draw(t, "add") > 0 {
				c := newCall()
				table.add(c)
				if c.header.CallID > maxCallID || model[c.header.CallID] != nil {
					t.Fatalf("id %d is not new", c.header.CallID)
				}
				model[c.header.CallID] = c
				ids = append(ids, c.header.CallID)
				continue
			}
			i := rapid.IntRange(0, len(ids)-1).Draw(t, "which")
			id := ids[i]
			ids = append(ids[:i], ids[i+1:]...)
			if got := table.take(id); got != model[id] {
				t.Fatalf("call %d is another", id)
			}
			delete(model, id)
			if table.take(id) != nil {
				t.Fatalf("call %d was taken twice", id)
			}
			if table.count != len(model) {
				t.Fatalf("count is %d, not %d", table.count, len(model))
			}
			if oldest := table.oldest(); (oldest == nil) != (len(model) == 0) || oldest != nil && model[oldest.header.CallID] != oldest {
				t.Fatal("the oldest is none of the waiting")
			}
		}
		all := table.takeIf(nil, func(*call) bool { return true })
		if len(all) != len(model) || table.count != 0 || table.oldest() != nil {
			t.Fatalf("%d calls were left, not %d", len(all), len(model))
		}
	})
}
