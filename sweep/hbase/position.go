package hbase

import "bytes"

// position is how far a scan has come: all that is needed to go on with a new
// scanner, on any server.
type position struct {
	row   []byte // first row to read, or the last one given
	after bool   // row itself is done
	left  int    // rows still wanted; negative: all
	given int    // cells given of row, where more of them may follow
	skip  int    // how many of these a reopened scanner brings once more
}

// reopened is called before a new scanner is opened.
func (p *position) reopened() { p.skip = p.given }

// moved goes to the beginning of another region.
func (p *position) moved(row []byte, after bool) {
	p.rowDone()
	p.row, p.after = append(p.row[:0], row...), after
}

// rowDone is called when the row that was being given in pieces turns out to
// have been complete.
func (p *position) rowDone() {
	if p.given > 0 && p.left > 0 {
		p.left--
	}
	p.given, p.skip = 0, 0
}

// advance notes that result is about to be given. It takes away cells that
// were given before the scanner was reopened and returns false if there is
// nothing left to give.
func (p *position) advance(result *Result) bool {
	row := result.Row()
	if row == nil {
		return false
	}
	if !bytes.Equal(row, p.row) {
		p.rowDone()
		if p.left == 0 {
			return false
		}
		p.row = append(p.row[:0], row...)
	}
	dropped := min(p.skip, len(result.Cells))
	p.skip -= dropped
	result.Cells = result.Cells[dropped:]
	p.given += len(result.Cells)
	p.after = !result.Partial
	if p.after {
		p.given = max(p.given, 1)
		p.rowDone()
	}
	return len(result.Cells) > 0
}
