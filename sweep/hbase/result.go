package hbase

import (
	"bytes"

	"hbtune/sweep/hbase/wire"
)

// Result is a row as it was read. Its cells point into memory of its own that
// the next read into the same Result overwrites.
type Result struct {
	wire.Result
	frame []byte
}

// Row is the row's key, nil if there is no cell.
func (r *Result) Row() []byte {
	if len(r.Cells) == 0 {
		return nil
	}
	return r.Cells[0].Row()
}

// Value returns the latest value of a column; false if there is none.
func (r *Result) Value(family, qualifier []byte) ([]byte, bool) {
	for _, c := range r.Cells {
		if bytes.Equal(c.Qualifier(), qualifier) && bytes.Equal(c.Family(), family) {
			return c.Value(), true
		}
	}
	return nil, false
}
