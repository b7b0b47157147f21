package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

func TestCellsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type cell struct {
			row, family, qualifier, value []byte
			timestamp                     uint64
		}
		short := rapid.SliceOfN(rapid.Byte(), 0, 200)
		var cells []cell
		var block []byte
		for range rapid.IntRange(0, 5).Draw(t, "cells") {
			c := cell{
				short.Draw(t, "row"), rapid.SliceOfN(rapid.Byte(), 0, 127).Draw(t, "family"),
				short.Draw(t, "qualifier"), short.Draw(t, "value"), rapid.Uint64().Draw(t, "timestamp"),
			}
			cells = append(cells, c)
			before := len(block)
			block = AppendCell(block, c.row, c.family, c.qualifier, c.timestamp, CellPut, c.value)
			if got := len(block) - before; got != CellSize(c.row, c.family, c.qualifier, c.value) {
				t.Fatalf("CellSize is not %d", got)
			}
		}
		r := NewCellBlock(block)
		for _, want := range cells {
			got, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Row(), want.row) || !bytes.Equal(got.Family(), want.family) ||
				!bytes.Equal(got.Qualifier(), want.qualifier) || !bytes.Equal(got.Value(), want.value) ||
				got.Timestamp() != want.timestamp || got.Type() != CellPut {
				t.Fatalf("got %q, want %+v", got, want)
			}
		}
		if r.Len() != 0 {
			t.Fatalf("%d bytes are left", r.Len())
		}
	})
}

// Nested messages get the same lengths as a generated encoder would give them,
// however long they are.
func TestNestedLengths(t *testing.T) {
	for _, n := range []int{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1fffff, 0x200000} {
		body := bytes.Repeat([]byte{'x'}, n)
		b, mark := begin([]byte("before"), 7)
		b = end(append(b, body...), mark)
		want := protowire.AppendBytes(protowire.AppendTag([]byte("before"), 7, protowire.BytesType), body)
		if !bytes.Equal(b, want) {
			t.Errorf("%d bytes: got %x…", n, b[:min(len(b), 20)])
		}
	}
}

func TestPreambleAndRequestFrames(t *testing.T) {
	b := AppendPreamble(nil, ClientService, "me")
	if string(b[:6]) != "HBas\x00\x50" || int(binary.BigEndian.Uint32(b[6:])) != len(b)-10 {
		t.Errorf("preamble %q", b)
	}
	h := RequestHeader{CallID: 300, Method: "Get", TimeoutMillis: 60000}
	b = AppendRequest([]byte("before"), &h, AppendEmpty(nil), []byte("cells"))[6:]
	if n, err := FrameLength(b); err != nil || n != len(b)-FrameHeader {
		t.Errorf("frame length %d, %v", n, err)
	}
	header, rest, err := consumePrefixed(b[FrameHeader:])
	if err != nil {
		t.Fatal(err)
	}
	want := "\x08\xac\x02" + "\x1a\x03Get" + "\x20\x01" + "\x2a\x02\x08\x05" + "\x38\xe0\xd4\x03"
	if string(header) != want {
		t.Errorf("header %q, want %q", header, want)
	}
	if string(rest) != "\x00cells" {
		t.Errorf("rest %q", rest)
	}
}

func TestFrameLengthKnowsWebServers(t *testing.T) {
	if _, err := FrameLength([]byte("HTTP/1.1 400 Bad Request")); !errors.Is(err, ErrNotRPC) {
		t.Errorf("%v", err)
	}
	if _, err := FrameLength([]byte{0xff, 0, 0, 0}); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v", err)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestZNodesOfARealCluster(t *testing.T) {
	meta, open, err := ParseMetaZnode(readFile(t, "znode-meta-region-server.bin"))
	if err != nil || !open || meta.Addr() != "localhost:16121" {
		t.Errorf("meta: %v, %v, %v", meta, open, err)
	}
	master, info, err := ParseMasterZnode(readFile(t, "znode-master.bin"))
	if err != nil || info != 16130 || master.Addr() != "localhost:16120" {
		t.Errorf("master: %v, %v, %v", master, info, err)
	}
	id, err := ParseClusterIDZnode(readFile(t, "znode-hbaseid.bin"))
	if err != nil || len(id) != 36 {
		t.Errorf("cluster id: %q, %v", id, err)
	}
	// Without the writer's mark, and not open.
	closed := append([]byte(pbufMagic), protowire.AppendVarint([]byte{3 << 3}, 2)...)
	if _, open, err := ParseMetaZnode(closed); err != nil || open {
		t.Errorf("closed: %v, %v", open, err)
	}
	if _, _, err := ParseMetaZnode(nil); !errors.Is(err, ErrMalformed) {
		t.Errorf("empty: %v", err)
	}
}

