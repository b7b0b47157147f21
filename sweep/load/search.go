package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// search is the state of a calibration, apart from the measuring.
//
// Under uniform reads a cache that holds C rows' worth of blocks hits with the
// probability C/W over a working set of W > C rows. The first probe gives C as
// hit × W, and the next working set follows as C/target. Eviction in steps,
// blocks of other kinds and other policies bend the law, so from the second
// probe on its exponent is taken from the two probes nearest to the target, and
// what was measured brackets the answer: a step that would leave the bracket is
// replaced by one to its geometric middle.
type search struct {
	target   float64
	rows     int64
	rowBytes float64 // in the cache
	least    int64
	// capacity is how many rows the cache should hold by its size; cached is the
	// estimate that the search goes by until a probe has told more.
	capacity, cached float64
	// low is the largest working set that hit too often, high the smallest that
	// hit too rarely; 0 while there is none.
	low, high int64
	probes    []Probe
}

const (
	// blockBytes is HBase's default size of a data block: a smaller working set
	// says nothing.
	blockBytes = 64 << 10
	// cellOverhead is what HBase stores with a value: key, family, qualifier,
	// timestamp, type, lengths, and its share of the block's header.
	cellOverhead = KeyLen + 24
	// A hit rate within none…all tells where the answer lies, one beyond only in
	// which direction.
	none, all = 0.02, 0.98
)

func newSearch(target float64, rows int64, rowBytes float64) *search {
	s := &search{target: target, rows: rows, rowBytes: rowBytes}
	s.least = min(rows, max(int64(blockBytes/s.rowBytes), 1))
	return s
}

func (s *search) validate() error {
	if !(s.target > 0 && s.target < 1) {
		return fmt.Errorf("hit target: %v is not between 0 and 1", s.target)
	}
	return nil
}

// next is the working set to probe.
func (s *search) next() int64 {
	if n := len(s.probes); n > 0 && !s.probes[n-1].Steady {
		return s.probes[n-1].WorkingSet
	}
	w := s.clamp(s.estimate())
	if s.low > 0 && w <= s.low || s.high > 0 && w >= s.high {
		low, high := max(s.low, s.least), s.high
		if high == 0 {
			high = s.rows
		}
		w = s.clamp(math.Sqrt(float64(low) * float64(high)))
	}
	return w
}

// estimate solves hit = (C/W)^p for the target.
func (s *search) estimate() float64 {
	a, b := s.nearest()
	switch {
	case a == nil:
		return s.cached / s.target
	case b == nil:
		return a.Hit * float64(a.WorkingSet) / s.target
	}
	if (a.Hit < s.target) != (b.Hit < s.target) {
		// Between two probes a straight line over the working set's logarithm errs
		// less than the law, which a steep end would bend.
		part := (a.Hit - s.target) / (a.Hit - b.Hit)
		return float64(a.WorkingSet) * math.Pow(float64(b.WorkingSet)/float64(a.WorkingSet), part)
	}
	p := math.Log(a.Hit/b.Hit) / math.Log(float64(b.WorkingSet)/float64(a.WorkingSet))
	p = math.Min(math.Max(p, 0.1), 20)
	return float64(a.WorkingSet) * math.Pow(a.Hit/s.target, 1/p)
}

// nearest are the two probes that tell most, among those neither all hits nor
// all misses: the nearest to the target, and the nearest on its other side, or
// failing that the second nearest.
func (s *search) nearest() (a, b *Probe) {
	telling := slices.Clone(s.probes)
	telling = slices.DeleteFunc(telling, func(p Probe) bool {
		return !p.Steady || p.Hit < none || p.Hit > all && s.target < all
	})
	slices.SortStableFunc(telling, func(p, q Probe) int { return cmp.Compare(s.distance(p), s.distance(q)) })
	if len(telling) == 0 {
		return nil, nil
	}
	a, rest := &telling[0], telling[1:]
	for i := range rest {
		if (rest[i].Hit < s.target) != (a.Hit < s.target) {
			return a, &rest[i]
		}
	}
	if len(rest) > 0 {
		b = &rest[0]
	}
	return a, b
}

