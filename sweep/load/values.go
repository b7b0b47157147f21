package load

import (
	"encoding/binary"
	"math/bits"
)

// golden is 2⁶⁴ over the golden ratio: multiples of it visit all words.
const golden = 0x9e3779b97f4a7c15

// Values makes the value of a row from its number alone, so that a read can be
// checked without remembering what was written. Words are addressed by counter:
// any part can be computed without the ones before it. The bytes do not
// compress, as is right for measuring storage.
type Values struct {
	seed uint64
	size int
}

// NewValues makes values of size bytes; equal seed, equal values.
func NewValues(seed uint64, size int) Values {
	return Values{seed: mix(seed + golden), size: size}
}

// Size is the length of every value in bytes.
func (v Values) Size() int { return v.size }

// Put writes the value of a row over dst, which must be Size long.
func (v Values) Put(dst []byte, row int64) {
	base := v.base(row)
	k := uint64(0)
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, word(base, k))
		k++
	}
	if len(dst) > 0 {
		putTail(dst, word(base, k))
	}
}

// Plausible checks length, first and last word: enough to catch a reply of
// another row or a torn one, and cheap enough for every read.
func (v Values) Plausible(value []byte, row int64) bool {
	if len(value) != v.size {
		return false
	}
	base := v.base(row)
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
func (v Values) Matches(value []byte, row int64) bool {
	if len(value) != v.size {
		return false
	}
	base := v.base(row)
	k := uint64(0)
	for ; len(value) >= 8; value = value[8:] {
		if binary.LittleEndian.Uint64(value) != word(base, k) {
			return false
		}
		k++
	}
	return tailMatches(value, word(base, k))
}

func (v Values) base(row int64) uint64 { return mix(v.seed ^ uint64(row)*golden) }

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
