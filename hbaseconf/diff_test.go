package hbaseconf

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	before := settings("a", "1", "b", "2", BlockCacheSize, "0.4", HandlerCount, "30", "hbase.wal.hsync", "yes", BlockCacheBytes, "1g", bucketSizes, "5120,9216", blockCachePolicy, "LRU")
	after := settings("a", "1 ", "c", "3", BlockCacheSize, "0.40f", HandlerCount, "0x1F", "hbase.wal.hsync", "false", BlockCacheBytes, "1073741824", bucketSizes, "5120, 9216", blockCachePolicy, "lru")
	var got []string
	for _, d := range Builtin().Diff(before, after) {
		got = append(got, d.String())
	}
	want := []string{"a: 1 → 1 ", "b: 2 → not set", "c: not set → 3", HandlerCount + ": 30 → 0x1F"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// What an edit set is all that differs afterwards.
func TestDiffOfAnEdit(t *testing.T) {
	dir := includedFolder(t)
	rapid.Check(t, func(t *rapid.T) {
		site := drawSite(t, dir)
		value := Value(rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "value"))
		edited, err := site.With(NewSettings(Setting{"a", value}))
		if err != nil {
			return
		}
		before, was := site.Settings().Get("a")
		diff := Builtin().Diff(site.Settings(), edited.Settings())
		switch {
		case was && before == value:
			if diff != nil {
				t.Fatalf("nothing was changed, but %v", diff)
			}
		case len(diff) != 1 || diff[0].Name != "a" || diff[0].After != value || diff[0].Added == was:
			t.Fatalf("%v", diff)
		}
	})
}
