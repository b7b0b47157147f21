package load

import (
	"bytes"
	"context"
	"errors"

	"hbtune/sweep/hbase"
)

// hbaseTable is one goroutine's handle with its reusable requests.
type hbaseTable struct {
	table *hbase.Table
	names [][]byte
	// first is the column that the first value of what was read should be of.
	first  int
	result *hbase.Result // the row being looked at
	// durability of what is written; the zero value is the table's own.
	durability hbase.Durability

	get     hbase.Get
	got     hbase.Result
	put     hbase.Put
	puts    []hbase.Put
	gets    []hbase.Get
	results []hbase.Result
	batch   hbase.Batch
	scan    hbase.Scan
	scanner hbase.Scanner
	columns []hbase.Column
}

func (c *hbaseCluster) Table(name string, columns, worker int) Table {
	return c.open(name, columns, worker)
}

func (c *hbaseCluster) open(name string, columns, worker int) *hbaseTable {
	return &hbaseTable{table: c.client.Table(name).ForWorker(worker), names: columnNames(columns)}
}

// wanted lists the columns to ask for; none stands for all.
func (t *hbaseTable) wanted(c Columns) []hbase.Column {
	t.first = c.First
	t.columns = t.columns[:0]
	if c.Count == len(t.names) && c.Count > 1 {
		return nil
	}
	for _, name := range t.names[c.First : c.First+c.Count] {
		t.columns = append(t.columns, hbase.Column{Family: family, Qualifier: name})
	}
	return t.columns
}

func (t *hbaseTable) Get(ctx context.Context, key []byte, columns Columns) (bool, error) {
	t.get.Row, t.get.Columns = key, t.wanted(columns)
	t.result = &t.got
	if err := t.table.Get(ctx, &t.get, &t.got); err != nil {
		return false, &callError{err}
	}
	return len(t.got.Cells) > 0, nil
}

func (t *hbaseTable) GetAll(ctx context.Context, keys [][]byte, columns Columns, row func(i int, found bool)) error {
	if len(t.gets) < len(keys) {
		t.gets, t.results = make([]hbase.Get, len(keys)), make([]hbase.Result, len(keys))
	}
	wanted := t.wanted(columns)
	t.batch.Reset()
	for i, key := range keys {
		t.gets[i].Row, t.gets[i].Columns = key, wanted
		t.batch.Get(&t.gets[i], &t.results[i])
	}
	if err := t.table.Multi(ctx, &t.batch); err != nil {
		return &callError{err}
	}
	for i := range keys {
		t.result = &t.results[i]
		row(i, len(t.result.Cells) > 0)
	}
	return nil
}

func (t *hbaseTable) Scan(ctx context.Context, start []byte, limit int, columns Columns, row func(key []byte)) error {
	t.scan.StartRow, t.scan.StopRow = start, sentinel
	t.scan.Columns, t.scan.Limit = t.wanted(columns), limit
	t.scanner.Start(ctx, t.table, &t.scan)
	t.result = t.scanner.Result()
	for t.scanner.Next() {
		row(t.result.Row())
	}
	err := t.scanner.Err()
	t.scanner.Close()
	if err != nil {
		return &callError{err}
	}
	return nil
}

func (t *hbaseTable) Value(column int) ([]byte, bool) {
	i := column - t.first
	if i < 0 || i >= len(t.result.Cells) {
		return nil, false
	}
	cell := t.result.Cells[i]
	if !bytes.Equal(cell.Qualifier(), t.names[column]) {
		return t.result.Value(family, t.names[column]) // a column before it is missing
	}
	return cell.Value(), true
}

func (t *hbaseTable) Put(ctx context.Context, row Row) error {
	t.fill(&t.put, row)
	if err := t.table.Put(ctx, &t.put); err != nil {
		return &callError{err}
	}
	return nil
}

func (t *hbaseTable) PutAll(ctx context.Context, rows []Row) error {
	if len(t.puts) < len(rows) {
		t.puts = make([]hbase.Put, len(rows))
	}
	t.batch.Reset()
	for i, row := range rows {
		t.fill(&t.puts[i], row)
		t.batch.Put(&t.puts[i])
	}
	if err := t.table.Multi(ctx, &t.batch); err != nil {
		return &callError{err}
	}
	return nil
}

func (t *hbaseTable) fill(p *hbase.Put, row Row) {
	p.Reset(row.Key)
	p.Durability = t.durability
	for i, value := range row.Values {
		p.Add(family, t.names[row.First+i], value)
	}
}

// callError gives a client's error its class.
type callError struct{ err error }

func (e *callError) Error() string { return e.err.Error() }
func (e *callError) Unwrap() error { return e.err }

// Class is the server's exception, or what went wrong on this side.
func (e *callError) Class() string {
	var failure *hbase.Error
	switch {
	case errors.As(e.err, &failure) && failure.Class != "":
		return failure.Class
	case errors.Is(e.err, context.DeadlineExceeded):
		return "timeout"
	default:
		return "connection"
	}
}
