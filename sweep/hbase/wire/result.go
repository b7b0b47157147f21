package wire

// Result is what a server answered for one row.
type Result struct {
	Cells   []Cell
	Exists  bool // answer to ExistenceOnly
	Partial bool // more cells of the row follow
	Stale   bool
}

// Reset empties the result and keeps its memory.
func (r *Result) Reset() { *r = Result{Cells: r.Cells[:0]} }

// parse reads a Result message. Cells that it only counts are taken from the
// cell block; servers without a codec put them into the message.
func (r *Result) parse(msg []byte, block *CellBlock) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			cell, err := parseInlineCell(f.bytes())
			if err != nil {
				return err
			}
			r.Cells = append(r.Cells, cell)
		case 2:
			if err := r.take(f.int(), block); err != nil {
				return err
			}
		case 3:
			r.Exists = f.bool()
		case 4:
			r.Stale = f.bool()
		case 5:
			r.Partial = f.bool()
		}
	}
	return f.err
}

// take moves n cells out of the block. It trusts no count: each cell is read
// before room is made for it.
func (r *Result) take(n int, block *CellBlock) error {
	for range n {
		cell, err := block.Next()
		if err != nil {
			return err
		}
		r.Cells = append(r.Cells, cell)
	}
	return nil
}
