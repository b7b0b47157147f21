package hbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// realLimit bounds what a test on a real cluster waits for.
const realLimit = 10 * time.Minute

// real is a cluster, a client of it and a table.
type real struct {
	*testing.T
	ctx     context.Context
	cluster *local.Cluster
	client  *Client
	admin   *Admin
	table   *Table
}

func dialReal(t *testing.T, cluster *local.Cluster) *real {
	ctx, cancel := context.WithTimeout(context.Background(), realLimit)
	t.Cleanup(cancel)
	c, err := Dial(ctx, Config{Quorum: cluster.ZooKeeper(), Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &real{T: t, ctx: ctx, cluster: cluster, client: c, admin: c.Admin()}
}

// with returns the same for a test of its own, with a new table split at the
// keys.
func (r *real) with(t *testing.T, splits ...string) *real {
	own := dialReal(t, r.cluster)
	name := "hbtune_client_" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(t.Name(), "Test"), "/", "_"))
	own.dropTable(name)
	var keys [][]byte
	for _, s := range splits {
		keys = append(keys, []byte(s))
	}
	schema := &TableSchema{Name: name, Families: []FamilySchema{{Name: "f"}}}
	if err := own.admin.CreateTable(own.ctx, schema, keys); err != nil {
		t.Fatal(err)
	}
	own.table = own.client.Table(name)
	t.Cleanup(func() { own.dropTable(name) })
	return own
}

func (r *real) dropTable(name string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), realLimit)
	defer cancel()
	exists, err := r.admin.TableExists(ctx, name)
	if err == nil && exists {
		if err = r.admin.DisableTable(ctx, name); err == nil || isClass(err, "TableNotEnabledException") {
			err = r.admin.DeleteTable(ctx, name)
		}
	}
	if err != nil {
		r.Errorf("dropping table %s: %v", name, err)
	}
}

func (r *real) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// fill puts rows 0000, 0001, … with values of their own.
func (r *real) fill(n int) (rows []string) {
	r.Helper()
	var b Batch
	puts := make([]Put, n)
	for i := range puts {
		row := fmt.Sprintf("%04d", i)
		rows = append(rows, row)
		puts[i].Reset([]byte(row))
		puts[i].Add(family, qualifier, []byte("v"+row))
		b.Put(&puts[i])
	}
	r.must(r.table.Multi(r.ctx, &b))
	return rows
}

// realVersion names the variable that asks for another version of HBase than
// the one that all tests share.
const realVersion = "HBTUNE_REAL_VERSION"

// realCluster is the cluster all tests share, or one of the version asked for.
func realCluster(t *testing.T) *local.Cluster {
	if v := os.Getenv(realVersion); v != "" {
		return localtest.Private(t, local.Config{Version: v})
	}
	return localtest.Cluster(t)
}

// TestReal drives the data path and the administration of a real cluster.
func TestReal(t *testing.T) {
	r := dialReal(t, realCluster(t))
	t.Run("Rows", func(t *testing.T) { realRows(r.with(t, "m")) })
	t.Run("Atomic", func(t *testing.T) { realAtomic(r.with(t)) })
	if !strings.HasPrefix(r.cluster.Version(), "1.") { // as doc.go says
		t.Run("Registry", func(t *testing.T) { realRegistry(r.with(t)) })
		t.Run("Tables", func(t *testing.T) { realTables(r.with(t, "m")) })
	}
	t.Run("Multi", func(t *testing.T) { realMulti(r.with(t, "0250", "0500", "0750")) })
	t.Run("Scan", func(t *testing.T) { realScan(r.with(t, "0333", "0666")) })
	t.Run("LargeRows", func(t *testing.T) { realLargeRows(r.with(t)) })
	t.Run("Switches", func(t *testing.T) { realSwitches(r.with(t)) })
	t.Run("WrongPlaces", func(t *testing.T) { realWrongPlaces(r.with(t)) })
}

