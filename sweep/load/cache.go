package load

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"hbtune/sweep/trial"
)

// warmScan is how many rows one call of Warm's reads.
const warmScan = 1000

// Warm reads the whole working set once, in the order of keys, so that the block
// cache holds what it can of it. It returns the number of rows that were read.
func Warm(ctx context.Context, c Cluster, w trial.Workload) (rows int64, err error) {
	shape, err := loadedShape(ctx, c, w.Table, ShapeOf(w, 1, 0))
	if err != nil {
		return 0, err
	}
	cfg := Config{Workload: w}
	keys := shape.keys()
	var read atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(min(w.Threads, 16), 1))
	for region := range int64(shape.Regions) {
		g.Go(func() error {
			n, err := warmRegion(ctx, c.Table(w.Table, shape.Columns, int(region)), keys, region, cfg.workingSet(), shape)
			read.Add(n)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, fmt.Errorf("warm the cache: %w", err)
	}
	return read.Load(), nil
}

// warmRegion reads the rows of the working set that were dealt to one region:
// its first ones. Hashed rows lie everywhere, so all of the region is read.
func warmRegion(ctx context.Context, t Table, keys Keys, region, workingSet int64, shape Shape) (int64, error) {
	var start [KeyLen]byte
	keys.Put(&start, region)
	wanted := (workingSet - region + int64(shape.Regions) - 1) / int64(shape.Regions)
	var end []byte
	if shape.Hashed {
		wanted = shape.Rows
		splits := keys.Splits()
		copy(start[:], "0000000000000000")
		if region > 0 {
			copy(start[:], splits[region-1])
		}
		if int(region) < len(splits) {
			end = splits[region]
		}
	}
	done := int64(0)
	next := append([]byte(nil), start[:]...)
	var last []byte
	for done < wanted {
		got := 0
		past := false
		err := t.Scan(ctx, next, int(min(warmScan, wanted-done)), Columns{0, shape.Columns}, func(key []byte) {
			got++
			past = past || end != nil && string(key) >= string(end)
			last = append(last[:0], key...)
		})
		if err != nil {
			return done, err
		}
		done += int64(got)
		if past || int64(got) < min(warmScan, wanted-done+int64(got)) {
			break
		}
		next = append(append(next[:0], last...), 0)
	}
	return done, nil
}
