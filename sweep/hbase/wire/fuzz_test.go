package wire

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// FuzzReply throws a frame at every decoder of replies. None may panic, and
// what they give must lie within the frame.
func FuzzReply(f *testing.F) {
	seed := func(message, cells []byte) {
		header := appendUint(nil, 1, 5)
		if len(cells) > 0 {
			header = appendBytes(header, 3, appendUint(nil, 1, uint64(len(cells))))
		}
		f.Add(append(protowire.AppendBytes(protowire.AppendBytes(nil, header), message), cells...))
	}
	cell := AppendCell(nil, []byte("row"), []byte("f"), []byte("q"), 1, CellPut, []byte("v"))
	result := appendUint(nil, 2, 1)
	seed(appendBytes(nil, 1, result), cell)
	seed(appendUint(appendUint(appendUint(nil, 1, 1), 7, 1), 8, 0), cell)
	seed(appendBytes(nil, 1, appendBytes(appendBytes(nil, 1, appendBytes(appendUint(nil, 1, 0), 2, result)), 2, appendString(nil, 1, "X"))), cell)
	seed(appendBytes(nil, 5, appendBytes(nil, 1, appendString(nil, 1, "row"))), nil)
	seed(appendBytes(nil, 1, (&TableSchema{Name: "ns:t", Families: []FamilySchema{{Name: "f", Attributes: []Attribute{{"A", "B"}}}}}).append(nil)), nil)
	seed(appendBytes(nil, 1, appendBytes(appendBytes(nil, 1, appendString(nil, 1, "2.6.4")), 2,
		appendBytes(appendBytes(nil, 1, appendServerName(nil, ServerName{"h", 1, 2})), 2, appendUint(nil, 9, 3)))), nil)
	f.Add(protowire.AppendBytes(nil, appendBytes(appendUint(nil, 1, 9), 2, appendString(nil, 1, "X"))))

	f.Fuzz(func(t *testing.T, frame []byte) {
		ReplyCallID(frame)
		reply, err := ParseReply(frame)
		if err != nil {
			return
		}
		var r Result
		check := func() {
			bytes := 0
			for _, c := range r.Cells {
				c.Row()
				c.Family()
				c.Qualifier()
				c.Timestamp()
				c.Type()
				bytes += len(c.Value())
			}
			if bytes > len(frame) {
				t.Fatalf("values of %d bytes out of a frame of %d", bytes, len(frame))
			}
		}
		if ParseGet(reply, &r) == nil {
			check()
		}
		r.Reset()
		if _, err := ParseMutate(reply, &r); err == nil {
			check()
		}
		var s ScanReply
		if s.Parse(reply) == nil {
			rows := 0
			for {
				ok, err := s.Next(&r)
				if !ok || err != nil {
					break
				}
				check()
				if rows++; rows > len(frame) {
					t.Fatalf("%d rows out of a frame of %d bytes", rows, len(frame))
				}
			}
		}
		ParseMulti(reply, newOutcomes())
		ParseTableSchemas(reply)
		ParseClusterStatus(reply)
		ParseProcedure(reply)
		ParseTableStateReply(reply)
		ParseBools(reply)
		ParseUint(reply)
		ParseCompactionState(reply)
		ParseFlushRegion(reply)
		ParseClearBlockCache(reply)
	})
}

// FuzzCellBlock reads any bytes as cells.
func FuzzCellBlock(f *testing.F) {
	f.Add(AppendCell(AppendCell(nil, []byte("row"), []byte("f"), []byte("q"), 1, CellPut, []byte("v")), nil, nil, nil, 0, CellDelete, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		block := NewCellBlock(data)
		for block.Len() > 0 {
			before := block.Len()
			c, err := block.Next()
			if err != nil {
				return
			}
			if block.Len() >= before {
				t.Fatal("no way forward")
			}
			n := len(c.Row()) + len(c.Family()) + len(c.Qualifier()) + len(c.Value())
			if n > len(c) {
				t.Fatalf("a cell of %d bytes has parts of %d", len(c), n)
			}
			c.Timestamp()
			c.Type()
		}
	})
}

// FuzzZNode reads any bytes as what HBase keeps in ZooKeeper and in hbase:meta.
func FuzzZNode(f *testing.F) {
	for _, name := range []string{"znode-master.bin", "znode-meta-region-server.bin", "znode-hbaseid.bin", "regioninfo.bin"} {
		f.Add(readFile(f, name))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		ParseMetaZnode(data)
		ParseMasterZnode(data)
		ParseClusterIDZnode(data)
		ParseRegionInfo(data)
		ParseTableState(data)
	})
}

// FuzzServerName reads what it wrote.
func FuzzServerName(f *testing.F) {
	f.Add("rs1.example,16020,1796063720081")
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseServerName(text)
		if err != nil {
			return
		}
		if again, err := ParseServerName(name.String()); err != nil || again != name {
			t.Fatalf("%q: %v, then %v (%v)", text, name, again, err)
		}
	})
}
