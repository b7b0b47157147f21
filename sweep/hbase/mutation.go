package hbase

import "hbtune/sweep/hbase/wire"

// Durabilities.
const (
	TableDurability = wire.TableDurability // as the table's descriptor says
	SkipWAL         = wire.SkipWAL
	AsyncWAL        = wire.AsyncWAL
	SyncWAL         = wire.SyncWAL
	FsyncWAL        = wire.FsyncWAL
)

// Put writes cells of one row. It may be reused, also when an operation has
// failed: nothing refers to it once the call has returned.
type Put struct {
	Row        []byte
	Cells      []MutationCell // of type wire.CellPut; see Add
	Durability Durability
}

// Reset makes it a put to row without cells.
func (p *Put) Reset(row []byte) { p.Row, p.Cells = row, p.Cells[:0] }

// Add adds a cell with the server's time as its timestamp.
func (p *Put) Add(family, qualifier, value []byte) {
	p.Cells = append(p.Cells, MutationCell{Family: family, Qualifier: qualifier, Value: value, Type: wire.CellPut})
}

// Delete deletes from one row; AddFamily for every family deletes all of it.
type Delete struct {
	Row        []byte
	Cells      []MutationCell
	Durability Durability
}

// Reset makes it a delete from row without cells.
func (d *Delete) Reset(row []byte) { d.Row, d.Cells = row, d.Cells[:0] }

// AddColumn deletes all versions of a column.
func (d *Delete) AddColumn(family, qualifier []byte) {
	d.Cells = append(d.Cells, MutationCell{Family: family, Qualifier: qualifier, Type: wire.CellDeleteColumn})
}

// AddLatest deletes the latest version of a column, which the server has to
// look for.
func (d *Delete) AddLatest(family, qualifier []byte) {
	d.Cells = append(d.Cells, MutationCell{Family: family, Qualifier: qualifier, Type: wire.CellDelete})
}

// AddFamily deletes a whole family.
func (d *Delete) AddFamily(family []byte) {
	d.Cells = append(d.Cells, MutationCell{Family: family, Type: wire.CellDeleteFamily})
}

func (p *Put) mutation() wire.Mutation {
	return wire.Mutation{Type: wire.MutationPut, Row: p.Row, Cells: p.Cells, Durability: p.Durability}
}

func (d *Delete) mutation() wire.Mutation {
	return wire.Mutation{Type: wire.MutationDelete, Row: d.Row, Cells: d.Cells, Durability: d.Durability}
}
