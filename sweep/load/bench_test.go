package load

import (
	"context"
	"testing"
	"time"
)

func BenchmarkDrawAndKey(b *testing.B) {
	d := NewDraw(1, 1, 1_000_000_000)
	keys := NewKeys(12)
	var key [KeyLen]byte
	b.ReportAllocs()
	for b.Loop() {
		keys.Put(&key, d.Row())
	}
}

func BenchmarkDraw(b *testing.B) {
	d := NewDraw(1, 1, 1_000_000_000)
	b.ReportAllocs()
	var sum int64
	for b.Loop() {
		sum += d.Row()
	}
	_ = sum
}

func BenchmarkValue1000(b *testing.B) {
	v := NewValues(1, 1000)
	value := make([]byte, v.Size())
	b.SetBytes(int64(v.Size()))
	for b.Loop() {
		v.Put(value, 17)
	}
}

// instant answers at once, so that what a load adds to its calls can be seen.
type instant struct{ value []byte }

func (i *instant) Get(context.Context, []byte) ([]byte, bool, error) { return i.value, true, nil }
func (i *instant) Put(context.Context, []byte, []byte) error         { return nil }
func (i *instant) PutAll(context.Context, []Row) error               { return nil }

// BenchmarkOperation is the cost of one operation apart from the call itself:
// drawing, building the key, reading the clock, recording, and the recorder's
// histograms.
func BenchmarkOperation(b *testing.B) {
	for _, bench := range []struct {
		name      string
		readShare float64
	}{{"read", 1}, {"put", 0}, {"mixed", 0.5}} {
		b.Run(bench.name, func(b *testing.B) {
			shape := Shape{Rows: 1000, ValueBytes: 1000, Regions: 4, Seed: 1}
			w, stop := looseWorker(shape, bench.readShare)
			defer stop()
			b.ReportAllocs()
			for b.Loop() {
				w.step(b.Context(), int64(time.Since(w.start)))
			}
		})
	}
}

// TestOperationsDoNotAllocate holds what the benchmark shows.
func TestOperationsDoNotAllocate(t *testing.T) {
	w, stop := looseWorker(Shape{Rows: 1000, ValueBytes: 1000, Regions: 4, Seed: 1}, 0.5)
	defer stop()
	ctx := t.Context()
	perOp := testing.AllocsPerRun(10_000, func() { w.step(ctx, int64(time.Since(w.start))) })
	if perOp > 0 {
		t.Errorf("%v allocations an operation", perOp)
	}
}

// looseWorker is a worker with its recorder, driven by the caller.
func looseWorker(shape Shape, readShare float64) (w *worker, stop func()) {
	cfg := Config{}
	cfg.Workload.Rows, cfg.Workload.ValueBytes, cfg.Workload.ReadShare = shape.Rows, shape.ValueBytes, readShare
	cfg.Workload.WorkingSet = 1 // so that the one value is always the right one
	value := make([]byte, shape.ValueBytes)
	shape.values().Put(value, 0)
	cluster := &model{}
	shares := cfg.mix(cluster, 0, shape, shape)
	for _, s := range shares {
		switch op := s.op.(type) {
		case *read:
			op.table = &instant{value}
		case *put:
			op.table = &instant{value}
		}
	}
	s := newShared(1)
	s.start = time.Now()
	w = newWorker(s, shares, NewDraw(1, 1, 1))
	w.batch = <-s.empty
	rec := newRecorder(len(kindNames))
	rec.from = 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range s.full {
			rec.take(b)
			s.empty <- b
		}
	}()
	return w, func() { close(s.full); <-done }
}
