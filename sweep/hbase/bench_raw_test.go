package hbase

import (
	"encoding/binary"
	"testing"

	"hbtune/sweep/hbase/wire"
)

// rawGet is the floor of a get: the same bytes sent and received over a plain
// socket, and nothing else done.
type rawGet struct {
	conn *conn
	call *call
	out  []byte
	in   []byte
}

func newRawGet(b *testing.B, client *Client, tb *Table, rows int) *rawGet {
	row := benchRow(nil, 0)
	r, err := tb.locate(b.Context(), row)
	if err != nil {
		b.Fatal(err)
	}
	nc, err := (&server{client: client, addr: r.server.addr, service: r.server.service, slots: make([]slot, 1)}).open()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { nc.fail(ErrClosed) })
	call := newCall()
	op := operation{method: "Get", row: row, get: &newGets(tb, rows, 0).get}
	op.get.Row = row
	op.encode(call, r)
	call.header.Method = "Get"
	raw := &rawGet{conn: nc, call: call, out: nc.out, in: make([]byte, 64<<10)}
	nc.out = nil
	return raw
}

func (g *rawGet) do() (int, error) {
	g.out = wire.AppendRequest(g.out, &g.call.header, g.call.param, g.call.cells)
	if _, err := g.conn.nc.Write(g.out); err != nil {
		return 0, err
	}
	g.out = g.out[:0]
	for n, want := 0, 4; n < want; {
		m, err := g.conn.nc.Read(g.in[n:])
		if err != nil {
			return 0, err
		}
		if n += m; n >= 4 {
			want = 4 + int(binary.BigEndian.Uint32(g.in))
		}
	}
	return 1, nil
}
