package load

import (
	"encoding/binary"
	"fmt"
)

// KeyLen is the length of every row key in bytes.
const KeyLen = 16

// prefixLen is the part of a key that tells the region.
const prefixLen = 4

const (
	maxRegions = 1 << (4 * prefixLen)
	maxRows    = int64(1) << 40 // 12 hex digits a region hold far more
)

// Keys maps row numbers to row keys, in one of two ways.
//
// Dealt keys give rows out to the table's initial regions like cards: row i goes to region i mod Regions, as the (i div
// Regions)-th row there. Any run of row numbers is thus spread evenly over all
// regions, and the rows 0…n−1 are the first n/Regions of each region, which
// fill whole data blocks. The second property is what makes a working set's
// size in blocks proportional to its rows; rows strewn at random would touch
// nearly every block however few they are.
//
// Hashed keys do just that: neighbours by number are strewn over the table, as
// YCSB's insertorder=hashed has it.
type Keys struct {
	regions uint64
	hashed  bool
}

// NewKeys deals rows out to a table of that many initial regions.
func NewKeys(regions int) Keys {
	return Keys{regions: uint64(max(regions, 1))}
}

// NewHashedKeys strews rows over a table of that many initial regions.
func NewHashedKeys(regions int) Keys {
	return Keys{regions: uint64(max(regions, 1)), hashed: true}
}

// Put writes the key of a row.
func (k Keys) Put(key *[KeyLen]byte, row int64) {
	var word uint64
	if k.hashed {
		word = mix(uint64(row) + golden)
	} else {
		region, offset := uint64(row)%k.regions, uint64(row)/k.regions
		word = region<<(4*(KeyLen-prefixLen)) | offset
	}
	binary.BigEndian.PutUint64(key[:8], hexDigits(uint32(word>>32)))
	binary.BigEndian.PutUint64(key[8:], hexDigits(uint32(word)))
}

// Row is the number of the row that a key belongs to; ok is false where it is
// no key of Put's.
func (k Keys) Row(key []byte) (row int64, ok bool) {
	if len(key) != KeyLen {
		return 0, false
	}
	var word uint64
	for _, digit := range key {
		switch {
		case '0' <= digit && digit <= '9':
			word = word<<4 | uint64(digit-'0')
		case 'a' <= digit && digit <= 'f':
			word = word<<4 | uint64(digit-'a'+10)
		default:
			return 0, false
		}
	}
	if k.hashed {
		row = int64(unmix(word) - golden)
		return row, row >= 0
	}
	const offsetBits = 4 * (KeyLen - prefixLen)
	region, offset := word>>offsetBits, word&(1<<offsetBits-1)
	return int64(offset*k.regions + region), region < k.regions
}

// after is how many rows of a table of that many follow a row in the order of
// keys, itself included, counted up to limit. For hashed keys it can't be told
// from the number; known is then false.
func (k Keys) after(row, rows, limit int64) (count int64, known bool) {
	if k.hashed {
		return 0, false
	}
	regions := int64(k.regions)
	for count < limit {
		if row < rows {
			count += (rows-1-row)/regions + 1
		}
		if row = row%regions + 1; row == regions {
			break
		}
	}
	return min(count, limit), true
}

// hexDigits writes a word as eight hexadecimal digits, the first in the highest
// byte: it spreads the nibbles over the bytes, then turns all eight into
// letters at once. Row keys are made for every operation.
func hexDigits(word uint32) uint64 {
	x := uint64(word)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	const ones = 0x0101010101010101
	overNine := (x + 6*ones) >> 4 & ones
	return x + '0'*ones + overNine*('a'-'0'-10)
}

// Splits are the keys at which the table is split when it is made.
func (k Keys) Splits() [][]byte {
	splits := make([][]byte, 0, k.regions-1)
	for r := uint64(1); r < k.regions; r++ {
		prefix := r
		if k.hashed {
			prefix = r * maxRegions / k.regions
		}
		splits = append(splits, fmt.Appendf(nil, "%0*x", prefixLen, prefix))
	}
	return splits
}

// mix is the finalizer of SplitMix64: a bijection that spreads every input bit
// over all output bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unmix is its inverse.
func unmix(x uint64) uint64 {
	x ^= x>>31 ^ x>>62
	x *= 0x319642b2d24d8ec3
	x ^= x>>27 ^ x>>54
	x *= 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}
