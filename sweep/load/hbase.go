package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hbtune/sweep/hbase"
)

// family holds all columns.
var family = []byte("f")

// OpenHBase drives tables through a client, and reads the metrics of the
// RegionServers' web servers ("http://host:16030"). Without URLs it asks the
// master which RegionServers there are.
func OpenHBase(client *hbase.Client, infoURLs []string) (Cluster, Metrics) {
	return &hbaseCluster{client}, newHBaseMetrics(client, infoURLs)
}

type hbaseCluster struct{ client *hbase.Client }

func (c *hbaseCluster) Driver() string { return "native" }

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
	// reportPause lies between two looks.
	reportPause = 250 * time.Millisecond
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
		if pause(ctx, reportPause); ctx.Err() != nil {
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

func (c *hbaseCluster) ClearCache(ctx context.Context, table string) error {
	_, err := c.client.Admin().ClearBlockCache(ctx, table)
	return err
}
