package load

import (
	"bytes"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"hbtune/sweep/trial"
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
		column := rapid.IntRange(0, 200).Draw(t, "column")
		least := rapid.IntRange(1, size).Draw(t, "least")
		lengths := rapid.SampledFrom([]string{"", trial.Uniform, trial.Zipfian}).Draw(t, "lengths")
		v := NewValues(rapid.Uint64().Draw(t, "seed"), size).varying(least, lengths)
		a := v.Put(make([]byte, size), row, column)
		b := v.Put(make([]byte, size), row, column)
		if !bytes.Equal(a, b) {
			t.Fatal("a row's value differs from itself")
		}
		if lengths == "" && len(a) != size || lengths != "" && (len(a) < least || len(a) > size) {
			t.Fatalf("%d bytes, wanted %d to %d, %s", len(a), least, size, lengths)
		}
		if !v.Plausible(a, row, column) || !v.Matches(a, row, column) {
			t.Fatal("a row's own value is refused")
		}
		at := rapid.IntRange(0, len(a)-1).Draw(t, "at")
		a[at] ^= 1
		if v.Matches(a, row, column) {
			t.Fatalf("a wrong byte at %d of %d passes", at, size)
		}
		if v.Plausible(b[:len(b)-1], row, column) || v.Matches(b[:len(b)-1], row, column) {
			t.Fatal("a short value passes")
		}
		if len(b) >= 8 && (v.Plausible(b, row+1, column) || v.Plausible(b, row, column+1)) {
			t.Fatal("another value passes")
		}
	})
}

func TestKeysAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		regions := rapid.IntRange(1, maxRegions).Draw(t, "regions")
		row := rapid.Int64Range(0, maxRows).Draw(t, "row")
		for _, keys := range []Keys{NewKeys(regions), NewHashedKeys(regions)} {
			var key [KeyLen]byte
			keys.Put(&key, row)
			if got, ok := keys.Row(key[:]); !ok || got != row {
				t.Fatalf("%+v: row %d came back as %d, %v", keys, row, got, ok)
			}
		}
	})
	for _, key := range []string{"", "filled", "0000000000000000x", "g000000000000000", "ffff000000000000"} {
		if row, ok := NewKeys(4).Row([]byte(key)); ok {
			t.Errorf("%q is taken for row %d", key, row)
		}
	}
}

func TestHashedKeysSpreadOverTheRegions(t *testing.T) {
	const regions, rows = 6, 60_000
	keys := NewHashedKeys(regions)
	splits := keys.Splits()
	counts := make([]int, regions)
	for row := range int64(rows) {
		var key [KeyLen]byte
		keys.Put(&key, row)
		counts[sort.Search(len(splits), func(i int) bool { return bytes.Compare(splits[i], key[:]) > 0 })]++
	}
	if len(splits) != regions-1 || slices.Min(counts) < rows/regions*9/10 || slices.Max(counts) > rows/regions*11/10 {
		t.Errorf("%d splits, rows a region %v", len(splits), counts)
	}
}

// What a scan should bring is worked out, not looked up; both must agree.
func TestRowsAfterARow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := NewKeys(rapid.IntRange(1, 8).Draw(t, "regions"))
		rows := rapid.Int64Range(1, 60).Draw(t, "rows")
		row := rapid.Int64Range(0, rows-1).Draw(t, "row")
		limit := rapid.Int64Range(1, 80).Draw(t, "limit")
		all := make([]string, rows)
		var own string
		for r := range rows {
			var key [KeyLen]byte
			keys.Put(&key, r)
			all[r] = string(key[:])
			if r == row {
				own = all[r]
			}
		}
		slices.Sort(all)
		at, _ := slices.BinarySearch(all, own)
		want := min(int64(len(all)-at), limit)
		if got, known := keys.after(row, rows, limit); !known || got != want {
			t.Fatalf("%d rows from row %d of %d on, want %d", got, row, rows, want)
		}
	})
	if _, known := NewHashedKeys(4).after(1, 10, 5); known {
		t.Error("the order of hashed keys is taken for known")
	}
}
