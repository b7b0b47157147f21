package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// CellType is the kind of a cell.
type CellType byte

// Kinds of cells.
const (
	CellPut                 CellType = 4
	CellDelete              CellType = 8 // one version
	CellDeleteFamilyVersion CellType = 10
	CellDeleteColumn        CellType = 12 // all versions
	CellDeleteFamily        CellType = 14
)

// LatestTimestamp asks the server to put in its own time.
const LatestTimestamp = math.MaxInt64

const (
	keyValueHead  = 8  // key length, value length
	keyFixed      = 12 // row length, family length, timestamp, type
	cellBlockHead = 4
)

// Cell is one cell in HBase's KeyValue layout:
//
//	keyLen(4) valueLen(4) rowLen(2) row familyLen(1) family qualifier timestamp(8) type(1) value [tags]
//
// A Cell got from this package has consistent lengths; its methods return
// slices of it.
type Cell []byte

func (c Cell) keyLen() int { return int(binary.BigEndian.Uint32(c)) }

func (c Cell) rowLen() int { return int(binary.BigEndian.Uint16(c[keyValueHead:])) }

// Row is the cell's row key.
func (c Cell) Row() []byte { return c[keyValueHead+2:][:c.rowLen()] }

// Family is the cell's column family.
func (c Cell) Family() []byte {
	at := keyValueHead + 2 + c.rowLen()
	return c[at+1:][:c[at]]
}

// Qualifier is the cell's column within the family.
func (c Cell) Qualifier() []byte {
	at := keyValueHead + 2 + c.rowLen()
	at += 1 + int(c[at])
	return c[at : keyValueHead+c.keyLen()-9]
}

// Timestamp is in milliseconds unless a client chose otherwise.
func (c Cell) Timestamp() uint64 {
	return binary.BigEndian.Uint64(c[keyValueHead+c.keyLen()-9:])
}

// Type is the cell's kind.
func (c Cell) Type() CellType { return CellType(c[keyValueHead+c.keyLen()-1]) }

// Value is the cell's value.
func (c Cell) Value() []byte {
	return c[keyValueHead+c.keyLen():][:binary.BigEndian.Uint32(c[4:])]
}

// Check reports whether the lengths within the cell agree with each other.
func (c Cell) Check() error {
	if len(c) < keyValueHead+keyFixed {
		return errCut("cell", len(c))
	}
	key, value := uint64(binary.BigEndian.Uint32(c)), uint64(binary.BigEndian.Uint32(c[4:]))
	if keyValueHead+key+value > uint64(len(c)) || key < keyFixed {
		return fmt.Errorf("%w: cell of %d bytes with a key of %d and a value of %d", ErrMalformed, len(c), key, value)
	}
	row := uint64(binary.BigEndian.Uint16(c[keyValueHead:]))
	if keyFixed+row > key {
		return fmt.Errorf("%w: cell with a row of %d bytes in a key of %d", ErrMalformed, row, key)
	}
	if family := uint64(c[keyValueHead+2+row]); keyFixed+row+family > key {
		return fmt.Errorf("%w: cell with a family of %d bytes in a key of %d", ErrMalformed, family, key)
	}
	return nil
}

// CellSize is the number of bytes AppendCell adds.
func CellSize(row, family, qualifier, value []byte) int {
	return cellBlockHead + keyValueHead + keyFixed + len(row) + len(family) + len(qualifier) + len(value)
}

// AppendCell appends a cell as cell blocks hold it: its length and the
// KeyValue. The row must be shorter than 32 KB and the family than 128 bytes.
func AppendCell(b []byte, row, family, qualifier []byte, timestamp uint64, typ CellType, value []byte) []byte {
	key := keyFixed + len(row) + len(family) + len(qualifier)
	b = binary.BigEndian.AppendUint32(b, uint32(keyValueHead+key+len(value)))
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(row)))
	b = append(b, row...)
	b = append(b, byte(len(family)))
	b = append(b, family...)
	b = append(b, qualifier...)
	b = binary.BigEndian.AppendUint64(b, timestamp)
	b = append(b, byte(typ))
	return append(b, value...)
}

// CellBlock reads the cells of a cell block one after the other. A block has
// neither count nor terminator: it ends where its bytes end.
type CellBlock struct{ rest []byte }

// NewCellBlock reads from b.
func NewCellBlock(b []byte) CellBlock { return CellBlock{rest: b} }

// Len is the number of bytes not yet read.
func (b *CellBlock) Len() int { return len(b.rest) }

// Next returns the next cell, which points into the block.
func (b *CellBlock) Next() (Cell, error) {
	if len(b.rest) < cellBlockHead {
		return nil, errCut("cell block", len(b.rest))
	}
	n := uint64(binary.BigEndian.Uint32(b.rest))
	if n > uint64(len(b.rest)-cellBlockHead) {
		return nil, errCut("cell block", len(b.rest))
	}
	end := cellBlockHead + int(n)
	cell := Cell(b.rest[cellBlockHead:end:end])
	if err := cell.Check(); err != nil {
		return nil, err
	}
	b.rest = b.rest[end:]
	return cell, nil
}

// parseInlineCell turns a cell in protobuf into the KeyValue layout.
func parseInlineCell(msg []byte) (Cell, error) {
	var row, family, qualifier, value []byte
	var timestamp uint64
	typ := CellPut
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			row = f.bytes()
		case 2:
			family = f.bytes()
		case 3:
			qualifier = f.bytes()
		case 4:
			timestamp = f.uint()
		case 5:
			typ = CellType(f.uint())
		case 6:
			value = f.bytes()
		}
	}
	if f.err != nil {
		return nil, f.err
	}
	if len(row) > math.MaxUint16 || len(family) > math.MaxUint8 {
		return nil, fmt.Errorf("%w: cell with a row of %d bytes and a family of %d", ErrMalformed, len(row), len(family))
	}
	return Cell(AppendCell(nil, row, family, qualifier, timestamp, typ, value)[cellBlockHead:]), nil
}
