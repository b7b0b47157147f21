package load

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hbtune/sweep/trial"
)

// Histograms hold microseconds up to an hour with three significant digits.
const (
	histogramDigits  = 3
	secondDigits     = 2 // for the p99 of a second
	histogramHighest = int64(time.Hour / time.Microsecond)
)

// outcome is what became of one operation.
type outcome uint8

const (
	done     outcome = iota
	notFound         // a read of a row that is not there
	failed           // an error, or a value that is not the row's own
)

// event is one operation. Times are nanoseconds; ended counts from the start of
// the load.
type event struct {
	ended, response, service int64
	rows                     uint32
	kind                     uint8
	outcome                  outcome
	class                    uint8 // of the error, where it failed
}

// batch carries the events of one worker to the recorder.
type batch struct {
	n      int
	events [128]event
}

// kindTally sums up one kind of operation over the measured window.
type kindTally struct {
	response, service *hdrhistogram.Histogram
	// responseSum in nanoseconds is exact where the histogram rounds.
	responseSum, serviceSum int64
	count, rows             int64
}

// second sums up one second of the load.
type second struct {
	operations, failures int64
	p99                  *hdrhistogram.Histogram // nil once it is no longer needed
	p99Micros            int64
}

// recorder turns events into histograms and seconds. One goroutine owns it.
type recorder struct {
	kinds   []kindTally
	errors  [256]int64 // by class
	missing int64
	seconds []second
	spare   []*hdrhistogram.Histogram

	// late holds by how much operations of an open loop started after they should.
	open    bool
	late    *hdrhistogram.Histogram
	lateSum int64

	// The measured window in nanoseconds since the start; empty until set. It is
	// always set ahead of time, so that no event of it has been seen before.
	from, to int64
}

func newRecorder() *recorder {
	return &recorder{
		kinds: make([]kindTally, len(kindNames)), from: maxTime, to: maxTime,
		late: hdrhistogram.New(1, histogramHighest, histogramDigits),
	}
}

// tally is that of a kind; most loads have one or two.
func (r *recorder) tally(kind uint8) *kindTally {
	k := &r.kinds[kind]
	if k.response == nil {
		k.response = hdrhistogram.New(1, histogramHighest, histogramDigits)
		k.service = hdrhistogram.New(1, histogramHighest, histogramDigits)
	}
	return k
}

// openSeconds is how many seconds back an operation may still be reported
// before its second's p99 is fixed; its count is never lost.
const openSeconds = 60

func (r *recorder) take(b *batch) {
	for i := range b.events[:b.n] {
		e := &b.events[i]
		s := r.second(int(e.ended / int64(time.Second)))
		if e.outcome == failed {
			s.failures++
		} else {
			s.operations++
			if s.p99 != nil {
				record(s.p99, e.response)
			}
		}
		if e.ended < r.from || e.ended >= r.to {
			continue
		}
		switch e.outcome {
		case failed:
			r.errors[e.class]++
			continue
		case notFound:
			r.missing++
		}
		k := r.tally(e.kind)
		record(k.response, e.response)
		record(k.service, e.service)
		if r.open {
			record(r.late, e.response-e.service)
			r.lateSum += e.response - e.service
		}
		k.rows += int64(e.rows)
		k.responseSum += e.response
		k.serviceSum += e.service
		k.count++
	}
	b.n = 0
}

// second returns the k-th second, making it and those before it where needed.
func (r *recorder) second(k int) *second {
	for len(r.seconds) <= k {
		r.seconds = append(r.seconds, second{p99: r.histogram()})
		if old := len(r.seconds) - openSeconds; old >= 0 {
			r.fix(&r.seconds[old])
		}
	}
	return &r.seconds[k]
}

func (r *recorder) histogram() *hdrhistogram.Histogram {
	if n := len(r.spare); n > 0 {
		h := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return h
	}
	return hdrhistogram.New(1, histogramHighest, secondDigits)
}

// fix computes a second's p99 and frees its histogram.
func (r *recorder) fix(s *second) {
	if s.p99 == nil {
		return
	}
	s.p99Micros = s.p99.ValueAtQuantile(99)
	s.p99.Reset()
	r.spare = append(r.spare, s.p99)
	s.p99 = nil
}

// p99 of a second so far.
func (s *second) p99Now() int64 {
	if s.p99 != nil {
		return s.p99.ValueAtQuantile(99)
	}
	return s.p99Micros
}

func record(h *hdrhistogram.Histogram, nanos int64) {
	micros := min((nanos+500)/1000, histogramHighest)
	// The only error is a value over the highest, which min rules out.
	_ = h.RecordValue(micros)
}

// operations is the number that ended well inside the window.
func (r *recorder) operations() (n int64) {
	for i := range r.kinds {
		n += r.kinds[i].count
	}
	return n
}

// meanResponse of all kinds together, in seconds.
func (r *recorder) meanResponse() float64 {
	n, sum := int64(0), int64(0)
	for i := range r.kinds {
		n += r.kinds[i].count
		sum += r.kinds[i].responseSum
	}
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n) / float64(time.Second)
}

// busySeconds is the time of all workers together that calls took.
func (r *recorder) busySeconds() float64 {
	sum := int64(0)
	for i := range r.kinds {
		sum += r.kinds[i].serviceSum
	}
	return time.Duration(sum).Seconds()
}

// longestResponse of all kinds together, in seconds.
func (r *recorder) longestResponse() float64 {
	longest := int64(0)
	for i := range r.kinds {
		if h := r.kinds[i].response; h != nil {
			longest = max(longest, h.Max())
		}
	}
	return (time.Duration(longest) * time.Microsecond).Seconds()
}

// latency sums up one histogram.
func latency(h *hdrhistogram.Histogram, sum, count int64) (trial.Latency, error) {
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return trial.Latency{}, fmt.Errorf("encode histogram: %w", err)
	}
	l := trial.Latency{
		Count:      count,
		P50Micros:  h.ValueAtQuantile(50),
		P95Micros:  h.ValueAtQuantile(95),
		P99Micros:  h.ValueAtQuantile(99),
		P999Micros: h.ValueAtQuantile(99.9),
		MaxMicros:  h.Max(),
		Histogram:  string(encoded),
	}
	if count > 0 {
		l.MeanMicros = float64(sum) / float64(count) / 1000
	}
	return l, nil
}
