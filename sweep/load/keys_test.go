package load

import (
	"bytes"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

func TestKeysSpreadEvenlyAndKeepBlocksWhole(t *testing.T) {
	for _, regions := range []int{1, 2, 7, 64} {
		keys := NewKeys(regions)
		splits := keys.Splits()
		if len(splits) != regions-1 {
			t.Fatalf("%d regions: %d split keys", regions, len(splits))
		}
		// Take the first rows only, as a working set does.
		const set = 1000
		perRegion := make([]int, regions)
		all := make([]string, 0, set)
		for row := range int64(set) {
			var key [KeyLen]byte
			keys.Put(&key, row)
			r := sort.Search(len(splits), func(i int) bool { return bytes.Compare(splits[i], key[:]) > 0 })
			perRegion[r]++
			all = append(all, string(key[:]))
		}
		if slices.Max(perRegion)-slices.Min(perRegion) > 1 {
			t.Errorf("%d regions: rows a region %v", regions, perRegion)
		}
		slices.Sort(all)
		if len(slices.Compact(all)) != set {
			t.Errorf("%d regions: keys repeat", regions)
		}
		// No row beyond the set may lie between two rows of it in a region.
		var beyond [KeyLen]byte
		keys.Put(&beyond, set+int64(regions))
		at, _ := slices.BinarySearch(all, string(beyond[:]))
		if at < len(all) && all[at][:prefixLen] == string(beyond[:prefixLen]) {
			t.Errorf("%d regions: row %s lies inside the working set", regions, beyond)
		}
	}
}

func TestKeyIsReadable(t *testing.T) {
	var key [KeyLen]byte
	NewKeys(8).Put(&key, 8*0x1f+3)
	if got, want := string(key[:]), "000300000000001f"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	NewKeys(1<<16).Put(&key, 0xfedcba98<<16|0x9abc)
	if got, want := string(key[:]), "9abc0000fedcba98"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	if got := NewKeys(3).Splits(); string(got[0]) != "0001" || string(got[1]) != "0002" {
		t.Errorf("splits %q", got)
	}
}

func TestDrawIsUniformSeededAndPerWorker(t *testing.T) {
	const rows, draws = 20, 200_000
	counts := make([]int, rows)
	d := NewDraw(7, 3, rows)
	for range draws {
		counts[d.Row()]++
	}
	chi2 := 0.0
	for _, c := range counts {
		diff := float64(c) - draws/rows
		chi2 += diff * diff / (draws / rows)
	}
	if chi2 > 43.8 { // 99.9 % of chi-squared with 19 degrees of freedom
		t.Errorf("chi-squared %.1f: %v", chi2, counts)
	}
	sequence := func(seed, worker uint64) []int64 {
		d := NewDraw(seed, worker, 1<<40)
		return []int64{d.Row(), d.Row(), d.Row()}
	}
	if !slices.Equal(sequence(1, 2), sequence(1, 2)) {
		t.Error("equal seed and worker give different rows")
	}
	if slices.Equal(sequence(1, 2), sequence(1, 3)) || slices.Equal(sequence(1, 2), sequence(2, 2)) {
		t.Error("another seed or worker gives the same rows")
	}
}

func TestValuesAreReproducibleAndChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 200).Draw(t, "size")
		row := rapid.Int64Range(0, 1<<40).Draw(t, "row")
		v := NewValues(rapid.Uint64().Draw(t, "seed"), size)
		a, b := make([]byte, size), make([]byte, size)
		v.Put(a, row)
		v.Put(b, row)
		if !bytes.Equal(a, b) {
			t.Fatal("a row's value differs from itself")
		}
		if !v.Plausible(a, row) || !v.Matches(a, row) {
			t.Fatal("a row's own value is refused")
		}
		at := rapid.IntRange(0, size-1).Draw(t, "at")
		a[at] ^= 1
		if v.Matches(a, row) {
			t.Fatalf("a wrong byte at %d of %d passes", at, size)
		}
		if v.Plausible(b[:size-1], row) || v.Matches(b[:size-1], row) {
			t.Fatal("a short value passes")
		}
		if size >= 8 && v.Plausible(b, row+1) {
			t.Fatal("another row's value passes")
		}
	})
}
