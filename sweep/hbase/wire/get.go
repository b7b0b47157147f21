package wire

// Column names a column, or with an empty qualifier list a whole family.
type Column struct {
	Family    []byte
	Qualifier []byte // nil: every column of the family
}

// TimeRange bounds cells by timestamp: From inclusive, To exclusive.
type TimeRange struct{ From, To uint64 }

func (t TimeRange) append(b []byte, num number) []byte {
	if t == (TimeRange{}) {
		return b
	}
	b, mark := begin(b, num)
	b = appendUint(b, 1, t.From)
	if t.To != 0 {
		b = appendUint(b, 2, t.To)
	}
	return end(b, mark)
}

// Get asks for one row.
type Get struct {
	Row     []byte
	Columns []Column // none: the whole row
	// MaxVersions of each column; 0 means 1.
	MaxVersions int
	TimeRange   TimeRange // zero: any time
	// ExistenceOnly asks whether the row has such a cell, not for the cells.
	ExistenceOnly bool
	// SkipCache keeps blocks read from disk for this get out of the block cache.
	SkipCache bool
}

func (g *Get) append(b []byte) []byte {
	b = appendBytes(b, 1, g.Row)
	b = appendColumns(b, 2, g.Columns)
	b = g.TimeRange.append(b, 5)
	if g.MaxVersions > 1 {
		b = appendUint(b, 6, uint64(g.MaxVersions))
	}
	if g.SkipCache {
		b = appendBool(b, 7, false)
	}
	if g.ExistenceOnly {
		b = appendBool(b, 10, true)
	}
	return b
}

func appendColumns(b []byte, num number, columns []Column) []byte {
	for i := range columns {
		var mark int
		b, mark = begin(b, num)
		b = appendBytes(b, 1, columns[i].Family)
		if columns[i].Qualifier != nil {
			b = appendBytes(b, 2, columns[i].Qualifier)
		}
		b = end(b, mark)
	}
	return b
}

// AppendGet appends the parameter of method Get.
func AppendGet(b, region []byte, get *Get) []byte {
	b, param := beginPrefixed(b)
	b = appendRegion(b, 1, region)
	b, mark := begin(b, 2)
	b = end(get.append(b), mark)
	return end(b, param)
}

// ParseGet reads the answer to Get; cells are appended to result.
func ParseGet(reply Reply, result *Result) error {
	block := NewCellBlock(reply.Cells)
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			if err := result.parse(f.bytes(), &block); err != nil {
				return err
			}
		}
	}
	return f.err
}
