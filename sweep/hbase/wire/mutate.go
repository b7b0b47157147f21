package wire

// Durability says how far a write must have got before it is acknowledged.
type Durability int

// Durabilities; TableDurability is what the table's descriptor says.
const (
	TableDurability Durability = iota
	SkipWAL
	AsyncWAL
	SyncWAL
	FsyncWAL
)

// MutationType is the kind of a mutation.
type MutationType int

// Kinds of mutations.
const (
	MutationAppend MutationType = iota
	MutationIncrement
	MutationPut
	MutationDelete
)

// MutationCell is one cell of a mutation.
type MutationCell struct {
	Family    []byte
	Qualifier []byte
	Value     []byte
	Timestamp uint64 // 0: the server's time
	Type      CellType
}

// Mutation changes one row. Its cells travel in the cell block.
type Mutation struct {
	Type       MutationType
	Row        []byte
	Cells      []MutationCell
	Durability Durability
	// NonceGroup and Nonce mark increments and appends so that a server that sees
	// one twice applies it once; 0 means none.
	NonceGroup, Nonce uint64
}

func (m *Mutation) append(b []byte) []byte {
	b = appendBytes(b, 1, m.Row)
	b = appendUint(b, 2, uint64(m.Type))
	if m.Durability != TableDurability {
		b = appendUint(b, 6, uint64(m.Durability))
	}
	b = appendUint(b, 8, uint64(len(m.Cells)))
	if m.Nonce != 0 {
		b = appendUint(b, 9, m.Nonce)
	}
	return b
}

func (m *Mutation) appendCells(b []byte) []byte {
	for i := range m.Cells {
		c := &m.Cells[i]
		timestamp := c.Timestamp
		if timestamp == 0 {
			timestamp = LatestTimestamp
		}
		b = AppendCell(b, m.Row, c.Family, c.Qualifier, timestamp, c.Type, c.Value)
	}
	return b
}

// Condition makes a mutation depend on a cell's present value.
type Condition struct {
	Family    []byte
	Qualifier []byte
	// Value that the cell must have; empty means that there must be no such cell,
	// or one with an empty value.
	Value []byte
}

const (
	compareEqual     = 2
	binaryComparator = "org.apache.hadoop.hbase.filter.BinaryComparator"
)

func (c *Condition) append(b, row []byte) []byte {
	b = appendBytes(b, 1, row)
	b = appendBytes(b, 2, c.Family)
	b = appendBytes(b, 3, c.Qualifier)
	b = appendUint(b, 4, compareEqual)
	b, comparator := begin(b, 5)
	b = appendString(b, 1, binaryComparator)
	b, serialized := begin(b, 2)
	b, comparable := begin(b, 1)
	b = appendBytes(b, 1, c.Value)
	b = end(b, comparable)
	b = end(b, serialized)
	return end(b, comparator)
}

// AppendMutate appends the parameter of method Mutate to b and its cells to
// cells. condition may be nil.
func AppendMutate(b, cells, region []byte, m *Mutation, condition *Condition) (_, _ []byte) {
	b, param := beginPrefixed(b)
	b = appendRegion(b, 1, region)
	b, mark := begin(b, 2)
	b = end(m.append(b), mark)
	if condition != nil {
		b, mark = begin(b, 3)
		b = end(condition.append(b, m.Row), mark)
	}
	if m.NonceGroup != 0 {
		b = appendUint(b, 4, m.NonceGroup)
	}
	return end(b, param), m.appendCells(cells)
}

// ParseMutate reads the answer to Mutate: whether the mutation was done (its
// condition held) and, of increments and appends, the new cells.
func ParseMutate(reply Reply, result *Result) (processed bool, err error) {
	processed = true
	block := NewCellBlock(reply.Cells)
	f := fieldsOf(reply.Message)
	for f.next() {
		switch f.num {
		case 1:
			if err := result.parse(f.bytes(), &block); err != nil {
				return false, err
			}
		case 2:
			processed = f.bool()
		}
	}
	return processed, f.err
}