func (s *search) distance(p Probe) float64 { return math.Abs(p.Hit - s.target) }

func (s *search) clamp(w float64) int64 {
	return int64(math.Min(math.Max(w, float64(s.least)), float64(s.rows)))
}

// learn takes a probe in; finished says that it is near enough, an error that
// no working set can be.
func (s *search) learn(p Probe) (finished bool, err error) {
	s.probes = append(s.probes, p)
	if !p.Steady {
		// The cache was still changing: the same working set again tells more, and
		// starts from where this probe has brought the cache.
		return false, nil
	}
	if s.distance(p) <= hitAim {
		return true, nil
	}
	w := float64(p.WorkingSet)
	if p.Hit > s.target {
		s.low = max(s.low, p.WorkingSet)
		s.cached = math.Max(s.cached, 2*w*s.target)
		if p.WorkingSet >= s.rows {
			return s.within(), s.tooFewRows(p)
		}
	} else {
		if s.high == 0 || p.WorkingSet < s.high {
			s.high = p.WorkingSet
		}
		s.cached = math.Min(s.cached, w*s.target/4)
		if p.WorkingSet <= s.least {
			return s.within(), s.neverHits(p)
		}
	}
	return s.low > 0 && s.high > 0 && s.high-s.low <= 1, nil
}

func (s *search) within() bool {
	best := s.best()
	return best.Steady && s.distance(best) <= hitTolerance
}

func (s *search) tooFewRows(p Probe) error {
	if s.within() {
		return nil
	}
	if p.Hit < all {
		need := int64(math.Ceil(p.Hit * float64(s.rows) / s.target * 1.05))
		return &HitOutOfReachError{s.target, fmt.Sprintf("over all %d rows it is still %.2f; load at least %d rows", s.rows, p.Hit, need)}
	}
	need := int64(math.Ceil(math.Max(s.capacity, float64(s.rows)) / s.target * 1.05))
	return &HitOutOfReachError{s.target, fmt.Sprintf("all %d rows fit into the block cache; load at least %d rows", s.rows, need)}
}

func (s *search) neverHits(p Probe) error {
	if s.within() {
		return nil
	}
	if p.Hit < 0.01 {
		return &HitOutOfReachError{s.target, fmt.Sprintf("reads of only %d rows find nothing in the block cache: it is off, for the server or for the table's family", p.WorkingSet)}
	}
	return &HitOutOfReachError{s.target, fmt.Sprintf("over only %d rows it is %.2f: the block cache is too small for it", p.WorkingSet, p.Hit)}
}

// best is the steady probe nearest to the target; the zero probe if there is
// none.
func (s *search) best() (best Probe) {
	for _, p := range s.probes {
		if p.Steady && (!best.Steady || s.distance(p) < s.distance(best)) {
			best = p
		}
	}
	return best
}

func (s *search) result() (*Calibration, error) {
	best := s.best()
	switch {
	case len(s.probes) > 0 && !best.Steady:
		last := s.probes[len(s.probes)-1]
		return nil, fmt.Errorf("calibration for a data-block hit rate of %g: over %d rows it did not become steady within %v (%.3f in the end); the servers are too slow or too busy for it", s.target, last.WorkingSet, probeCap, last.Hit)
	case !s.within():
		return nil, &HitOutOfReachError{s.target, fmt.Sprintf("after %d probes the nearest was %.3f over %d rows", len(s.probes), best.Hit, best.WorkingSet)}
	}
	return &Calibration{
		Target:     s.target,
		WorkingSet: best.WorkingSet,
		Achieved:   best.Hit,
		CachedRows: best.Hit * float64(best.WorkingSet),
		Probes:     s.probes,
	}, nil
}
