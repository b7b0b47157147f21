package apply

import (
	"context"
	"strings"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Target is an HBase whose settings can be changed and put back.
type Target interface {
	// Name is what records and messages call the target: "local".
	Name() string
	// Apply puts a variant in force on fresh RegionServers, starting from the
	// originals whatever was applied before, and proves it by what the servers
	// say of themselves. It returns what they said of the variant's properties
	// and of those that Options.Observe names.
	//
	// A *Fault means that the variant is not in force and the originals are back,
	// or, where it was refused, that nothing was changed; a *NotRestored that
	// they could not be put back. When ctx ends, Apply returns its error at once
	// and leaves the target for Restore. After any other error nothing was
	// changed.
	Apply(ctx context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error)
	// Effective reads the running values of properties, which must be the same
	// on all RegionServers. One that is unset counts with the catalogue's default,
	// and is empty where that is computed.
	Effective(ctx context.Context, names []string) (hbaseconf.Settings, error)
	// Keep leaves what was applied in force for good; Restore, by any later
	// process, still takes it off.
	Keep() error
	// Restore puts the originals back, proves them by hash and waits until they
	// are served. It does what is needed, be it nothing, in whatever state an
	// earlier process left the target.
	Restore(ctx context.Context) error
	// Close lets others work on the target. It changes nothing on it.
	Close() error
}

// Options are the zero value for a sweep.
type Options struct {
	// Observe names properties that are read back after every Apply besides the
	// variant's own.
	Observe []string
	// Unchecked applies also what HBase is known to refuse.
	Unchecked bool
	// Force lets Restore overwrite files that somebody else changed, putting a
	// copy aside.
	Force bool
	// ServeTimeout bounds the wait for all regions after a restart with a variant;
	// five minutes if zero. Restoring waits for twice as long.
	ServeTimeout time.Duration
	// Undo is the command that messages name for putting the target back;
	// `hbtune sweep restore DIR` if empty.
	Undo string
}

const defaultServeTimeout = 5 * time.Minute

// oneLine joins the lines of a message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
