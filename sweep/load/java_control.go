package load

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// remote is a driver that does and times operations in another process: what
// the pipe in between costs is then in neither time.
type remote interface {
	// Lanes readies it for a load that begins at start, of so many operations at a
	// time.
	Lanes(n int, start time.Time) error
	// Window says what is to be recorded: operations that end in it, in
	// nanoseconds since the load began.
	Window(from, to int64) error
	// Recorded is what was recorded, by kind.
	Recorded(ctx context.Context) (map[uint8]tallied, error)
}

// tallied holds one kind's times as the driver itself has recorded them.
type tallied struct {
	response, service       *hdrhistogram.Histogram
	responseSum, serviceSum int64 // nanoseconds
	count                   int64
}

// Kinds of control frames.
const (
	javaTime       = 'T'
	javaLanes      = 'L'
	javaWindow     = 'W'
	javaHistograms = 'H'
	javaConf       = 'C'
)

// clockTries is how often the worker is asked for its time: the quickest answer
// tells it best.
const clockTries = 20

func controlFrame(kind byte) []byte {
	control := int32(javaControl)
	return append(binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, uint32(control)), kind)
}

// tell sends a control frame.
func (j *Java) tell(frame []byte) error {
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return j.send(frame)
}

// ask sends a control frame and waits for the answer.
func (j *Java) ask(ctx context.Context, frame []byte) (replyReader, error) {
	select {
	case <-j.answers: // to somebody who gave up waiting
	default:
	}
	if err := j.tell(frame); err != nil {
		return nil, err
	}
	select {
	case answer := <-j.answers:
		return answer, nil
	case <-j.gone:
		return nil, j.failure
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readClock finds out what the worker's clock shows at a moment of ours, to
// within half of the quickest round trip.
func (j *Java) readClock(ctx context.Context) error {
	best := time.Duration(0)
	for try := range clockTries {
		asked := time.Now()
		answer, err := j.ask(ctx, controlFrame(javaTime))
		if err != nil {
			return err
		}
		if took := time.Since(asked); try == 0 || took < best {
			best = took
			j.clock = clock{ours: asked.Add(took / 2), theirs: answer.long()}
		}
	}
	return nil
}

// clock is one moment by two clocks.
type clock struct {
	ours   time.Time
	theirs int64 // nanoseconds, from wherever
}

func (c clock) at(t time.Time) int64 { return c.theirs + int64(t.Sub(c.ours)) }

// Lanes has the worker do so many operations at a time.
func (j *Java) Lanes(n int, start time.Time) error {
	j.start.Store(j.clock.at(start))
	return j.tell(binary.BigEndian.AppendUint32(controlFrame(javaLanes), uint32(n)))
}

// Window says which operations the worker is to record.
func (j *Java) Window(from, to int64) error {
	start := j.start.Load()
	frame := binary.BigEndian.AppendUint64(controlFrame(javaWindow), uint64(start+from))
	frame = binary.BigEndian.AppendUint64(frame, uint64(start+to))
	return j.tell(binary.BigEndian.AppendUint32(frame, uint32(len(kindNames))))
}

// Conf is what the worker's configuration holds of some properties; those that are
// unset are left out.
func (j *Java) Conf(ctx context.Context, names []string) (map[string]string, error) {
	frame := binary.BigEndian.AppendUint32(controlFrame(javaConf), uint32(len(names)))
	for _, name := range names {
		frame = append(binary.BigEndian.AppendUint32(frame, uint32(len(name))), name...)
	}
	answer, err := j.ask(ctx, frame)
	if err != nil {
		return nil, err
	}
	conf := map[string]string{}
	for _, name := range names {
		if set := answer.byte() == 0; set {
			conf[name] = string(answer.bytes())
		}
	}
	return conf, nil
}

// Recorded reads the worker's histograms.
func (j *Java) Recorded(ctx context.Context) (map[uint8]tallied, error) {
	answer, err := j.ask(ctx, controlFrame(javaHistograms))
	if err != nil {
		return nil, err
	}
	kinds := map[uint8]tallied{}
	for len(answer) > 0 {
		kind := answer.byte()
		var t tallied
		t.count, t.responseSum = answer.long(), answer.long()
		if t.response, err = merged(answer.bytes()); err != nil {
			return nil, err
		}
		t.serviceSum = answer.long()
		if t.service, err = merged(answer.bytes()); err != nil {
			return nil, err
		}
		kinds[kind] = t
	}
	return kinds, nil
}

// merged is a histogram of ours with the values of an encoded one.
func merged(encoded []byte) (*hdrhistogram.Histogram, error) {
	from, err := hdrhistogram.Decode(encoded)
	if err != nil {
		return nil, fmt.Errorf("read a histogram of the Java client: %w", err)
	}
	h := hdrhistogram.New(1, histogramHighest, histogramDigits)
	if dropped := h.Merge(from); dropped > 0 {
		return nil, fmt.Errorf("a histogram of the Java client holds %d values over an hour", dropped)
	}
	return h, nil
}
