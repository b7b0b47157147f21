// Package load drives randomized reads and writes against a table, at a
// controlled cache hit rate, and reports what was measured.
//
// The pipeline: Fill makes the table that is read and leaves it settled; Calibrate finds
// the working set at which the server finds a wanted share of data blocks in
// its block cache; Run drives a workload over that working set in a closed
// loop, lets the series of seconds say when the warm-up is over, and measures a
// window of fixed length after it. The result is a trial.Measurement, with
// flags for everything that makes it doubtful.
//
// What it drives and what it asks for counters are two small interfaces,
// Cluster and Metrics; OpenHBase fills both out of sweep/hbase and
// sweep/metrics. Which configuration the servers run with is not known here:
// that is the business of sweep and sweep/apply.
//
// # Life of an operation
//
// Each worker is one goroutine with its own generator, buffers and table
// handles. It draws an operation, prepares key and value, sends, waits, and
// appends one event (done, response, service, outcome) to a batch of its own.
// A full batch, or one whose second is over, goes to the single recorder over a
// channel and an empty one comes back; that is all that workers share. The
// recorder alone owns the histograms, so that a thousand workers need no more
// memory than one, no lock is taken per operation, and nothing is allocated.
//
// # What must hold
//
//   - A table without hbtune's marker is never written and never dropped.
//   - Response time starts where the previous operation ended, service time
//     where the call was sent; the closed loop therefore obeys Little's law up to
//     rounding, and a measurement that does not is flagged.
//   - Hit rates are differences of the servers' counters between two moments at
//     which these were seen to step, for servers refresh them only every few
//     seconds.
package load
