package hbase

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"hbtune/sweep/hbase/wire"
)

// Condition makes a write depend on a cell's present value.
type Condition = wire.Condition

// Increment adds to cells of one row that hold 64-bit numbers.
type Increment struct {
	Row        []byte
	Cells      []MutationCell
	Durability Durability
	amounts    []byte // what the cells' values point into
}

// Reset makes it an increment of row without cells.
func (i *Increment) Reset(row []byte) {
	i.Row, i.Cells, i.amounts = row, i.Cells[:0], i.amounts[:0]
}

// Add adds amount to a column; a cell that does not exist counts as 0.
func (i *Increment) Add(family, qualifier []byte, amount int64) {
	// Older cells keep pointing into the older memory if this moves it.
	i.amounts = binary.BigEndian.AppendUint64(i.amounts, uint64(amount))
	value := i.amounts[len(i.amounts)-8:]
	i.Cells = append(i.Cells, MutationCell{Family: family, Qualifier: qualifier, Value: value, Type: wire.CellPut})
}

// Increment adds to cells; result gets their new values, 8 bytes each, and may
// be nil. A server that is asked twice because its answer was lost adds once.
func (t *Table) Increment(ctx context.Context, inc *Increment, result *Result) error {
	m := wire.Mutation{Type: wire.MutationIncrement, Row: inc.Row, Cells: inc.Cells, Durability: inc.Durability}
	return t.mutateOnce(ctx, m, result)
}

// Append appends the values of put's cells to what the row's cells hold; result
// gets the new values and may be nil. A server that is asked twice because its
// answer was lost appends once.
func (t *Table) Append(ctx context.Context, put *Put, result *Result) error {
	m := put.mutation()
	m.Type = wire.MutationAppend
	return t.mutateOnce(ctx, m, result)
}

// mutateOnce sends a mutation that must not be done twice.
func (t *Table) mutateOnce(ctx context.Context, m wire.Mutation, result *Result) error {
	m.NonceGroup, m.Nonce = t.client.nonceGroup, 1+rand.Uint64N(1<<63)
	if result != nil {
		result.Reset()
	}
	op := operation{method: "Mutate", row: m.Row, mutation: m, result: result}
	return t.do(ctx, &op)
}

// CheckAndPut writes put if the condition holds of its row and reports whether
// it did. If a connection breaks after the server has written, another try finds
// the condition changed and reports false.
func (t *Table) CheckAndPut(ctx context.Context, condition *Condition, put *Put) (done bool, err error) {
	return t.checkAndMutate(ctx, condition, put.mutation())
}

// CheckAndDelete deletes del if the condition holds of its row and reports
// whether it did; see CheckAndPut.
func (t *Table) CheckAndDelete(ctx context.Context, condition *Condition, del *Delete) (done bool, err error) {
	return t.checkAndMutate(ctx, condition, del.mutation())
}

func (t *Table) checkAndMutate(ctx context.Context, condition *Condition, m wire.Mutation) (bool, error) {
	op := operation{method: "Mutate", row: m.Row, mutation: m, condition: condition}
	err := t.do(ctx, &op)
	return op.processed, err
}
