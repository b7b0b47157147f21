package apply

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// restart stops the named servers together, so that no region wanders from one
// to the other, and waits until all regions are served again.
func (l *Local) restart(ctx context.Context, names []string, limit time.Duration) (stop, start time.Duration, err error) {
	began := time.Now()
	group, inner := errgroup.WithContext(ctx)
	for _, name := range names {
		group.Go(func() error {
			if err := l.cluster.stop(inner, name); err != nil {
				return fmt.Errorf("stop %s: %w", name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return time.Since(began), 0, err
	}
	stop = time.Since(began)
	l.at("restart: stopped")
	began = time.Now()
	err = l.serve(ctx, limit)
	return stop, time.Since(began), err
}

// serve starts what is down and waits until all regions are served.
func (l *Local) serve(ctx context.Context, limit time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := l.cluster.up(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return fmt.Errorf("not all regions were open after %s: %w", limit, err)
	}
	if err != nil {
		return err
	}
	l.at("restart: serving")
	return nil
}

// startedAfter proves that a server read its configuration after it was
// written.
func (l *Local) startedAfter(ctx context.Context, name string, written time.Time) (time.Time, error) {
	began, err := l.cluster.started(ctx, name)
	if err != nil {
		return began, fmt.Errorf("ask %s when it started: %w", name, err)
	}
	// Servers tell milliseconds.
	if began.Before(written.Truncate(time.Millisecond)) {
		return began, fmt.Errorf("%s still is the process of %s, older than its configuration", name, began.Format(time.RFC3339))
	}
	return began, nil
}

// stale lists the RegionServers that may run with something else than the
// originals: those whose file was written, unless they are known to have
// started before that.
func (l *Local) stale(ctx context.Context) ([]string, error) {
	d, departed, err := l.store.departure()
	if err != nil || !departed {
		return nil, err
	}
	var names []string
	for _, name := range l.serverNames() {
		if len(d.Written[name]) == 0 {
			continue
		}
		if !d.Restarted {
			began, err := l.cluster.started(ctx, name)
			if err == nil && began.Before(d.Since.Truncate(time.Millisecond)) {
				continue
			}
		}
		names = append(names, name)
	}
	return names, nil
}

// serverNames lists the RegionServers.
func (l *Local) serverNames() []string {
	var names []string
	for _, s := range l.servers {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}
