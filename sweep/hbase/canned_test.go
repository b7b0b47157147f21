package hbase

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"hbtune/sweep/hbase/wire"
)

// canned is a server that gives every call the same answer and, once warm,
// allocates nothing, so that a client's allocations can be counted beside it.
type canned struct {
	listener net.Listener
	message  []byte // with its length before it
	cells    []byte
	// hold is how many calls are to be waiting before three are answered; 0: each
	// is at once.
	hold int
}

func newCanned(t testing.TB, message, cells []byte) *canned {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &canned{listener: l, message: protowire.AppendBytes(nil, message), cells: cells}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(nc) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return s
}

func (s *canned) serve(nc net.Conn) {
	defer nc.Close()
	in := bufio.NewReaderSize(nc, 64<<10)
	out := bufio.NewWriterSize(nc, 64<<10)
	head := make([]byte, 10)
	if _, err := io.ReadFull(in, head); err != nil {
		return
	}
	in.Discard(int(binary.BigEndian.Uint32(head[6:])))
	var reply []byte
	var held []uint64
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		b, err := in.Peek(4)
		if err != nil {
			return
		}
		size := int(binary.BigEndian.Uint32(b))
		if b, err = in.Peek(min(4+size, 32)); err != nil {
			return
		}
		_, n := protowire.ConsumeVarint(b[4:]) // the header's length
		id, _ := protowire.ConsumeVarint(b[4+n+1:])
		in.Discard(4 + size)

		if s.hold > 0 {
			if held = append(held, id); len(held) == s.hold {
				for _, id := range held[:3] {
					out.Write(s.reply(nil, id))
				}
				held = append(held[:0], held[3:]...)
			}
			continue
		}
		reply = s.reply(reply[:0], id)
		out.Write(reply)
	}
}

// reply appends the frame that answers a call.
func (s *canned) reply(b []byte, id uint64) []byte {
	b = append(b, 0, 0, 0, 0)
	header := protowire.SizeVarint(id) + 1
	if len(s.cells) > 0 {
		header += 3 + protowire.SizeVarint(uint64(len(s.cells)))
	}
	b = append(b, byte(header))
	b = appendNum(b, 1, id)
	if len(s.cells) > 0 {
		b = protowire.AppendTag(b, 3, protowire.BytesType)
		b = append(b, byte(1+protowire.SizeVarint(uint64(len(s.cells)))))
		b = appendNum(b, 1, uint64(len(s.cells)))
	}
	b = append(b, s.message...)
	b = append(b, s.cells...)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// table returns a table whose one region is on the server.
func (s *canned) table(t testing.TB, cfg Config) *Table {
	cfg.registry = nowhere{}
	c := newClient(cfg)
	t.Cleanup(c.Close)
	tb := c.Table("t")
	tb.cache.put(c.newRegion([]byte("t,,1."), nil, nil, s.listener.Addr().String()))
	return tb
}

// nowhere is a registry that knows nothing.
type nowhere struct{}

func (nowhere) meta(context.Context) (wire.ServerName, error) {
	return wire.ServerName{}, errNoZNode
}

func (nowhere) master(context.Context) (wire.ServerName, error) {
	return wire.ServerName{}, errNoZNode
}

// cannedRow is the answer to a get of a row with 1 kB.
func cannedRow() (message, cells []byte) {
	cells = wire.AppendCell(nil, []byte("row"), family, qualifier, 1, wire.CellPut, make([]byte, 1000))
	return appendBlob(nil, 1, appendNum(nil, 2, 1)), cells
}

func BenchmarkGet(b *testing.B) {
	message, cells := cannedRow()
	for _, threads := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			tb := newCanned(b, message, cells).table(b, Config{})
			benchmarkThreads(b, threads, func(ctx context.Context) func() error {
				get, result := Get{Row: []byte("row")}, Result{}
				return func() error { return tb.Get(ctx, &get, &result) }
			})
		})
	}
}

func BenchmarkPut(b *testing.B) {
	value := make([]byte, 1000)
	for _, threads := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			tb := newCanned(b, appendNum(nil, 2, 1), nil).table(b, Config{})
			benchmarkThreads(b, threads, func(ctx context.Context) func() error {
				put, row := Put{}, []byte("row")
				return func() error {
					put.Reset(row)
					put.Add(family, qualifier, value)
					return tb.Put(ctx, &put)
				}
			})
		})
	}
}

// benchmarkThreads runs b.N operations in so many closed loops.
func benchmarkThreads(b *testing.B, threads int, worker func(context.Context) func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range threads {
		op := worker(ctx)
		n := b.N / threads
		if i < b.N%threads {
			n++
		}
		wg.Go(func() {
			for range n {
				if err := op(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
