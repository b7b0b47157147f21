package hbase

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"

	"hbtune/sweep/hbase/wire"
)

// What would be refused by every server, or could not even be written down, is
// refused before it is sent.
var (
	errEmptyRow   = errors.New("empty row key")
	errLongRow    = fmt.Errorf("row key is longer than %d bytes, HBase's limit", math.MaxInt16)
	errNoCells    = errors.New("nothing to write: no cells")
	errLongFamily = fmt.Errorf("column family is longer than %d bytes, HBase's limit", math.MaxInt8)
)

// tableName is HBase's rule for names of tables (TableName.java), kept to ASCII.
var tableName = regexp.MustCompile(`^(?:[A-Za-z0-9_]+:)?[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// CheckTable refuses a name that no table can have. A server that is asked for
// one drops the call without an answer.
func CheckTable(name string) error {
	if !tableName.MatchString(name) {
		return fmt.Errorf("%q is not a table's name: letters, digits and _ . - only, with namespace: before it where there is one", name)
	}
	return nil
}

func checkRow(row []byte) error {
	switch {
	case len(row) == 0:
		return errEmptyRow
	case len(row) > math.MaxInt16:
		return errLongRow
	}
	return nil
}

func checkMutation(m *wire.Mutation) error {
	if len(m.Cells) == 0 {
		return errNoCells
	}
	for i := range m.Cells {
		if len(m.Cells[i].Family) > math.MaxInt8 {
			return errLongFamily
		}
	}
	return checkRow(m.Row)
}

// refuse makes the error of an operation that was not sent.
func (t *Table) refuse(op string, row []byte, err error) error {
	return &Error{Op: op, Table: t.name, Row: bytes.Clone(row), Err: err}
}
