package load

import (
	"context"

	"hbtune/sweep/trial"
)

// operation is one kind of call, bound to one worker and its buffers. prepare
// draws the row and builds what is to be sent; do sends it, waits, and tells how
// many rows it was about. Service time is that of do alone.
type operation interface {
	prepare()
	do(ctx context.Context) (outcome, int, error)
}

// Kinds of operation, as results name them.
const (
	kindRead uint8 = iota
	kindPut
	kindInsert
	kindScan
	kindReadModifyWrite
	kindAppend
	kindFollow
)

var kindNames = [...]string{
	kindRead: trial.OpRead, kindPut: "put", kindInsert: "insert", kindScan: "scan",
	kindReadModifyWrite: trial.OpReadModifyWrite, kindAppend: "append", kindFollow: "follow",
}

// wrongRead is a read that brought something else than was loaded.
type wrongRead struct{ text, class string }

func (e *wrongRead) Error() string { return e.text }
func (e *wrongRead) Class() string { return e.class }

var (
	errWrongValue = &wrongRead{"a read returned a value that is not the row's own", "wrong-value"}
	errWrongRows  = &wrongRead{"a scan returned other rows than follow its start", "wrong-rows"}
)

// source is what operations that read have in common.
type source struct {
	table   Table
	rows    chooser
	keys    Keys
	values  *Values
	columns columnDraw
	verify  bool
}

// right tells whether the row being looked at holds what belongs there.
func (s *source) right(row int64, c Columns) bool {
	for column := c.First; column < c.First+c.Count; column++ {
		value, found := s.table.Value(column)
		if !found || !s.values.Plausible(value, row, column) || s.verify && !s.values.Matches(value, row, column) {
			return false
		}
	}
	return true
}

// read gets one row and checks what came.
type read struct {
	source
	row   int64
	touch Columns
	key   [KeyLen]byte
}

func (r *read) prepare() {
	r.row, r.touch = r.rows.Row(), r.columns.next()
	r.keys.Put(&r.key, r.row)
}

func (r *read) do(ctx context.Context) (outcome, int, error) {
	found, err := r.table.Get(ctx, r.key[:], r.touch)
	switch {
	case err != nil:
		return failed, 0, err
	case !found:
		return notFound, 1, nil
	case !r.right(r.row, r.touch):
		return failed, 0, errWrongValue
	}
	return done, 1, nil
}

// readAll gets several rows in one call.
type readAll struct {
	source
	batch  []int64
	memory [][KeyLen]byte
	sent   [][]byte
	touch  Columns
	each   func(i int, found bool)

	missing, wrong int
}

func newReadAll(s source, batch int) *readAll {
	r := &readAll{source: s, batch: make([]int64, batch), memory: make([][KeyLen]byte, batch), sent: make([][]byte, batch)}
	for i := range r.sent {
		r.sent[i] = r.memory[i][:]
	}
	r.each = r.see
	return r
}

func (r *readAll) prepare() {
	r.touch = r.columns.next()
	for i := range r.batch {
		r.batch[i] = r.rows.Row()
		r.keys.Put(&r.memory[i], r.batch[i])
	}
}

func (r *readAll) see(i int, found bool) {
	switch {
	case !found:
		r.missing++
	case !r.right(r.batch[i], r.touch):
		r.wrong++
	}
}

func (r *readAll) do(ctx context.Context) (outcome, int, error) {
	r.missing, r.wrong = 0, 0
	switch err := r.table.GetAll(ctx, r.sent, r.touch, r.each); {
	case err != nil:
		return failed, 0, err
	case r.wrong > 0:
		return failed, 0, errWrongValue
	case r.missing > 0:
		return notFound, len(r.batch), nil
	}
	return done, len(r.batch), nil
}

// scan reads rows one after the other from a drawn one on.
type scan struct {
	source
	lengths chooser // counted from least on
	least   int64
	loaded  int64    // rows that the table was filled with
	inserts *inserts // of the same table; nil where there are none
	each    func(key []byte)

	row, limit int64
	touch      Columns
	key        [KeyLen]byte
	got        int64
	wrong      bool
}

func (s *scan) prepare() {
	s.row, s.touch = s.rows.Row(), s.columns.next()
	s.limit = s.least + s.lengths.Row()
	s.keys.Put(&s.key, s.row)
}

func (s *scan) see(key []byte) {
	row, ok := s.keys.Row(key)
	if !ok || s.got == 0 && row != s.row || !s.right(row, s.touch) {
		s.wrong = true
	}
	s.got++
}

func (s *scan) do(ctx context.Context) (outcome, int, error) {
	s.got, s.wrong = 0, false
	err := s.table.Scan(ctx, s.key[:], int(s.limit), s.touch, s.each)
	switch {
	case err != nil:
		return failed, 0, err
	case s.got == 0:
		return notFound, 0, nil
	case s.wrong:
		return failed, 0, errWrongValue
	case !s.complete():
		return failed, 0, errWrongRows
	}
	return done, int(s.got), nil
}

// complete tells whether as many rows came as there are. Rows that are being
// inserted may or may not have come.
func (s *scan) complete() bool {
	if s.got > s.limit {
		return false
	}
	least, known := s.keys.after(s.row, s.loaded, s.limit)
	return !known || s.got >= least && (s.inserts != nil || s.got == least)
}
