// Package hbase is a client for HBase that is made for measuring: it speaks the
// RPC protocol natively (package wire), holds no call back, and allocates
// nothing for a get or a put once it has warmed up.
package hbase
