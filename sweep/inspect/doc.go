// Package inspect looks at a running cluster without changing anything: what its
// servers run with, where they differ from each other and from a file, what lint
// says of that with their real heap and regions, and, over a window, what they
// suffer from.
//
// Servers are read over HTTP (sweep/metrics), found through the Master
// (sweep/hbase) or named by URL. The judging is done elsewhere and purely:
// hbaseconf/lint for the configuration, sweep/diagnose for what the figures say.
package inspect
