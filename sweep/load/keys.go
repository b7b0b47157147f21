package load

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// KeyLen is the length of every row key in bytes.
const KeyLen = 16

// prefixLen is the part of a key that tells the region.
const prefixLen = 4

const (
	maxRegions = 1 << (4 * prefixLen)
	maxRows    = int64(1) << 40 // 12 hex digits a region hold far more
)

// Keys maps row numbers to row keys. Rows are dealt out to the table's initial
// regions like cards: row i goes to region i mod Regions, as the (i div
// Regions)-th row there. Any run of row numbers is thus spread evenly over all
// regions, and the rows 0…n−1 are the first n/Regions of each region, which
// fill whole data blocks. The second property is what makes a working set's
// size in blocks proportional to its rows; rows strewn at random would touch
// nearly every block however few they are.
type Keys struct {
	regions uint64
}

// NewKeys maps rows onto a table of that many initial regions.
func NewKeys(regions int) Keys {
	return Keys{regions: uint64(max(regions, 1))}
}

// Put writes the key of a row.
func (k Keys) Put(key *[KeyLen]byte, row int64) {
	region, offset := uint64(row)%k.regions, uint64(row)/k.regions
	word := region<<(4*(KeyLen-prefixLen)) | offset
	binary.BigEndian.PutUint64(key[:8], hexDigits(uint32(word>>32)))
	binary.BigEndian.PutUint64(key[8:], hexDigits(uint32(word)))
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
		splits = append(splits, fmt.Appendf(nil, "%0*x", prefixLen, r))
	}
	return splits
}

// Draw draws rows uniformly. It belongs to one worker.
type Draw struct {
	source rand.PCG
	rows   uint64
}

// NewDraw draws from the rows 0…rows−1; equal seed and worker, equal sequence.
func NewDraw(seed, worker uint64, rows int64) *Draw {
	d := &Draw{rows: uint64(rows)}
	d.source.Seed(mix(seed), mix(seed^mix(worker+1)))
	return d
}

// Row draws a row. The product's high half is uniform up to rows/2⁶⁴, which no
// test could see; that spares a division and a retry.
func (d *Draw) Row() int64 {
	high, _ := bits.Mul64(d.source.Uint64(), d.rows)
	return int64(high)
}

// bits draws 64 random bits.
func (d *Draw) bits() uint64 { return d.source.Uint64() }

// mix is the finalizer of SplitMix64: a bijection that spreads every input bit
// over all output bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
