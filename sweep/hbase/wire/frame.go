package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxFrame is the largest frame that is sent or taken, HBase's own default for
// requests (hbase.ipc.max.request.size).
const MaxFrame = 256 << 20

// FrameHeader is the size of the length before each frame.
const FrameHeader = 4

// FatalCallID is the call id of a reply that is about the connection itself:
// the server closes it afterwards.
const FatalCallID = 0xFFFFFFFF

// ErrNotRPC is what reading from a port of HBase's web pages gives.
var ErrNotRPC = errors.New("the server answers in HTTP: this is a web (info) port, not an RPC port")

// AppendRequest appends a whole request frame: param is the parameter with its
// length before it, as the functions that append parameters leave it, and
// cells the cell block.
func AppendRequest(b []byte, h *RequestHeader, param, cells []byte) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b, mark := beginPrefixed(b)
	b = h.append(b, len(cells))
	b = end(b, mark)
	b = append(b, param...)
	b = append(b, cells...)
	return putLength(b, start)
}

// putLength fills in the 4-byte length kept free at start.
func putLength(b []byte, start int) []byte {
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-FrameHeader))
	return b
}

// FrameLength reads the length of a frame that begins with b, which holds at
// least FrameHeader bytes.
func FrameLength(b []byte) (int, error) {
	n := binary.BigEndian.Uint32(b)
	if n > MaxFrame || n == 0 {
		if string(b[:4]) == "HTTP" {
			return 0, ErrNotRPC
		}
		return 0, fmt.Errorf("%w: frame of %d bytes: this is not HBase's RPC, or the stream is damaged", ErrMalformed, n)
	}
	return int(n), nil
}

func errCut(what string, have int) error {
	return fmt.Errorf("%w: %s ends after %d bytes", ErrMalformed, what, have)
}
