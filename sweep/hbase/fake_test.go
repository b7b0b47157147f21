package hbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"hbtune/sweep/hbase/wire"
)

// fakeCluster is a cluster of a few servers on real sockets, with one family of
// one column, "f:q". It knows enough of HBase to serve gets, mutations, batches
// and scans, keeps its regions in a true hbase:meta, and lets a test answer any
// call itself.
type fakeCluster struct {
	t       testing.TB
	servers []*fakeServer

	mu      sync.Mutex
	rows    map[string]string
	regions []*fakeRegion
	lookups int // scans of hbase:meta
	// answer, if set and not nil for a call, is what the call gets.
	answer func(call *fakeCall) *fakeReply
}

type fakeRegion struct {
	table      string
	start, end string
	id         int
	server     int
	closed     bool
}

func (r *fakeRegion) name() string {
	return fmt.Sprintf("%s,%s,%d.%032x.", r.table, r.start, r.id, r.id)
}

type fakeServer struct {
	listener net.Listener
	mu       sync.Mutex
	conns    map[net.Conn]bool
	scanners map[uint64][]string // rows still to give
	nextID   uint64
}

// fakeCall is a request taken apart.
type fakeCall struct {
	server int
	method string
	id     uint32
	param  message
	cells  []wire.Cell
}

// fakeReply answers a call: one of its fields is set.
type fakeReply struct {
	exception  string
	doNotRetry bool
	movedTo    *fakeServer
	message    []byte
	cells      []byte
	silence    bool   // no answer at all
	hangUp     bool   // close the connection
	raw        []byte // these bytes
}

func newFake(t testing.TB, servers int, table string, splits ...string) *fakeCluster {
	f := &fakeCluster{t: t, rows: make(map[string]string)}
	for range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &fakeServer{listener: l, conns: make(map[net.Conn]bool), scanners: make(map[uint64][]string)}
		f.servers = append(f.servers, s)
	}
	bounds := append(append([]string{""}, splits...), "")
	for i := range len(bounds) - 1 {
		f.regions = append(f.regions, &fakeRegion{table: table, start: bounds[i], end: bounds[i+1], id: 1000 + i, server: i % servers})
	}
	var wg sync.WaitGroup
	for i, s := range f.servers {
		wg.Go(func() { f.accept(i, s, &wg) })
	}
	t.Cleanup(func() {
		for _, s := range f.servers {
			s.stop()
		}
		wg.Wait()
	})
	return f
}

func (s *fakeServer) addr() string { return s.listener.Addr().String() }

func (s *fakeServer) stop() {
	s.listener.Close()
	s.hangUp()
}

// hangUp closes all connections.
func (s *fakeServer) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

func (s *fakeServer) name() wire.ServerName {
	a := s.listener.Addr().(*net.TCPAddr)
	return wire.ServerName{Host: "127.0.0.1", Port: a.Port, StartCode: 1}
}

// meta and master make the cluster its own registry.
func (f *fakeCluster) meta(context.Context) (wire.ServerName, error) { return f.servers[0].name(), nil }

func (f *fakeCluster) master(context.Context) (wire.ServerName, error) {
	return f.servers[0].name(), nil
}

// client returns a client of the cluster that is closed with the test.
func (f *fakeCluster) client(cfg Config) *Client {
	cfg.registry = f
	if cfg.Pause == 0 {
		cfg.Pause, cfg.PauseOverloaded = 1e6, 1e6
	}
	c, err := Dial(context.Background(), cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(c.Close)
	return c
}

func (f *fakeCluster) accept(i int, s *fakeServer, wg *sync.WaitGroup) {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[nc] = true
		s.mu.Unlock()
		wg.Go(func() {
			f.serve(i, s, nc)
			nc.Close()
			s.mu.Lock()
			delete(s.conns, nc)
			s.mu.Unlock()
		})
	}
}

func (f *fakeCluster) serve(i int, s *fakeServer, nc net.Conn) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(nc, head); err != nil || string(head[:6]) != "HBas\x00\x50" {
		return
	}
	if _, err := io.CopyN(io.Discard, nc, int64(binary.BigEndian.Uint32(head[6:]))); err != nil {
		return
	}
	for {
		call, err := readCall(nc)
		if err != nil {
			return
		}
		call.server = i
		f.mu.Lock()
		var reply *fakeReply
		if f.answer != nil {
			reply = f.answer(call)
		}
		if reply == nil {
			reply = f.handle(s, call)
		}
		f.mu.Unlock()
		switch {
		case reply.hangUp:
			return
		case reply.silence:
		case reply.raw != nil:
			nc.Write(reply.raw)
		default:
			nc.Write(encodeReply(call.id, reply))
		}
	}
}

