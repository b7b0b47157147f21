package load

import "context"

// sink is what operations that write have in common. Every row gets the values
// that belong to it, so that what is written may be read and checked.
type sink struct {
	table   Table
	columns columnDraw
	rows    *rowBuffer
}

func newSink(table Table, shape Shape, columns columnDraw, batch int) sink {
	return sink{table: table, columns: columns, rows: newRowBuffer(max(batch, 1), shape)}
}

// send writes what the buffer holds.
func (s *sink) send(ctx context.Context) (outcome, int, error) {
	var err error
	if len(s.rows.rows) == 1 {
		err = s.table.Put(ctx, s.rows.rows[0])
	} else {
		err = s.table.PutAll(ctx, s.rows.rows)
	}
	if err != nil {
		return failed, 0, err
	}
	return done, len(s.rows.rows), nil
}

// put writes rows that are there.
type put struct {
	sink
	draw chooser
}

func (p *put) prepare() {
	touch := p.columns.next()
	for i := range p.rows.rows {
		p.rows.set(i, p.draw.Row(), touch)
	}
}

func (p *put) do(ctx context.Context) (outcome, int, error) { return p.send(ctx) }

// insert adds rows behind all others.
type insert struct {
	sink
	inserts *inserts
	all     Columns
	call    int64
}

func (p *insert) prepare() {
	var first int64
	p.call, first = p.inserts.take()
	for i := range p.rows.rows {
		p.rows.set(i, first+int64(i), p.all)
	}
}

func (p *insert) do(ctx context.Context) (outcome, int, error) {
	defer p.inserts.end(p.call)
	return p.send(ctx)
}

// readModifyWrite reads a row and writes it back, whether or not it was there.
type readModifyWrite struct {
	from read
	to   sink
}

func (m *readModifyWrite) prepare() {
	m.from.prepare()
	m.to.rows.set(0, m.from.row, m.to.columns.next())
}

func (m *readModifyWrite) do(ctx context.Context) (outcome, int, error) {
	out, _, err := m.from.do(ctx)
	if err != nil {
		return out, 0, err
	}
	if _, _, err := m.to.send(ctx); err != nil {
		return failed, 0, err
	}
	return out, 1, nil
}
