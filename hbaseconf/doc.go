// Package hbaseconf is the vocabulary of HBase configuration: which properties
// there are (Catalogue), what a value of each may be (Value), how a set of them
// is written down (Settings), how Hadoop reads a site file (Site), how one is
// edited without touching anything else (Site.With), and what HBase itself
// would refuse (Feasible).
//
// It is pure: it starts nothing, knows no cluster, and reads no file except
// those that a site file includes from its own folder. Every other package of
// hbtune speaks in its terms and it imports none of them.
package hbaseconf