func readCall(r io.Reader) (*fakeCall, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	h, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return nil, protowire.ParseError(n)
	}
	header := parseMessage(h)
	frame = frame[n:]
	p, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return nil, protowire.ParseError(n)
	}
	call := &fakeCall{method: header.str(3), id: uint32(header.num(1)), param: parseMessage(p)}
	block := wire.NewCellBlock(frame[n:])
	for block.Len() > 0 {
		cell, err := block.Next()
		if err != nil {
			return nil, err
		}
		call.cells = append(call.cells, cell)
	}
	return call, nil
}

func encodeReply(id uint32, r *fakeReply) []byte {
	var h []byte
	h = appendNum(h, 1, uint64(id))
	if r.exception != "" {
		var e []byte
		e = appendBlob(e, 1, []byte("org.apache.hadoop.hbase."+r.exception))
		e = appendBlob(e, 2, []byte("org.apache.hadoop.hbase."+r.exception+": told to\n\tat somewhere"))
		if r.movedTo != nil {
			e = appendBlob(e, 3, []byte(r.movedTo.name().Host))
			e = appendNum(e, 4, uint64(r.movedTo.name().Port))
		}
		e = appendNum(e, 5, protowire.EncodeBool(r.doNotRetry))
		h = appendBlob(h, 2, e)
	}
	if len(r.cells) > 0 {
		h = appendBlob(h, 3, appendNum(nil, 1, uint64(len(r.cells))))
	}
	b := protowire.AppendBytes(make([]byte, 4), h)
	if r.exception == "" {
		b = protowire.AppendBytes(b, r.message)
		b = append(b, r.cells...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// region finds a region by its full name; f.mu is held.
func (f *fakeCluster) region(name string) *fakeRegion {
	for _, r := range f.regions {
		if r.name() == name {
			return r
		}
	}
	return nil
}

// move closes a region and opens it elsewhere.
func (f *fakeCluster) move(i, server int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.regions[i].server = server
}

func (f *fakeCluster) handle(s *fakeServer, call *fakeCall) *fakeReply {
	if call.method == "Scan" {
		return f.handleScan(s, call)
	}
	if call.method == "Multi" {
		return f.handleMulti(call)
	}
	name := call.param.sub(1).str(2)
	if r := f.serving(call, name); r != nil {
		return r
	}
	switch call.method {
	case "Get":
		if name == metaRegion {
			return &fakeReply{message: appendBlob(nil, 1, nil)}
		}
		message, cells := f.get(call.param.sub(2).str(1))
		return &fakeReply{message: appendBlob(nil, 1, message), cells: cells}
	case "Mutate":
		f.apply(call.param.sub(2), call.cells)
		return &fakeReply{message: appendNum(nil, 2, 1)}
	}
	return &fakeReply{exception: "DoNotRetryIOException", doNotRetry: true}
}

// serving returns the exception for a region that is not on the server.
func (f *fakeCluster) serving(call *fakeCall, name string) *fakeReply {
	if name == metaRegion {
		return nil
	}
	r := f.region(name)
	if r == nil || r.server != call.server || r.closed {
		return &fakeReply{exception: "NotServingRegionException"}
	}
	return nil
}

func (f *fakeCluster) get(row string) (message, cells []byte) {
	value, ok := f.rows[row]
	if ok {
		cells = wire.AppendCell(nil, []byte(row), []byte("f"), []byte("q"), 1, wire.CellPut, []byte(value))
	}
	return appendNum(nil, 2, protowire.EncodeBool(ok)), cells
}

func (f *fakeCluster) apply(mutation message, cells []wire.Cell) {
	for _, c := range cells[:mutation.num(8)] {
		if mutation.num(2) == uint64(wire.MutationDelete) {
			delete(f.rows, mutation.str(1))
		} else {
			f.rows[mutation.str(1)] = string(c.Value())
		}
	}
}

func (f *fakeCluster) handleMulti(call *fakeCall) *fakeReply {
	var reply fakeReply
	cells := call.cells
	for _, action := range call.param[1] {
		region := parseMessage(action.data)
		var results []byte
		failed := f.serving(call, region.sub(1).str(2))
		for _, a := range region[3] {
			action := parseMessage(a.data)
			n := int(action.sub(2).num(8))
			if failed == nil {
				one := appendNum(nil, 1, action.num(1))
				if action[3] != nil {
					message, block := f.get(action.sub(3).str(1))
					one = appendBlob(one, 2, message)
					reply.cells = append(reply.cells, block...)
				} else {
					f.apply(action.sub(2), cells)
					one = appendBlob(one, 2, nil)
				}
				results = appendBlob(results, 1, one)
			}
			cells = cells[n:]
		}
		if failed != nil {
			results = appendBlob(results, 2, appendBlob(nil, 1, []byte("org.apache.hadoop.hbase."+failed.exception)))
		}
		reply.message = appendBlob(reply.message, 1, results)
	}
	return &reply
}

// scanPage is how many rows the fake gives at most in one reply.
const scanPage = 7

func (f *fakeCluster) handleScan(s *fakeServer, call *fakeCall) *fakeReply {
	id := call.param.num(3)
	if call.param[2] != nil {
		name := call.param.sub(1).str(2)
		if r := f.serving(call, name); r != nil {
			return r
		}
		s.nextID++
		id = s.nextID
		s.scanners[id] = f.scanRows(name, call.param.sub(2))
	}
	rows, ok := s.scanners[id]
	if !ok {
		return &fakeReply{exception: "UnknownScannerException", doNotRetry: true}
	}
	if call.param.num(5) != 0 {
		delete(s.scanners, id)
		return &fakeReply{message: []byte{}}
	}
	n := min(len(rows), scanPage, int(call.param.num(4)))
	var reply fakeReply
	limit := int(call.param.num(11))
	for _, row := range rows[:n] {
		if key, ok := strings.CutPrefix(row, "meta:"); ok {
			cells := f.metaCells(f.region(key))
			reply.message = appendNum(reply.message, 1, uint64(len(cells)))
			reply.cells = append(reply.cells, bytes.Join(cells, nil)...)
			continue
		}
		_, cells := f.get(row)
		reply.message = appendNum(reply.message, 1, 1)
		reply.cells = append(reply.cells, cells...)
	}
	s.scanners[id] = rows[n:]
	reply.message = appendNum(reply.message, 2, id)
	if limit > 0 && n >= limit {
		reply.message = appendNum(reply.message, 3, 0)
	}
	more := n < len(rows)
	reply.message = appendNum(reply.message, 8, protowire.EncodeBool(more))
	if !more {
		delete(s.scanners, id)
	}
	return &reply
}

// scanRows lists the rows of a region that a scan asks for, in its order.
func (f *fakeCluster) scanRows(name string, scan message) []string {
	var keys []string
	start, stop := scan.str(3), scan.str(4)
	prefix := ""
	if name == metaRegion {
		f.lookups++
		prefix = "meta:"
		for _, r := range f.regions {
			keys = append(keys, r.name())
		}
	} else {
		r := f.region(name)
		for key := range maps.Keys(f.rows) {
			if key >= r.start && (r.end == "" || key < r.end) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	reversed := scan.num(15) != 0
	exclusive := scan[21] != nil && scan.num(21) == 0
	if reversed {
		slices.Reverse(keys)
	}
	var rows []string
	for _, key := range keys {
		before := strings.Compare(key, start)
		after := strings.Compare(key, stop)
		if reversed {
			before, after = -before, -after
		}
		if start != "" && (before < 0 || before == 0 && exclusive) || stop != "" && after >= 0 {
			continue
		}
		rows = append(rows, prefix+key)
	}
	return rows
}

func (f *fakeCluster) metaCells(r *fakeRegion) [][]byte {
	var info []byte
	info = appendNum(info, 1, uint64(r.id))
	info = appendBlob(info, 2, appendBlob(appendBlob(nil, 1, []byte("default")), 2, []byte(r.table)))
	info = appendBlob(info, 3, []byte(r.start))
	info = appendBlob(info, 4, []byte(r.end))
	cell := func(qualifier, value string) []byte {
		return wire.AppendCell(nil, []byte(r.name()), []byte("info"), []byte(qualifier), 1, wire.CellPut, []byte(value))
	}
	state := "OPEN"
	if r.closed {
		state = "CLOSED"
	}
	return [][]byte{cell("regioninfo", "PBUF"+string(info)), cell("server", f.servers[r.server].addr()), cell("state", state)}
}
