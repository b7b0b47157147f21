// Package envfile reads hbase-env.sh as HBase's own scripts do: which variables
// it sets, where, and what command line of the Java machine comes out of them
// for each kind of process (File.Flags, File.Memory).
//
// The file is a shell script, but it is never run. Assignments, export, quotes,
// and references with or without a default are evaluated; what stands inside an
// if, a case or a loop is evaluated too and marked as uncertain; what a command
// would print is not known.
package envfile
