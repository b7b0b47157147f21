package hbase

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// slow gives out what it has in pieces of the given sizes.
type slow struct {
	data  []byte
	sizes []int
}

func (s *slow) Read(b []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := len(b)
	if len(s.sizes) > 0 {
		n, s.sizes = min(n, s.sizes[0]), s.sizes[1:]
	}
	n = copy(b[:n], s.data)
	s.data = s.data[n:]
	return n, nil
}

func readFrames(r io.Reader) (frames [][]byte, err error) {
	f := newFrameReader()
	for {
		for {
			frame, isBig, err := f.next()
			if err != nil {
				return frames, err
			}
			if frame == nil {
				break
			}
			if isBig {
				frame = f.takeBig(nil)
			}
			frames = append(frames, bytes.Clone(frame))
		}
		if err := f.fill(r); err != nil {
			return frames, err
		}
	}
}

// However a stream is cut into reads, its frames come out.
func TestFramesComeWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want [][]byte
		for range rapid.IntRange(0, 6).Draw(t, "frames") {
			n := rapid.OneOf(rapid.IntRange(1, 300), rapid.IntRange(readBuffer-10, readBuffer+10), rapid.IntRange(1, 3*firstBigRead)).Draw(t, "size")
			frame := bytes.Repeat([]byte{byte(n)}, n)
			want = append(want, frame)
			stream = append(binary.BigEndian.AppendUint32(stream, uint32(n)), frame...)
		}
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 10), rapid.IntRange(1, readBuffer)), 0, 20).Draw(t, "reads")
		got, err := readFrames(&slow{stream, sizes})
		if err != io.EOF || len(got) != len(want) {
			t.Fatalf("%d frames of %d, %v", len(got), len(want), err)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("frame %d: %d bytes, not %d", i, len(got[i]), len(want[i]))
			}
		}
	})
}

func TestLongFrameIsNotTrustedBeforeItComes(t *testing.T) {
	f := newFrameReader()
	r := iotest.TimeoutReader(&slow{data: []byte{0x0f, 0xff, 0xff, 0xff, 1, 2, 3}})
	for {
		if _, _, err := f.next(); err != nil {
			t.Fatal(err)
		}
		if err := f.fill(r); errors.Is(err, io.EOF) || errors.Is(err, iotest.ErrTimeout) {
			break
		}
	}
	if cap(f.big) > firstBigRead {
		t.Errorf("%d bytes were made for a frame of which 3 came", cap(f.big))
	}
}

// FuzzFrames reads any bytes as a stream.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 1, 9}, uint8(2))
	f.Add([]byte("HTTP/1.1 400"), uint8(0))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		var sizes []int
		if piece > 0 {
			sizes = bytes2ints(bytes.Repeat([]byte{piece}, len(stream)/int(piece)+1))
		}
		frames, _ := readFrames(&slow{stream, sizes})
		total := 0
		for _, frame := range frames {
			total += 4 + len(frame)
		}
		if total > len(stream) {
			t.Fatalf("frames of %d bytes out of %d", total, len(stream))
		}
	})
}

func bytes2ints(b []byte) []int {
	ints := make([]int, len(b))
	for i := range b {
		ints[i] = int(b[i])
	}
	return ints
}