func TestRegionInfoOfARealCluster(t *testing.T) {
	r, err := ParseRegionInfo(readFile(t, "regioninfo.bin"))
	if err != nil || r.Table != "smoke" || string(r.StartKey) != "m" || len(r.EndKey) != 0 || r.Offline || r.Split {
		t.Errorf("%+v, %v", r, err)
	}
	again := append([]byte(pbufMagic), r.append(nil)...)
	if r2, err := ParseRegionInfo(again); err != nil || r2.ID != r.ID || r2.Table != r.Table || !bytes.Equal(r2.StartKey, r.StartKey) {
		t.Errorf("written and read: %+v, %v", r2, err)
	}
}

func TestNames(t *testing.T) {
	name := ServerName{"rs1.example", 16020, 1796063720081}
	if got, err := ParseServerName(name.String()); err != nil || got != name {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "a,b", "a,x,1", "a,1,x", "a,70000,1", "a,1,1,1"} {
		if _, err := ParseServerName(bad); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for table, want := range map[string]string{"t": "t", "default:t": "t", "ns:t": "ns:t", "hbase:meta": "hbase:meta"} {
		if got := CanonicalTable(table); got != want {
			t.Errorf("%s: %s", table, got)
		}
	}
	if got := encodedName([]byte("t,row.with.dots,1796064706734.0f790071eb02e9bca233c53450bab1ec.")); got != "0f790071eb02e9bca233c53450bab1ec" {
		t.Errorf("encoded name %q", got)
	}
}

// Counts and lengths that the frame does not cover must be found out before
// memory is made for them.
func TestHostileCountsCostNothing(t *testing.T) {
	huge := uint64(math.MaxInt32)
	var out Result
	var scan ScanReply
	reply := func(message []byte) Reply { return Reply{Message: message} }
	attempts := map[string]func() error{
		"cells of a result": func() error {
			return ParseGet(reply(appendBytes(nil, 1, appendUint(nil, 2, huge))), &out)
		},
		"cells of a scanned row": func() error {
			if err := scan.Parse(reply(appendUint(nil, 1, huge))); err != nil {
				return err
			}
			_, err := scan.Next(&out)
			return err
		},
		"length of a message": func() error {
			return ParseGet(reply(protowire.AppendVarint([]byte{1<<3 | 2}, huge)), &out)
		},
		"length of a cell": func() error {
			block := NewCellBlock([]byte{0x7f, 0xff, 0xff, 0xff, 1, 2, 3})
			_, err := block.Next()
			return err
		},
		"length of a key": func() error {
			cell := AppendCell(nil, []byte("r"), []byte("f"), nil, 1, CellPut, nil)
			binary.BigEndian.PutUint32(cell[4:], uint32(huge))
			block := NewCellBlock(cell)
			_, err := block.Next()
			return err
		},
		"writer's id in a znode": func() error {
			_, err := znodeMessage([]byte{znodeMagic, 0xff, 0xff, 0xff, 0xff, 'P'})
			return err
		},
		"cell block of a reply": func() error {
			header := appendBytes(appendUint(nil, 1, 1), 3, appendUint(nil, 1, huge))
			_, err := ParseReply(append(protowire.AppendBytes(nil, header), 0))
			return err
		},
	}
	for name, attempt := range attempts {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := attempt()
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("%v", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<10 {
				t.Errorf("%d bytes were allocated", grown)
			}
		})
	}
}

