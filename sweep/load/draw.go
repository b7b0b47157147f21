package load

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"hbtune/sweep/trial"
)

// chooser draws the rows of operations. It belongs to one worker. A draw takes
// a constant time, allocates nothing and never tries again.
type chooser interface{ Row() int64 }

// Draw draws rows uniformly. It belongs to one worker.
type Draw struct {
	source rand.PCG
	rows   uint64
}

// NewDraw draws from the rows 0…rows−1; equal seed and worker, equal sequence.
func NewDraw(seed, worker uint64, rows int64) *Draw {
	d := &Draw{rows: uint64(rows)}
	d.source.Seed(mix(seed), mix(seed^mix(worker+1)))
	return d
}

// Row draws a row. The product's high half is uniform up to rows/2⁶⁴, which no
// test could see; that spares a division and a retry.
func (d *Draw) Row() int64 {
	high, _ := bits.Mul64(d.source.Uint64(), d.rows)
	return int64(high)
}

// bits draws 64 random bits.
func (d *Draw) bits() uint64 { return d.source.Uint64() }

// unit draws from [0, 1).
func (d *Draw) unit() float64 { return float64(d.source.Uint64()>>11) * 0x1p-53 }

// newChooser draws from rows 0…rows−1 as the distribution says; those that
// follow the latest row follow inserts past them.
func newChooser(d trial.Distribution, seed, worker uint64, rows int64, common *common) chooser {
	draw := NewDraw(seed, worker, rows)
	switch d.Kind {
	case trial.Zipfian:
		return &scrambled{Draw: *draw, law: newZipf(scrambledItems)}
	case trial.Latest:
		return &latest{Draw: *draw, law: newZipf(rows), inserts: &common.inserts}
	case trial.Hotspot:
		hot := uint64(min(max(d.HotRows*float64(rows), 1), float64(rows)))
		return &hotspot{Draw: *draw, hot: hot, often: threshold(d.HotDraws)}
	case trial.Sequential:
		return &sequential{next: &common.sequence, rows: rows}
	case trial.Exponential:
		// The rate at which Percent of the draws lie within Within of the rows.
		gamma := -math.Log1p(-d.Percent/100) / (d.Within * float64(rows))
		return &exponential{Draw: *draw, gamma: gamma, mean: 1 / gamma, inserts: &common.inserts}
	default:
		return draw
	}
}

// common is what the choosers of all workers share.
type common struct {
	inserts  inserts
	sequence atomic.Uint64
}

// scrambled draws ranks by Zipf's law over very many items and strews them over
// the rows by a hash, as YCSB does: which rows are popular does not depend on
// where they lie, and how popular they are hardly on how many there are.
type scrambled struct {
	Draw
	law zipf
}

// scrambledItems is how many items YCSB takes in place of the true number.
const scrambledItems = 10_000_000_000

func (s *scrambled) Row() int64 {
	rank := s.law.rank(s.unit())
	high, _ := bits.Mul64(mix(uint64(rank)+golden), s.rows)
	return int64(high)
}

// latest draws by Zipf's law counted back from the row that was inserted last.
type latest struct {
	Draw
	law     zipf
	inserts *inserts
}

func (l *latest) Row() int64 {
	rows := l.inserts.rows()
	if rows-l.law.items > l.law.items>>10 {
		l.law.resize(rows)
	}
	return rows - 1 - l.law.rank(l.unit())
}

// hotspot sends a share of the draws to the first rows and the others to the
// rest.
type hotspot struct {
	Draw
	hot, often uint64
}

func (h *hotspot) Row() int64 {
	first, n := uint64(0), h.hot
	if h.bits() >= h.often && h.hot < h.rows {
		first, n = h.hot, h.rows-h.hot
	}
	high, _ := bits.Mul64(h.bits(), n)
	return int64(first + high)
}

// sequential goes through the rows in order and begins again; the workers
// together do so.
type sequential struct {
	next *atomic.Uint64
	rows int64
}

func (s *sequential) Row() int64 { return int64((s.next.Add(1) - 1) % uint64(s.rows)) }

// exponential draws distances from the latest row. YCSB draws again what falls
// before the first row; inverting the law cut off there gives the same
// frequencies in one draw.
type exponential struct {
	Draw
	gamma, mean float64
	inserts     *inserts
	// What there is to draw from, and the share of the law that lies within.
	have   int64
	within float64
}

func (e *exponential) Row() int64 {
	if rows := e.inserts.rows(); rows != e.have {
		e.have, e.within = rows, -math.Expm1(-e.gamma*float64(rows))
	}
	back := int64(-math.Log(1-e.unit()*e.within) * e.mean)
	return e.have - 1 - min(back, e.have-1)
}