func realRows(r *real) {
	put := Put{Row: []byte("row")}
	put.Add(family, []byte("a"), []byte("1"))
	put.Add(family, []byte("b"), nil)
	put.Add(family, nil, []byte("no qualifier"))
	put.Durability = SkipWAL
	r.must(r.table.Put(r.ctx, &put))
	put.Cells[0].Value = []byte("2")
	put.Cells[0].Timestamp = 5 // older than what is there
	put.Cells = put.Cells[:1]
	r.must(r.table.Put(r.ctx, &put))

	var result Result
	r.must(r.table.Get(r.ctx, &Get{Row: []byte("row")}, &result))
	if len(result.Cells) != 3 || string(result.Row()) != "row" {
		r.Errorf("%d cells of row %q", len(result.Cells), result.Row())
	}
	if v, ok := result.Value(family, []byte("a")); !ok || string(v) != "1" {
		r.Errorf("column a: %q, %v", v, ok)
	}
	if v, ok := result.Value(family, []byte("b")); !ok || len(v) != 0 {
		r.Errorf("column b: %q, %v", v, ok)
	}
	get := Get{Row: []byte("row"), Columns: []Column{{Family: family, Qualifier: []byte("a")}, {Family: family, Qualifier: []byte("x")}}}
	r.must(r.table.Get(r.ctx, &get, &result))
	if len(result.Cells) != 1 {
		r.Errorf("%d cells of one column", len(result.Cells))
	}
	get = Get{Row: []byte("row"), TimeRange: TimeRange{To: 6}, MaxVersions: 3}
	r.must(r.table.Get(r.ctx, &get, &result))
	if len(result.Cells) > 1 {
		r.Errorf("%d cells before time 6", len(result.Cells))
	}
	for row, want := range map[string]bool{"row": true, "none": false} {
		r.must(r.table.Get(r.ctx, &Get{Row: []byte(row), ExistenceOnly: true}, &result))
		if result.Exists != want || len(result.Cells) != 0 {
			r.Errorf("row %s exists: %v", row, result.Exists)
		}
	}
	r.must(r.table.Get(r.ctx, &Get{Row: []byte("none")}, &result))
	if len(result.Cells) != 0 {
		r.Errorf("absent row: %q", result.Cells)
	}

	del := Delete{Row: []byte("row")}
	del.AddColumn(family, []byte("a"))
	r.must(r.table.Delete(r.ctx, &del))
	r.must(r.table.Get(r.ctx, &Get{Row: []byte("row")}, &result))
	if len(result.Cells) != 2 {
		r.Errorf("%d cells after a column was deleted", len(result.Cells))
	}
	del.Reset([]byte("row"))
	del.AddFamily(family)
	r.must(r.table.Delete(r.ctx, &del))
	r.must(r.table.Get(r.ctx, &Get{Row: []byte("row")}, &result))
	if len(result.Cells) != 0 {
		r.Errorf("deleted row: %q", result.Cells)
	}

	longest := bytes.Repeat([]byte("k"), 1<<15-1)
	put.Reset(longest)
	put.Add(family, nil, []byte("v"))
	r.must(r.table.Put(r.ctx, &put))
	r.must(r.table.Get(r.ctx, &Get{Row: longest}, &result))
	if !bytes.Equal(result.Row(), longest) {
		r.Errorf("longest row has %d bytes", len(result.Row()))
	}
	put.Row = append(longest, 'k')
	if err := r.table.Put(r.ctx, &put); !errors.Is(err, errLongRow) {
		r.Errorf("a row over the limit: %v", err)
	}
	put.Reset([]byte("row"))
	put.Add([]byte("none"), nil, nil)
	var e *Error
	if err := r.table.Put(r.ctx, &put); !errors.As(err, &e) || e.Class != "NoSuchColumnFamilyException" || e.Retryable || e.Attempts != 1 {
		r.Errorf("unknown family: %+v", err)
	}
}

func realAtomic(r *real) {
	var inc Increment
	var result Result
	for want := int64(5); want <= 15; want += 5 {
		inc.Reset([]byte("row"))
		inc.Add(family, []byte("n"), 5)
		inc.Add(family, []byte("m"), -1)
		r.must(r.table.Increment(r.ctx, &inc, &result))
		if v, _ := result.Value(family, []byte("n")); len(v) != 8 || int64(binary.BigEndian.Uint64(v)) != want {
			r.Errorf("incremented to %x, not %d", v, want)
		}
	}
	put := Put{Row: []byte("row")}
	put.Add(family, []byte("a"), []byte("ab"))
	r.must(r.table.Append(r.ctx, &put, nil))
	r.must(r.table.Append(r.ctx, &put, &result))
	if v, _ := result.Value(family, []byte("a")); string(v) != "abab" {
		r.Errorf("appended to %q", v)
	}
	put.Reset([]byte("new"))
	put.Add(family, qualifier, []byte("1"))
	absent := Condition{Family: family, Qualifier: qualifier}
	present := Condition{Family: family, Qualifier: qualifier, Value: []byte("1")}
	for i, want := range []bool{true, false} {
		if done, err := r.table.CheckAndPut(r.ctx, &absent, &put); err != nil || done != want {
			r.Errorf("check and put, time %d: %v, %v", i, done, err)
		}
	}
	del := Delete{Row: []byte("new")}
	del.AddColumn(family, qualifier)
	for i, want := range []bool{true, false} {
		if done, err := r.table.CheckAndDelete(r.ctx, &present, &del); err != nil || done != want {
			r.Errorf("check and delete, time %d: %v, %v", i, done, err)
		}
	}
}

