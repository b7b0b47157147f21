package hbase

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoffSteps are the multiples of the pause that Java's client waits after
// the first, second, … failure; the last repeats.
var backoffSteps = [...]int{1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200}

// backoff is how long to wait after the nth failure (from 0), with up to 1 % on
// top so that callers who failed together don't come back together.
func backoff(pause time.Duration, n int) time.Duration {
	wait := pause * time.Duration(backoffSteps[min(n, len(backoffSteps)-1)])
	return wait + time.Duration(rand.Float64()*0.01*float64(wait))
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
