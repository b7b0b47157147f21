package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hbtune/sweep/hbase"
)

// unlogger is a cluster that can take rows without its write-ahead log. That
// makes loading two to three times as fast, and is safe only for rows that can be
// made again: what is not flushed goes with its server.
type unlogger interface {
	// Unlogged is Table with a handle whose writes skip the log.
	Unlogged(name string, columns, worker int) Table
	// Flush returns when nothing of a table is left to be flushed.
	Flush(ctx context.Context, table string) error
	// Servers changes when a server comes, goes or is restarted.
	Servers(ctx context.Context) (string, error)
}

// loadUnlogged loads a table without the log. lost says that a server came or
// went before everything was flushed, so that rows may be missing.
func loadUnlogged(ctx context.Context, c unlogger, table string, put func(open opener) error) (lost bool, err error) {
	before, err := c.Servers(ctx)
	if err != nil {
		return false, err
	}
	if err := put(c.Unlogged); err != nil {
		return false, err
	}
	if err := c.Flush(ctx, table); err != nil {
		return false, err
	}
	after, err := c.Servers(ctx)
	return after != before, err
}

// opener is Cluster.Table, or Unlogged.
type opener func(name string, columns, worker int) Table

func (c *hbaseCluster) Unlogged(name string, columns, worker int) Table {
	t := c.open(name, columns, worker)
	t.durability = hbase.SkipWAL
	return t
}

// flushTries bounds how often a table is flushed until nothing is left.
const flushTries = 40

// Flush asks until every region has had nothing to flush twice in a row: one that
// the server itself is just flushing refuses, and keeps what has come since.
func (c *hbaseCluster) Flush(ctx context.Context, table string) error {
	clean := 0
	for range flushTries {
		flushed, err := c.client.Admin().Flush(ctx, table)
		if err != nil {
			return fmt.Errorf("flush: %w", err)
		}
		if clean++; flushed > 0 {
			clean = 0
		}
		if clean == 2 {
			return nil
		}
		if pause(ctx, reportPause); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.New("flush: something else writes to the table")
}

func (c *hbaseCluster) Servers(ctx context.Context) (string, error) {
	status, err := c.client.Admin().ClusterStatus(ctx)
	if err != nil {
		return "", fmt.Errorf("ask the master for its RegionServers: %w", err)
	}
	var names []string
	for _, server := range status.Live {
		names = append(names, "+"+server.Server.String())
	}
	for _, server := range status.Dead {
		names = append(names, "-"+server.String())
	}
	slices.Sort(names)
	return strings.Join(names, " "), nil
}
