// Package load drives reads and writes against a table, at a controlled cache
// hit rate and by a schedule if wanted, and reports what was measured.
//
// The pipeline: a Scenario says what is done, as a preset or a workload file of
// YCSB has it; Fill makes the table that is read and leaves it settled;
// Calibrate finds the working set at which the server finds a wanted share of
// data blocks in its block cache; Run drives a workload, lets the series of
// seconds say when the warm-up is over, and measures a window of fixed length
// after it. The result is a trial.Measurement, with flags for everything that
// makes it doubtful. Job does these in turn, RunSuite the steps of a published
// benchmark.
//
// What it drives and what it asks for counters are two small interfaces,
// Cluster and Metrics; OpenHBase fills both out of sweep/hbase and
// sweep/metrics, OpenJava drives HBase's own client in a process of its own.
// Which configuration the servers run with is not known here: that is the
// business of sweep and sweep/apply.
//
// # Life of an operation
//
// Each worker is one goroutine with its own generators, buffers and table
// handles (mix.go makes them). It draws an operation (operation.go), prepares
// key and values, sends, waits, checks what came, and appends one event (done,
// response, service, outcome) to a batch of its own. A full batch, or one whose
// second is over, goes to the single recorder over a channel and an empty one
// comes back; that is all that workers share, apart from the count of rows that
// were inserted. The recorder alone owns the histograms, so that a thousand
// workers need no more memory than one, no lock is taken per operation, and
// nothing is allocated.
//
// In a closed loop a worker begins when its last operation has ended. In an open
// one (pace.go) a single goroutine sleeps until the next intended start and hands
// it to whichever worker is free.
//
// # What must hold
//
//   - A table without hbtune's marker is never written and never dropped.
//   - Response time starts where the operation should have started, service time
//     where the call was sent; the closed loop therefore obeys Little's law up to
//     rounding, and a measurement that does not is flagged.
//   - Values follow from row, column and seed, so that every read and every scan
//     can be checked, whatever was written since.
//   - Hit rates are differences of the servers' counters between two moments at
//     which these were seen to step, for servers refresh them only every few
//     seconds.
package load