// realRegistry finds everything through a RegionServer, and through a master,
// without ZooKeeper.
func realRegistry(r *real) {
	putRow(r.T, r.table, "row", "value")
	keepers := []local.Node{r.cluster.Master()}
	if server := r.cluster.RegionServers()[0]; strings.HasPrefix(r.cluster.Version(), "2.4.") {
		c, err := Dial(r.ctx, Config{Servers: server.Address})
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "it keeps no registry") {
			r.Errorf("a RegionServer of 2.4 as registry: %v", err)
		}
	} else {
		keepers = append(keepers, server)
	}
	for _, node := range keepers {
		c, err := Dial(r.ctx, Config{Servers: "127.0.0.1:1," + node.Address})
		if err != nil {
			r.Fatal(err)
		}
		if v, _ := getRow(r.T, c.Table(r.table.Name()), "row"); v != "value" {
			r.Errorf("by %s: %q", node.Name, v)
		}
		if _, err := c.Admin().ClusterStatus(r.ctx); err != nil {
			r.Errorf("by %s: %v", node.Name, err)
		}
		c.Close()
	}
}

func realMulti(r *real) {
	rows := r.fill(1000)
	var b Batch
	results := make([]Result, len(rows))
	del := Delete{Row: []byte("0999")}
	del.AddColumn(family, qualifier)
	for i, row := range rows {
		b.Get(&Get{Row: []byte(row)}, &results[i])
	}
	r.must(r.table.Multi(r.ctx, &b))
	for i, row := range rows {
		if v, _ := results[i].Value(family, qualifier); string(v) != "v"+row {
			r.Fatalf("row %s: %q", row, v)
		}
	}
	// One bad action among good ones fails alone.
	b.Reset()
	bad, good := Put{Row: []byte("0100")}, Put{Row: []byte("0200")}
	bad.Add([]byte("none"), nil, nil)
	good.Add(family, qualifier, []byte("new"))
	b.Put(&bad)
	b.Put(&good)
	b.Delete(&del)
	b.Get(&Get{Row: []byte("absent")}, &results[0])
	err := r.table.Multi(r.ctx, &b)
	var be *BatchError
	if !errors.As(err, &be) || be.Failed != 1 || b.Err(0) == nil {
		r.Errorf("%v", err)
	}
	if len(results[0].Cells) != 0 {
		r.Errorf("absent row: %q", results[0].Cells)
	}
	if v, _ := getRow(r.T, r.table, "0200"); v != "new" {
		r.Errorf("row 0200: %q", v)
	}
	if _, ok := getRow(r.T, r.table, "0999"); ok {
		r.Error("row 0999 was not deleted")
	}
	// More than one call can carry.
	b.Reset()
	value := make([]byte, 1<<20)
	puts := make([]Put, 20)
	for i := range puts {
		puts[i].Reset(fmt.Appendf(nil, "%04d", i*50))
		puts[i].Add(family, []byte("large"), value)
		b.Put(&puts[i])
	}
	r.must(r.table.Multi(r.ctx, &b))
}

