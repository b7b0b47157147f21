package hbase

import (
	"context"
	"errors"
	"slices"

	"hbtune/sweep/hbase/wire"
)

// CreateTable creates a table, split at the given keys, and waits until it is
// enabled. Only the table's and the families' names must be set.
func (a *Admin) CreateTable(ctx context.Context, schema *TableSchema, splitKeys [][]byte) error {
	schema = withVersions(schema)
	return a.procedure(ctx, "CreateTable", schema.Name, func(b []byte, nonce wire.Nonce) []byte {
		return wire.AppendCreateTable(b, schema, splitKeys, nonce)
	})
}

// withVersions says of each family how many versions it keeps, which masters
// before HBase 2.0 insist on. 1 is what all others take for granted.
func withVersions(schema *TableSchema) *TableSchema {
	const versions = "VERSIONS"
	own := *schema
	own.Families = slices.Clone(schema.Families)
	for i, f := range own.Families {
		if !slices.ContainsFunc(f.Attributes, func(a Attribute) bool { return a.Name == versions }) {
			own.Families[i].Attributes = append(slices.Clone(f.Attributes), Attribute{Name: versions, Value: "1"})
		}
	}
	return &own
}

// ModifyTable puts a descriptor, made out of TableDescriptor's, in place of the
// table's; its regions reopen one after the other.
func (a *Admin) ModifyTable(ctx context.Context, schema *TableSchema) error {
	return a.procedure(ctx, "ModifyTable", schema.Name, func(b []byte, nonce wire.Nonce) []byte {
		return wire.AppendModifyTable(b, schema, nonce)
	})
}

// EnableTable enables a disabled table.
func (a *Admin) EnableTable(ctx context.Context, table string) error {
	return a.procedure(ctx, "EnableTable", table, changeTable(table))
}

// DisableTable takes a table out of service.
func (a *Admin) DisableTable(ctx context.Context, table string) error {
	return a.procedure(ctx, "DisableTable", table, changeTable(table))
}

// DeleteTable deletes a table, which must be disabled.
func (a *Admin) DeleteTable(ctx context.Context, table string) error {
	err := a.procedure(ctx, "DeleteTable", table, changeTable(table))
	a.client.Table(table).cache.clear()
	return err
}

// TruncateTable empties a table, which must be disabled and is enabled
// afterwards. With keepSplits its regions keep their boundaries.
func (a *Admin) TruncateTable(ctx context.Context, table string, keepSplits bool) error {
	err := a.procedure(ctx, "truncateTable", table, func(b []byte, nonce wire.Nonce) []byte {
		return wire.AppendTruncateTable(b, table, keepSplits, nonce)
	})
	a.client.Table(table).cache.clear() // regions have new names
	return err
}

// TableExists reports whether there is such a table, enabled or not.
func (a *Admin) TableExists(ctx context.Context, table string) (bool, error) {
	_, err := a.TableState(ctx, table)
	if isUnsupported(err) { // by masters before HBase 2.0
		_, err = a.TableDescriptor(ctx, table)
	}
	if isClass(err, "TableNotFoundException") || errors.Is(err, ErrTableNotFound) {
		return false, nil
	}
	return err == nil, err
}

// TableState tells whether a table is enabled.
func (a *Admin) TableState(ctx context.Context, table string) (TableState, error) {
	reply, err := a.master(ctx, "GetTableState", table, onTable(table))
	if err != nil {
		return 0, err
	}
	state, err := wire.ParseTableStateReply(reply)
	return state, wrapReply("GetTableState", table, err)
}

// TableDescriptor returns a table's descriptor. The server adds attributes of
// its own to those that the table was made with.
func (a *Admin) TableDescriptor(ctx context.Context, table string) (*TableSchema, error) {
	const method = "GetTableDescriptors"
	reply, err := a.master(ctx, method, table, onTable(table))
	if err != nil {
		return nil, err
	}
	schemas, err := wire.ParseTableSchemas(reply)
	if err != nil {
		return nil, wrapReply(method, table, err)
	}
	if len(schemas) == 0 {
		return nil, wrapReply(method, table, ErrTableNotFound)
	}
	return &schemas[0], nil
}

func onTable(table string) func([]byte) []byte {
	return func(b []byte) []byte { return wire.AppendTable(b, table) }
}

func changeTable(table string) func([]byte, wire.Nonce) []byte {
	return func(b []byte, nonce wire.Nonce) []byte { return wire.AppendTableProcedure(b, table, nonce) }
}

func wrapReply(method, table string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: method, Table: table, Attempts: 1, Err: err}
}
