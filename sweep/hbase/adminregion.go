package hbase

import (
	"context"
	"fmt"
	"time"

	"hbtune/sweep/hbase/wire"
)

// Region is a region as hbase:meta has it.
type Region struct {
	Name     string // full name
	Table    string
	StartKey []byte
	EndKey   []byte // empty: to the table's end
	Server   string // host:port; empty while no server has it
	Open     bool
	info     wire.RegionInfo
}

// Regions lists a table's regions in order, as hbase:meta has them now.
func (a *Admin) Regions(ctx context.Context, table string) ([]Region, error) {
	infos, err := a.client.Table(table).regionInfos(ctx)
	if err != nil {
		return nil, err
	}
	regions := make([]Region, len(infos))
	for i, m := range infos {
		regions[i] = Region{
			Name: string(m.name), Table: m.Table, StartKey: m.StartKey, EndKey: m.EndKey,
			Server: m.server, Open: m.open(), info: m.RegionInfo,
		}
	}
	return regions, nil
}

// Flush writes the memstores of all the table's regions to disk and returns
// when that is done. flushed counts the regions that had anything to flush.
func (a *Admin) Flush(ctx context.Context, table string) (flushed int, err error) {
	err = a.eachRegion(ctx, table, "FlushRegion", func(r Region, b []byte) []byte {
		return wire.AppendFlushRegion(b, []byte(r.Name))
	}, func(reply wire.Reply) error {
		done, err := wire.ParseFlushRegion(reply)
		if done {
			flushed++
		}
		return err
	})
	return flushed, err
}

// Compact asks for a compaction of all the table's regions and waits until none
// is compacting any more.
func (a *Admin) Compact(ctx context.Context, table string, major bool) error {
	err := a.eachRegion(ctx, table, "CompactRegion", func(r Region, b []byte) []byte {
		return wire.AppendCompactRegion(b, []byte(r.Name), major)
	}, nil)
	if err != nil {
		return err
	}
	return a.AwaitCompaction(ctx, table)
}

// compactionSettles is how long no region must have been compacting: a request
// is queued for a moment before its state shows.
const compactionSettles = time.Second

// AwaitCompaction waits until none of the table's regions is compacting.
func (a *Admin) AwaitCompaction(ctx context.Context, table string) error {
	quiet := time.Now()
	for {
		state, err := a.CompactionState(ctx, table)
		if err != nil {
			return err
		}
		switch {
		case state != wire.CompactionNone:
			quiet = time.Now()
		case time.Since(quiet) >= compactionSettles:
			return nil
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return wrapReply("Compact", table, fmt.Errorf("waiting for its end: %w", err))
		}
	}
}

// CompactionState sums up what compactions run on the table's regions.
func (a *Admin) CompactionState(ctx context.Context, table string) (CompactionState, error) {
	sum := wire.CompactionNone
	err := a.eachRegion(ctx, table, "GetRegionInfo", func(r Region, b []byte) []byte {
		return wire.AppendRegionInfoRequest(b, []byte(r.Name))
	}, func(reply wire.Reply) error {
		state, err := wire.ParseCompactionState(reply)
		sum |= state // minor 1, major 2, both 3
		return err
	})
	return sum, err
}

// ClearBlockCache drops the blocks of the table's regions from the block cache
// and returns how many there were.
func (a *Admin) ClearBlockCache(ctx context.Context, table string) (int64, error) {
	const method = "ClearRegionBlockCache"
	regions, err := a.Regions(ctx, table)
	if err != nil {
		return 0, err
	}
	byServer := make(map[string][][]byte)
	for _, r := range regions {
		if r.Open {
			byServer[r.Server] = append(byServer[r.Server], []byte(r.Name))
		}
	}
	blocks := int64(0)
	for server, names := range byServer {
		reply, err := a.at(ctx, server, method, table, func(b []byte) []byte { return wire.AppendClearBlockCache(b, names) })
		if err != nil {
			return blocks, err
		}
		evicted, err := wire.ParseClearBlockCache(reply)
		if err == nil && len(evicted.Exceptions) > 0 {
			err = fmt.Errorf("%d regions failed, the first with: %s", len(evicted.Exceptions), firstLine("", evicted.Exceptions[0]))
		}
		if err != nil {
			return blocks, wrapReply(method, table, err)
		}
		blocks += evicted.Blocks
	}
	return blocks, nil
}

// regionTries bounds how often a region's new place is looked for.
const regionTries = 10

// eachRegion calls an AdminService method for every region of the table on the
// server that has it. A region that moves meanwhile is followed.
func (a *Admin) eachRegion(ctx context.Context, table, method string,
	param func(Region, []byte) []byte, take func(wire.Reply) error,
) error {
	regions, err := a.Regions(ctx, table)
	if err != nil {
		return err
	}
	if len(regions) == 0 {
		return wrapReply(method, table, ErrTableNotFound)
	}
	done := make(map[string]bool, len(regions))
	for try := 1; ; try++ {
		var last error
		for _, r := range regions {
			if done[r.Name] {
				continue
			}
			if !r.Open {
				last = &Error{Op: method, Table: table, Region: r.Name, Attempts: try, Retryable: true, Err: errNoRegion}
				continue
			}
			reply, err := a.at(ctx, r.Server, method, table, func(b []byte) []byte { return param(r, b) })
			if err != nil {
				last = err
				continue
			}
			done[r.Name] = true
			if take != nil {
				if err := take(reply); err != nil {
					return wrapReply(method, table, err)
				}
			}
		}
		if last == nil {
			return nil
		}
		if try == regionTries || !isRetryable(last) {
			return last
		}
		if err := sleep(ctx, backoff(a.client.cfg.Pause, try)); err != nil {
			return wrapReply(method, table, endedWaiting(err, last))
		}
		if regions, err = a.Regions(ctx, table); err != nil {
			return err
		}
	}
}
