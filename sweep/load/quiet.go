package load

import (
	"context"
	"fmt"
	"time"

	"hbtune/sweep/trial"
)

// quietCap bounds the wait for flushes and compactions.
const quietCap = 5 * time.Minute

// AwaitQuiet waits, up to limit, until no flush and no compaction waits on the
// servers, and returns their state then; with a limit of 0 it only looks, and a
// state that can't be had is nil. That
// the queues are not empty in the end is for the reader of the state to judge.
func AwaitQuiet(ctx context.Context, m Metrics, limit time.Duration) (*trial.State, error) {
	begin := time.Now()
	for {
		// Servers that have just opened regions answer late, or not at all.
		look, cancel := context.WithTimeout(ctx, silentAfter)
		reading, err := m.Read(look)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && limit == 0:
			return nil, nil // whether it lasts is for the load to find out
		case err != nil:
			return nil, fmt.Errorf("read the servers' state before the load: %w", err)
		case limit == 0 || reading.QueueLength == 0 || time.Since(begin) >= limit:
			return stateOf(&reading), nil
		}
		pause(ctx, time.Second)
	}
}
