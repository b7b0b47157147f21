package load

import (
	"encoding/binary"
	"math/bits"

	"hbtune/sweep/trial"
)

// golden is 2⁶⁴ over the golden ratio: multiples of it visit all words.
const golden = 0x9e3779b97f4a7c15

// Values makes the value of a row's column from their numbers alone, so that a
// read can be checked without remembering what was written. Words are addressed
// by counter: any part can be computed without the ones before it. The bytes do
// not compress, as is right for measuring storage.
type Values struct {
	seed uint64
	size int // the longest
	// least is the shortest, where lengths vary.
	least   int
	lengths string
	law     zipf
}

// NewValues makes values of size bytes; equal seed, equal values.
func NewValues(seed uint64, size int) Values {
	return Values{seed: mix(seed + golden), size: size, least: size}
}

// varying makes values whose lengths, from least on, follow a distribution.
func (v Values) varying(least int, lengths string) Values {
	if lengths != trial.Uniform && lengths != trial.Zipfian {
		return v
	}
	v.least, v.lengths = max(least, 1), lengths
	if lengths == trial.Zipfian {
		v.law = newZipf(int64(v.size - v.least + 1))
	}
	return v
}

// Size is the length of the longest value in bytes.
func (v *Values) Size() int { return v.size }

// Len is the length of a value.
func (v *Values) Len(row int64, column int) int {
	if v.lengths == "" {
		return v.size
	}
	draw := mix(v.base(row, column) + golden)
	if v.lengths == trial.Zipfian {
		return v.least + int(v.law.rank(float64(draw>>11)*0x1p-53))
	}
	high, _ := bits.Mul64(draw, uint64(v.size-v.least+1))
	return v.least + int(high)
}

// Put writes a value over the beginning of dst, which must hold Size bytes, and
// returns it.
func (v *Values) Put(dst []byte, row int64, column int) []byte {
	value := dst[:v.Len(row, column)]
	base := v.base(row, column)
	k := uint64(0)
	rest := value
	for ; len(rest) >= 8; rest = rest[8:] {
		binary.LittleEndian.PutUint64(rest, word(base, k))
		k++
	}
	if len(rest) > 0 {
		putTail(rest, word(base, k))
	}
	return value
}

// Plausible checks length, first and last word: enough to catch a reply of
// another row or a torn one, and cheap enough for every read.
func (v *Values) Plausible(value []byte, row int64, column int) bool {
	if len(value) != v.Len(row, column) {
		return false
	}
	base := v.base(row, column)
	words := len(value) / 8
	if words > 0 {
		if binary.LittleEndian.Uint64(value) != word(base, 0) {
			return false
		}
		last := 8 * (words - 1)
		if binary.LittleEndian.Uint64(value[last:]) != word(base, uint64(words-1)) {
			return false
		}
	}
	return tailMatches(value[8*words:], word(base, uint64(words)))
}

// Matches checks every byte.
func (v *Values) Matches(value []byte, row int64, column int) bool {
	if len(value) != v.Len(row, column) {
		return false
	}
	base := v.base(row, column)
	k := uint64(0)
	for ; len(value) >= 8; value = value[8:] {
		if binary.LittleEndian.Uint64(value) != word(base, k) {
			return false
		}
		k++
	}
	return tailMatches(value, word(base, k))
}

func (v *Values) base(row int64, column int) uint64 {
	return mix(v.seed ^ uint64(row)*golden + uint64(column)*0xd6e8feb86659fd93)
}

// word folds a 128-bit product, as wyhash does: one multiplication a word where
// mix needs two.
func word(base, k uint64) uint64 {
	high, low := bits.Mul64(base+k*golden, base^0xa0761d6478bd642f)
	return high ^ low
}

func putTail(dst []byte, w uint64) {
	for i := range dst {
		dst[i] = byte(w >> (8 * i))
	}
}

func tailMatches(tail []byte, w uint64) bool {
	for i := range tail {
		if tail[i] != byte(w>>(8*i)) {
			return false
		}
	}
	return true
}
