package hbase

import (
	"io"

	"hbtune/sweep/hbase/wire"
)

const (
	readBuffer = 64 << 10
	// firstBigRead bounds what is allocated on the word of a frame's length
	// before any of it has come.
	firstBigRead = 1 << 20
	// keptBig is the largest buffer for a long frame that is kept for the next.
	keptBig = 8 << 20
)

// frameReader cuts a stream into frames. Short frames, of which one read may
// bring several, stand in buf; one that is longer than buf is gathered in big.
type frameReader struct {
	buf        []byte
	start, end int // what of buf holds bytes not yet given out
	big        []byte
	want       int // size of the frame being gathered in big; 0: none
}

func newFrameReader() frameReader { return frameReader{buf: make([]byte, readBuffer)} }

// next returns the next whole frame, without its length; nil means that more
// must be read. A frame in big may be taken over by the caller through
// takeBig; otherwise the frame is valid until the next fill.
func (f *frameReader) next() (frame []byte, isBig bool, err error) {
	if f.want > 0 {
		if len(f.big) < f.want {
			return nil, false, nil
		}
		f.want = 0
		return f.big, true, nil
	}
	have := f.end - f.start
	if have < wire.FrameHeader {
		return nil, false, nil
	}
	n, err := wire.FrameLength(f.buf[f.start:f.end])
	if err != nil {
		return nil, false, err
	}
	if have >= wire.FrameHeader+n {
		frame = f.buf[f.start+wire.FrameHeader:][:n]
		f.start += wire.FrameHeader + n
		return frame, false, nil
	}
	if wire.FrameHeader+n > len(f.buf) {
		if cap(f.big) > keptBig {
			f.big = nil
		}
		f.big = append(f.big[:0], f.buf[f.start+wire.FrameHeader:f.end]...)
		f.want = n
		f.start, f.end = 0, 0
	}
	return nil, false, nil
}

// takeBig gives the buffer of a long frame away in exchange for another one.
func (f *frameReader) takeBig(instead []byte) []byte {
	frame := f.big
	f.big = instead[:0]
	return frame
}

// fill reads once.
func (f *frameReader) fill(r io.Reader) error {
	if f.want > 0 {
		return f.fillBig(r)
	}
	switch {
	case f.start == f.end:
		f.start, f.end = 0, 0
	case len(f.buf)-f.end < len(f.buf)/4:
		f.end = copy(f.buf, f.buf[f.start:f.end])
		f.start = 0
	}
	n, err := r.Read(f.buf[f.end:])
	f.end += n
	if n > 0 {
		return nil // an error will come again
	}
	return err
}

// fillBig makes room as bytes come: never more than twice what has come.
func (f *frameReader) fillBig(r io.Reader) error {
	have := len(f.big)
	if have == cap(f.big) {
		grown := make([]byte, have, min(f.want, max(2*have, firstBigRead)))
		copy(grown, f.big)
		f.big = grown
	}
	n, err := r.Read(f.big[have:min(cap(f.big), f.want)])
	f.big = f.big[:have+n]
	if n > 0 {
		return nil
	}
	return err
}
