package analyze

import (
	"fmt"
	"math"
)

// mixedUnits refuses a table in which a latency is given in another unit than
// its column says, or than the rows around it: by Little's law such a row is
// off by a thousand, or by a million, and nothing made of it means anything.
// Threads that mostly wait may bring a row a thousand below its threads by
// themselves; that is taken for a unit only where other rows keep the law.
func (s *Set) mixedUnits() error {
	var sound, off *Sample
	for i := range s.Samples {
		one := &s.Samples[i]
		x, mean := one.Metrics[Throughput], one.Metrics[Mean]
		if !(one.Threads > 0) || !positive(x) || !positive(mean) || !math.IsNaN(one.Offered) {
			continue
		}
		ratio := x * mean / 1e6 / one.Threads
		thousands := math.Round(math.Log(ratio) / math.Log(1000))
		switch near := math.Abs(math.Log(ratio)-thousands*math.Log(1000)) < 0.2; {
		case near && thousands == 0:
			sound = one
		case near && off == nil:
			off = one
		}
		if off != nil && (sound != nil || off.Metrics[Mean]*off.Metrics[Throughput] > 1e6*off.Threads) {
			return fmt.Errorf("%s:%d: %s operations/s on %s threads take %s µs each, and a mean of %s µs is given: it is in another unit than its column says; give every column one unit",
				off.File, off.Row, short(off.Metrics[Throughput]), short(off.Threads),
				short(1e6*off.Threads/off.Metrics[Throughput]), short(off.Metrics[Mean]))
		}
	}
	return nil
}
