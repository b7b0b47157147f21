package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"sync/atomic"
)

// javaTable is a handle of the Java worker. It makes one call at a time.
type javaTable struct {
	java  *Java
	id    int
	names [][]byte

	request  []byte
	reply    []byte
	waiting  atomic.Bool // for a reply, maybe one that nobody wants any more
	answered chan struct{}
	broken   atomic.Bool // a call was given up, or the handle could not be opened

	// What the next call is for, and the times of the last one.
	kind                     byte
	intended                 int64
	timed                    bool
	ended, response, service int64

	first int
	cells []javaCell // of the row being looked at
}

type javaCell struct{ qualifier, value []byte }

func newJavaTable(j *Java, id, columns int) *javaTable {
	return &javaTable{java: j, id: id, names: columnNames(columns), answered: make(chan struct{}, 1), kind: noKind, intended: whenFree}
}

const (
	// noKind is for calls that are no part of a load.
	noKind = 255
	// whenFree stands for the intended start of a closed loop's operation: when
	// the lane that does it has done its last one.
	whenFree = math.MinInt64
)

// Begin says what the next call is for, and when it should have started.
func (t *javaTable) Begin(kind uint8, intended int64) {
	t.kind, t.intended = kind, whenFree
	if intended >= 0 {
		t.intended = t.java.start.Load() + intended
	}
}

// Took is when the last call ended, since the load began, and its times, all by
// the worker's clock.
func (t *javaTable) Took() (ended, response, service int64, ok bool) {
	return t.ended - t.java.start.Load(), t.response, t.service, t.timed
}

func (t *javaTable) open(name string, columns int) []byte {
	t.request = append(t.request[:0], 0, 0, 0, 0)
	t.int(t.id)
	t.request = append(t.request, 'O')
	t.bytes([]byte(name))
	t.int(columns)
	return t.frame()
}

func (t *javaTable) begin(what byte) {
	t.request = append(t.request[:0], 0, 0, 0, 0)
	t.int(t.id)
	t.request = append(t.request, what, t.kind)
	t.request = binary.BigEndian.AppendUint64(t.request, uint64(t.intended))
	t.kind, t.intended = noKind, whenFree
}

func (t *javaTable) int(n int) { t.request = binary.BigEndian.AppendUint32(t.request, uint32(n)) }

func (t *javaTable) bytes(b []byte) {
	t.int(len(b))
	t.request = append(t.request, b...)
}

func (t *javaTable) frame() []byte {
	binary.BigEndian.PutUint32(t.request, uint32(len(t.request)-4))
	return t.request
}

// call sends the request and waits for the reply, which is then read from the
// returned reader.
func (t *javaTable) call(ctx context.Context) (replyReader, error) {
	t.timed = false
	if t.broken.Load() {
		return nil, t.java.ended()
	}
	t.waiting.Store(true)
	if err := t.java.send(t.frame()); err != nil {
		return nil, err
	}
	select {
	case <-t.answered:
	case <-t.java.gone:
		return nil, t.java.failure
	case <-ctx.Done():
		t.broken.Store(true)
		return nil, ctx.Err()
	}
	r := replyReader(t.reply)
	status := r.byte()
	t.ended, t.response, t.service = r.long(), r.long(), r.long()
	t.timed = true
	if status != 0 {
		return nil, &javaError{class: string(r.bytes()), message: string(r.bytes())}
	}
	return r, nil
}

func (t *javaTable) Get(ctx context.Context, key []byte, columns Columns) (bool, error) {
	t.begin('G')
	t.columns(columns)
	t.int(1)
	t.bytes(key)
	r, err := t.call(ctx)
	if err != nil {
		return false, err
	}
	r.int()
	return t.row(&r) != nil, nil
}

func (t *javaTable) GetAll(ctx context.Context, keys [][]byte, columns Columns, row func(i int, found bool)) error {
	t.begin('G')
	t.columns(columns)
	t.int(len(keys))
	for _, key := range keys {
		t.bytes(key)
	}
	r, err := t.call(ctx)
	if err != nil {
		return err
	}
	for i := range r.count() {
		row(i, t.row(&r) != nil)
	}
	return nil
}

func (t *javaTable) Scan(ctx context.Context, start []byte, limit int, columns Columns, row func(key []byte)) error {
	t.begin('S')
	t.columns(columns)
	t.bytes(start)
	t.bytes(sentinel)
	t.int(limit)
	r, err := t.call(ctx)
	if err != nil {
		return err
	}
	for range r.count() {
		row(t.row(&r))
	}
	return nil
}

func (t *javaTable) columns(c Columns) {
	t.first = c.First
	t.int(c.First)
	t.int(c.Count)
}

// row reads the next row's cells and returns its key, nil if it is not there.
func (t *javaTable) row(r *replyReader) []byte {
	key := r.bytes()
	t.cells = t.cells[:0]
	for range r.count() {
		t.cells = append(t.cells, javaCell{r.bytes(), r.bytes()})
	}
	if len(t.cells) == 0 {
		return nil
	}
	return key
}

func (t *javaTable) Value(column int) ([]byte, bool) {
	if i := column - t.first; i >= 0 && i < len(t.cells) && bytes.Equal(t.cells[i].qualifier, t.names[column]) {
		return t.cells[i].value, true
	}
	for _, c := range t.cells {
		if bytes.Equal(c.qualifier, t.names[column]) {
			return c.value, true
		}
	}
	return nil, false
}

func (t *javaTable) Put(ctx context.Context, row Row) error {
	t.begin('P')
	t.int(1)
	t.write(row)
	_, err := t.call(ctx)
	return err
}

func (t *javaTable) PutAll(ctx context.Context, rows []Row) error {
	t.begin('P')
	t.int(len(rows))
	for _, row := range rows {
		t.write(row)
	}
	_, err := t.call(ctx)
	return err
}

func (t *javaTable) write(row Row) {
	t.bytes(row.Key)
	t.int(row.First)
	t.int(len(row.Values))
	for _, value := range row.Values {
		t.bytes(value)
	}
}

// replyReader reads a reply from its front. What ends too soon reads as zeros:
// the values are checked by who wants them.
type replyReader []byte

func (r *replyReader) byte() byte {
	if len(*r) < 1 {
		return 1
	}
	b := (*r)[0]
	*r = (*r)[1:]
	return b
}

func (r *replyReader) int() int {
	if len(*r) < 4 {
		*r = nil
		return 0
	}
	n := int(int32(binary.BigEndian.Uint32(*r)))
	*r = (*r)[4:]
	return n
}

// count is a number of things that follow.
func (r *replyReader) count() int { return min(r.int(), len(*r)) }

func (r *replyReader) long() int64 {
	if len(*r) < 8 {
		*r = nil
		return 0
	}
	n := int64(binary.BigEndian.Uint64(*r))
	*r = (*r)[8:]
	return n
}

func (r *replyReader) bytes() []byte {
	n := r.int()
	if n < 0 || n > len(*r) {
		*r = nil
		return nil
	}
	b := (*r)[:n:n]
	*r = (*r)[n:]
	return b
}
