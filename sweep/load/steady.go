package load

import (
	"math"
	"slices"
)

// Window is one second of a load, as the detection of the steady state sees it.
type Window struct {
	Throughput float64 // operations a second
	// Lookups of data blocks in the cache, and those in vain, as far as they
	// became known in this second; servers may take several seconds to tell.
	Lookups, Misses int64
}

// Criterion says what is steady enough.
type Criterion struct {
	// Tail is the least number of windows that must be flat.
	Tail int
	// ThroughputDrift is the most that throughput may drift over the flat part,
	// as a share of its median.
	ThroughputDrift float64
	// HitDrift is the most that the hit rate may differ between the two halves
	// of the flat part.
	HitDrift float64
	// Turnover is the number of blocks that the cache holds. Until as many have
	// been brought in, it still holds what another load left, or is filling, and
	// a hit rate that looks flat only creeps; 0 leaves that out.
	Turnover int64
}

// fits is the hit rate from which on all that is read is in the cache, so that
// no turnover need be waited for.
const fits = 0.98

// fresh is the criterion after a restart, when the server's compiler has yet to
// do its work.
func fresh() Criterion { return Criterion{Tail: 10, ThroughputDrift: 0.03, HitDrift: 0.01} }

// following is the criterion where another load has just ended.
func following() Criterion { return Criterion{Tail: 5, ThroughputDrift: 0.05, HitDrift: 0.01} }

// Steady finds where the transient ends: the series from cut on is flat in
// throughput and in hit rate. ok is false while that can't be said.
//
// The cut is the truncation point of the marginal standard error rule (MSER:
// White 1997), taken for both series, the later of the two. Because that rule
// always finds some point, what is left must also pass for flat: its slope
// (Theil–Sen, which a single stalled second can't bend) may not add up to more
// than the allowed drift. Where seconds scatter too much to show so small a
// drift, a tail of twice the length will do in which the slope can't be told
// from none and stays under twice the drift.
func (c Criterion) Steady(series []Window) (cut int, ok bool) {
	n := len(series)
	if n < c.Tail {
		return 0, false
	}
	throughput := make([]float64, n)
	hit := make([]float64, n)
	known := false
	for i, w := range series {
		throughput[i] = w.Throughput
		if w.Lookups > 0 {
			hit[i] = hitRate(w)
			known = true
		} else if i > 0 {
			hit[i] = hit[i-1]
		}
	}
	most := n - max(c.Tail, n/3)
	cut = truncation(throughput, most)
	if known {
		cut = max(cut, truncation(hit, most))
	}
	if !c.flatThroughput(throughput[cut:]) {
		return cut, false
	}
	return cut, !known || c.flatHit(series[cut:]) && c.turnedOver(series, cut)
}

func (c Criterion) flatThroughput(x []float64) bool {
	level := median(x)
	if level <= 0 {
		return false
	}
	if math.IsInf(c.ThroughputDrift, 1) {
		return true
	}
	slope, spread := theilSen(x)
	drift := math.Abs(slope) * float64(len(x)) / level
	noise := spread * float64(len(x)) / level
	if drift <= c.ThroughputDrift && drift+noise <= 2*c.ThroughputDrift {
		return true
	}
	return len(x) >= 2*c.Tail && drift <= 2*c.ThroughputDrift && drift <= 2*noise
}

// flatHit compares the halves of the readings that came in, allowing for what
// chance does to few lookups. A server that refreshes its counters every ten
// seconds gives few readings; one is not enough.
func (c Criterion) flatHit(tail []Window) bool {
	readings := slices.DeleteFunc(slices.Clone(tail), func(w Window) bool { return w.Lookups == 0 })
	half := len(readings) / 2
	if half == 0 {
		return false
	}
	early, late := sum(readings[:half]), sum(readings[len(readings)-half:])
	p := hitRate(sum(readings))
	chance := math.Sqrt(p * (1 - p) * (1/float64(early.Lookups) + 1/float64(late.Lookups)))
	return math.Abs(hitRate(late)-hitRate(early)) <= c.HitDrift+chance
}

// turnedOver tells whether the cache's content is this load's own.
func (c Criterion) turnedOver(series []Window, cut int) bool {
	return sum(series).Misses >= c.Turnover || hitRate(sum(series[cut:])) >= fits
}

func sum(windows []Window) (total Window) {
	for _, w := range windows {
		total.Throughput += w.Throughput
		total.Lookups += w.Lookups
		total.Misses += w.Misses
	}
	return total
}

func hitRate(w Window) float64 {
	if w.Lookups == 0 {
		return 0
	}
	return 1 - float64(w.Misses)/float64(w.Lookups)
}

// truncation is the d ≤ most that minimises the squared standard error of the
// mean of x[d:].
func truncation(x []float64, most int) int {
	best, least := 0, math.Inf(1)
	var sum, squares float64
	n := 0
	origin := x[len(x)-1] // differences from it keep the sums small
	for d := len(x) - 1; d >= 0; d-- {
		v := x[d] - origin
		sum += v
		squares += v * v
		n++
		if d > most {
			continue
		}
		z := (squares - sum*sum/float64(n)) / float64(n*n)
		if z <= least {
			best, least = d, z
		}
	}
	return best
}

// theilSen is the median of the slopes between all pairs of windows, and the
// standard error of a fitted slope given the scatter about that line.
func theilSen(x []float64) (slope, stderr float64) {
	n := len(x)
	if n < 3 {
		return 0, 0
	}
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range x {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (x[j]-x[i])/float64(j-i))
		}
	}
	slope = median(slopes)
	residuals := make([]float64, n)
	for i := range x {
		residuals[i] = x[i] - slope*float64(i)
	}
	centre := median(residuals)
	for i := range residuals {
		residuals[i] = math.Abs(residuals[i] - centre)
	}
	sigma := 1.4826 * median(residuals) // of a normal scatter
	return slope, sigma * math.Sqrt(12/float64(n*n*n))
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
