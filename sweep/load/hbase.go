package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hbtune/sweep/hbase"
)

// Where rows keep their value.
var (
	family    = []byte("f")
	qualifier = []byte("v")
)

// OpenHBase drives tables through a client, and reads the metrics of the
// RegionServers' web servers ("http://host:16030"). Without URLs it asks the
// master which RegionServers there are.
func OpenHBase(client *hbase.Client, infoURLs []string) (Cluster, Metrics) {
	return &hbaseCluster{client}, newHBaseMetrics(client, infoURLs)
}

type hbaseCluster struct{ client *hbase.Client }

func (c *hbaseCluster) Driver() string { return "native" }

func (c *hbaseCluster) Table(name string, worker int) Table {
	t := &hbaseTable{table: c.client.Table(name).ForWorker(worker)}
	t.get.Columns = []hbase.Column{{Family: family, Qualifier: qualifier}}
	return t
}

func (c *hbaseCluster) Describe(ctx context.Context, table string) (attributes map[string]string, found bool, err error) {
	admin := c.client.Admin()
	if found, err = admin.TableExists(ctx, table); err != nil || !found {
		return nil, false, err
	}
	schema, err := admin.TableDescriptor(ctx, table)
	if err != nil {
		return nil, false, err
	}
	attributes = make(map[string]string, len(schema.Attributes))
	for _, a := range schema.Attributes {
		attributes[a.Name] = a.Value
	}
	return attributes, true, nil
}

func (c *hbaseCluster) Create(ctx context.Context, table string, attributes map[string]string, splits [][]byte) error {
	schema := &hbase.TableSchema{Name: table, Families: []hbase.FamilySchema{{Name: string(family)}}}
	for name, value := range attributes {
		schema.Attributes = append(schema.Attributes, hbase.Attribute{Name: name, Value: value})
	}
	return c.client.Admin().CreateTable(ctx, schema, splits)
}

// Drop also removes a table that an interrupted one has left disabled.
func (c *hbaseCluster) Drop(ctx context.Context, table string) error {
	admin := c.client.Admin()
	var refused *hbase.Error
	if err := admin.DisableTable(ctx, table); err != nil &&
		!(errors.As(err, &refused) && refused.Class == "TableNotEnabledException") {
		return err
	}
	return admin.DeleteTable(ctx, table)
}

func (c *hbaseCluster) Regions(ctx context.Context, table string) ([]string, error) {
	regions, err := c.client.Admin().Regions(ctx, table)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(regions))
	for i, r := range regions {
		names[i] = r.Name
	}
	return names, nil
}

const (
	// reportWait bounds the wait for the RegionServers' next report to the
	// master, which they send every few seconds.
	reportWait = 20 * time.Second
	// settleTries bounds how often a table is compacted until it is settled: a
	// flush that the server itself began may add a file meanwhile.
	settleTries = 4
)

// Settle compacts only where a flush or the master's last report shows need. A
// region that the server itself is just flushing refuses to be flushed and keeps
// what has come since; therefore a last flush must find nothing.
func (c *hbaseCluster) Settle(ctx context.Context, table string) error {
	admin := c.client.Admin()
	flushed, err := admin.Flush(ctx, table)
	if err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	needed := flushed > 0
	for range settleTries {
		if needed {
			if err := admin.Compact(ctx, table, true); err != nil {
				return fmt.Errorf("compact: %w", err)
			}
		}
		settled, err := c.awaitSettled(ctx, table, !needed)
		if err != nil {
			return err
		}
		if settled {
			if flushed, err = admin.Flush(ctx, table); err != nil {
				return fmt.Errorf("flush: %w", err)
			}
			if flushed == 0 {
				return nil
			}
		}
		needed = true
	}
	return fmt.Errorf("some regions still have several store files, or something to flush, after %d compactions", settleTries)
}

// awaitSettled waits until the master has been told of all the table's regions
// that each has one store file at most. A report may be older than what was done
// last, so one that says otherwise is final only if that is said to be enough.
func (c *hbaseCluster) awaitSettled(ctx context.Context, table string, firstIsFinal bool) (bool, error) {
	names, err := c.Regions(ctx, table)
	if err != nil {
		return false, err
	}
	for deadline := time.Now().Add(reportWait); ; {
		reported, several, err := c.reported(ctx, names)
		switch {
		case err != nil:
			return false, err
		case reported == len(names) && several == 0:
			return true, nil
		case several > 0 && firstIsFinal, time.Now().After(deadline):
			return false, nil
		}
		if pause(ctx, 250*time.Millisecond); ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
}

// reported counts the regions that the master has been told of, and those of
// them that have more than one file a store.
func (c *hbaseCluster) reported(ctx context.Context, regions []string) (reported, several int, err error) {
	status, err := c.client.Admin().ClusterStatus(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, server := range status.Live {
		for _, region := range server.Regions {
			if !slices.Contains(regions, region.Name) {
				continue
			}
			reported++
			if region.StoreFiles > region.Stores {
				several++
			}
		}
	}
	return reported, several, nil
}

// hbaseTable is one goroutine's handle with its reusable requests.
type hbaseTable struct {
	table  *hbase.Table
	get    hbase.Get
	result hbase.Result
	put    hbase.Put
	puts   []hbase.Put
	batch  hbase.Batch
}

func (t *hbaseTable) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	t.get.Row = key
	if err := t.table.Get(ctx, &t.get, &t.result); err != nil {
		return nil, false, &callError{err}
	}
	value, found = t.result.Value(family, qualifier)
	return value, found, nil
}

func (t *hbaseTable) Put(ctx context.Context, key, value []byte) error {
	t.put.Reset(key)
	t.put.Add(family, qualifier, value)
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
		p := &t.puts[i]
		p.Reset(row.Key)
		p.Add(family, qualifier, row.Value)
		t.batch.Put(p)
	}
	if err := t.table.Multi(ctx, &t.batch); err != nil {
		return &callError{err}
	}
	return nil
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