func realScan(r *real) {
	rows := r.fill(1000)
	backwards := slices.Clone(rows)
	slices.Reverse(backwards)
	tests := []struct {
		name string
		scan Scan
		want []string
	}{
		{"all", Scan{}, rows},
		{"small calls", Scan{RowsPerCall: 17}, rows},
		{"small replies", Scan{BytesPerCall: 1000}, rows},
		{"limit", Scan{Limit: 400}, rows[:400]},
		{"limit and small calls", Scan{Limit: 400, RowsPerCall: 50}, rows[:400]},
		{"range", Scan{StartRow: []byte("0300"), StopRow: []byte("0700")}, rows[300:700]},
		{"inclusive", Scan{StartRow: []byte("0300"), StopRow: []byte("0666"), ExclusiveStart: true, InclusiveStop: true}, rows[301:667]},
		{"reversed", Scan{Reversed: true}, backwards},
		{"reversed, small calls", Scan{Reversed: true, RowsPerCall: 7, Limit: 500}, backwards[:500]},
		{"reversed range", Scan{Reversed: true, StartRow: []byte("0666"), StopRow: []byte("0333")}, backwards[333:666]},
		{"column", Scan{Columns: []Column{{Family: family, Qualifier: []byte("none")}}}, nil},
	}
	for _, test := range tests {
		if got := scanAll(r.T, r.table, &test.scan); !slices.Equal(got, test.want) {
			r.Errorf("%s: %d rows, not %d", test.name, len(got), len(test.want))
		}
	}
	// A scanner whose lease is renewed goes on; one that is closed leaves the
	// connection usable.
	s := r.table.Scan(r.ctx, &Scan{RowsPerCall: 10})
	for i := range 25 {
		if !s.Next() {
			r.Fatal(s.Err())
		}
		if i%7 == 0 {
			r.must(s.Renew(r.ctx))
		}
	}
	s.Close()
	s.Start(r.ctx, r.table, &Scan{Limit: 3})
	n := 0
	for s.Next() {
		n++
	}
	if n != 3 || s.Err() != nil {
		r.Errorf("restarted scanner: %d rows, %v", n, s.Err())
	}
}

func realLargeRows(r *real) {
	const rows, columns, size = 5, 40, 100 << 10 // 4 MB a row
	for i := range rows {
		put := Put{Row: fmt.Appendf(nil, "%d", i)}
		for j := range columns {
			put.Add(family, fmt.Appendf(nil, "%02d", j), bytes.Repeat([]byte{byte(i*columns + j)}, size))
		}
		r.must(r.table.Put(r.ctx, &put))
	}
	check := func(what string, result *Result, row, from, cells int) {
		if len(result.Cells) != cells || string(result.Row()) != fmt.Sprint(row) {
			r.Fatalf("%s: %d cells of row %q, not %d of %d", what, len(result.Cells), result.Row(), cells, row)
		}
		for j, c := range result.Cells {
			if v := c.Value(); len(v) != size || v[size-1] != byte(row*columns+from+j) {
				r.Fatalf("%s: row %d, cell %d: %d bytes", what, row, from+j, len(v))
			}
		}
	}
	var result Result
	r.must(r.table.Get(r.ctx, &Get{Row: []byte("3")}, &result))
	check("get", &result, 3, 0, columns)

	// Rows longer than a reply are put together.
	s := r.table.Scan(r.ctx, &Scan{BytesPerCall: 1 << 20})
	row := 0
	for ; s.Next(); row++ {
		check("scan", s.Result(), row, 0, columns)
	}
	if row != rows || s.Err() != nil {
		r.Errorf("scan: %d rows, %v", row, s.Err())
	}
	// Or come in pieces, if so wanted, each piece once, also when the scanner is
	// lost in between.
	for name, scan := range map[string]Scan{
		"pieces":  {BytesPerCall: 1 << 20, AllowPartial: true},
		"batches": {BatchCells: 7},
	} {
		s.Start(r.ctx, r.table, &scan)
		row, cell, pieces := 0, 0, 0
		for s.Next() {
			if string(s.Result().Row()) != fmt.Sprint(row) {
				row, cell = row+1, 0
			}
			check(name, s.Result(), row, cell, len(s.Result().Cells))
			cell += len(s.Result().Cells)
			if pieces++; pieces%4 == 0 && s.open {
				s.id++ // a scanner that the server does not know
			}
		}
		if row != rows-1 || cell != columns || s.Err() != nil || pieces <= rows {
			r.Errorf("%s: ended in row %d after %d cells and %d pieces, %v", name, row, cell, pieces, s.Err())
		}
	}
	n := 0
	s.Start(r.ctx, r.table, &Scan{BatchCells: 7, Limit: 2})
	for s.Next() {
		n += len(s.Result().Cells)
	}
	if n != 2*columns || s.Err() != nil {
		r.Errorf("two rows in batches: %d cells, %v", n, s.Err())
	}
}
