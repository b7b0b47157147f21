package load

import "fmt"

// Columns are those of a row that an operation touches: Count of them, from
// First on.
type Columns struct{ First, Count int }

// columnNames are the qualifiers of a table's columns: "v" where there is but
// one, else f and a number of fixed width, so that HBase's order is ours.
func columnNames(columns int) [][]byte {
	if columns <= 1 {
		return [][]byte{[]byte("v")}
	}
	width := len(fmt.Sprint(columns - 1))
	names := make([][]byte, columns)
	for i := range names {
		names[i] = fmt.Appendf(nil, "f%0*d", width, i)
	}
	return names
}

// columnDraw draws the columns that an operation touches: all, the first few,
// or one at random.
type columnDraw struct {
	all, wanted int
	draw        *Draw
}

func newColumnDraw(all, wanted int, seed, worker uint64) columnDraw {
	c := columnDraw{all: all, wanted: wanted}
	if wanted == 0 || wanted > all {
		c.wanted = all
	}
	if c.wanted == 1 && all > 1 {
		c.draw = NewDraw(seed, worker, int64(all))
	}
	return c
}

func (c *columnDraw) next() Columns {
	if c.draw != nil {
		return Columns{int(c.draw.Row()), 1}
	}
	return Columns{0, c.wanted}
}

// writeBuffer holds the values of one row to be written.
type writeBuffer struct {
	values  *Values
	memory  []byte
	columns [][]byte
}

func newWriteBuffer(values *Values, columns int) *writeBuffer {
	return &writeBuffer{values: values, memory: make([]byte, columns*values.Size()), columns: make([][]byte, columns)}
}

// fill makes the values of a row's columns; they are valid until the next call.
func (b *writeBuffer) fill(row int64, c Columns) [][]byte {
	size := b.values.Size()
	for i := range c.Count {
		b.columns[i] = b.values.Put(b.memory[i*size:(i+1)*size], row, c.First+i)
	}
	return b.columns[:c.Count]
}