func TestInlineCellsAreTakenToo(t *testing.T) {
	var cell []byte
	cell = appendString(cell, 1, "row")
	cell = appendString(cell, 2, "f")
	cell = appendString(cell, 3, "q")
	cell = appendUint(cell, 4, 77)
	cell = appendUint(cell, 5, uint64(CellPut))
	cell = appendString(cell, 6, "value")
	var r Result
	if err := ParseGet(Reply{Message: appendBytes(nil, 1, appendBytes(nil, 1, cell))}, &r); err != nil {
		t.Fatal(err)
	}
	if c := r.Cells[0]; string(c.Row()) != "row" || string(c.Value()) != "value" || c.Timestamp() != 77 || c.Type() != CellPut {
		t.Errorf("%q", c)
	}
	// The same in a scan's reply.
	var s ScanReply
	if err := s.Parse(Reply{Message: appendBytes(nil, 5, appendBytes(nil, 1, cell))}); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Next(&r); !ok || err != nil || string(r.Cells[0].Value()) != "value" {
		t.Errorf("%v, %v", ok, err)
	}
	if ok, err := s.Next(&r); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestScanReplyCountsPackedOrNot(t *testing.T) {
	var block []byte
	for _, row := range []string{"a", "a", "b"} {
		block = AppendCell(block, []byte(row), []byte("f"), nil, 1, CellPut, nil)
	}
	loose := appendUint(appendUint(nil, 1, 2), 1, 1)
	loose = appendUint(appendUint(loose, 7, 0), 7, 1)
	packed := appendBytes(appendBytes(nil, 1, []byte{2, 1}), 7, []byte{0, 1})
	for name, message := range map[string][]byte{"loose": loose, "packed": packed} {
		var s ScanReply
		var r Result
		if err := s.Parse(Reply{Message: message, Cells: block}); err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Next(&r); !ok || err != nil || len(r.Cells) != 2 || r.Partial {
			t.Errorf("%s: first row: %v, %v, %+v", name, ok, err, r)
		}
		if ok, err := s.Next(&r); !ok || err != nil || len(r.Cells) != 1 || !r.Partial {
			t.Errorf("%s: second row: %v, %v, %+v", name, ok, err, r)
		}
		if ok, err := s.Next(&r); ok || err != nil {
			t.Errorf("%s: end: %v, %v", name, ok, err)
		}
	}
}

// outcomes notes what a MultiReply is told.
type outcomes struct {
	results map[int]*Result
	failed  map[int]string
	regions map[int]string
}

func newOutcomes() *outcomes {
	return &outcomes{map[int]*Result{}, map[int]string{}, map[int]string{}}
}

func (o *outcomes) RegionFailed(region int, class, _ string) { o.regions[region] = class }
func (o *outcomes) Failed(_, index int, class, _ string)     { o.failed[index] = class }
func (o *outcomes) Result(_, index int) *Result {
	if index%3 == 2 {
		return nil
	}
	o.results[index] = new(Result)
	return o.results[index]
}

// The cell block is one stream in the order of the message, not of the indexes.
func TestMultiReplyOrder(t *testing.T) {
	block := AppendCell(nil, []byte("four"), []byte("f"), nil, 1, CellPut, nil)
	block = AppendCell(block, []byte("two"), []byte("f"), nil, 1, CellPut, nil)
	block = AppendCell(block, []byte("one"), []byte("f"), nil, 1, CellPut, nil)
	one := func(index uint64, result []byte) []byte { return appendBytes(appendUint(nil, 1, index), 2, result) }
	cell := appendUint(nil, 2, 1)
	first := appendBytes(nil, 1, one(4, cell))
	first = appendBytes(first, 1, one(2, cell)) // nobody wants it, its cell must go all the same
	first = appendBytes(first, 1, one(1, cell))
	first = appendBytes(first, 1, appendBytes(appendUint(nil, 1, 3), 3, appendString(nil, 1, "java.io.IOException")))
	first = appendBytes(first, 1, one(0, nil))
	second := appendBytes(nil, 2, appendString(nil, 1, "NotServingRegionException"))
	o := newOutcomes()
	message := appendBytes(appendBytes(nil, 1, first), 1, second)
	if err := ParseMulti(Reply{Message: message, Cells: block}, o); err != nil {
		t.Fatal(err)
	}
	if string(o.results[4].Cells[0].Row()) != "four" || string(o.results[1].Cells[0].Row()) != "one" || len(o.results[0].Cells) != 0 {
		t.Errorf("%+v", o.results)
	}
	if o.failed[3] != "java.io.IOException" || o.regions[1] != "NotServingRegionException" || len(o.regions) != 1 {
		t.Errorf("%+v", o)
	}
}

func TestExceptionReply(t *testing.T) {
	e := appendString(nil, 1, "org.apache.hadoop.hbase.exceptions.RegionMovedException")
	e = appendString(e, 2, "stack")
	e = appendString(e, 3, "elsewhere")
	e = appendUint(e, 4, 16020)
	frame := protowire.AppendBytes(nil, appendBytes(appendUint(nil, 1, 9), 2, e))
	r, err := ParseReply(frame)
	if err != nil || r.Exception == nil || r.Exception.Host != "elsewhere" || r.Exception.Port != 16020 {
		t.Errorf("%+v, %v", r, err)
	}
	if id, err := ReplyCallID(frame); id != 9 || err != nil {
		t.Errorf("call id %d, %v", id, err)
	}
}
