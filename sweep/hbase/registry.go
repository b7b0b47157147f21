package hbase

import (
	"context"

	"hbtune/sweep/hbase/wire"
)

// registry finds the two places from which everything else is found.
type registry interface {
	// meta is the server of hbase:meta.
	meta(ctx context.Context) (wire.ServerName, error)
	// master is the active master.
	master(ctx context.Context) (wire.ServerName, error)
}
