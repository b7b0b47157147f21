// Package wire speaks HBase's RPC protocol: it appends requests to buffers and
// reads replies in place. It opens no connection and starts no goroutine; that
// is package hbase's part.
//
// A request is a frame: a 4-byte length, a RequestHeader, the parameter
// message, and optionally a block of cells in the KeyValue layout. A reply has
// the same shape with a ResponseHeader. Headers and messages are protocol
// buffers, each preceded by its length as a varint.
//
// Encoding appends (AppendX(b, …) []byte) so that callers keep one buffer for
// many calls. Decoding never copies: strings of bytes in a decoded value point
// into the frame and live as long as it does. No decoder allocates by the word
// of a length or a count that the frame itself does not cover, and none
// panics, whatever the bytes: each is fuzzed.
//
// Field numbers are those of HBase 2.6; fields that other versions lack are
// only sent when the caller asks for them.
package wire
