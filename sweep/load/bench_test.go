package load

import (
	"context"
	"testing"
	"time"

	"hbtune/sweep/trial"
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
		v.Put(value, 17, 0)
	}
}

// instant answers at once, so that what a load adds to its calls can be seen.
type instant struct{ value []byte }

func (i *instant) Get(context.Context, []byte, Columns) (bool, error) { return true, nil }
func (i *instant) Value(int) ([]byte, bool)                           { return i.value, true }
func (i *instant) Put(context.Context, Row) error                     { return nil }
func (i *instant) PutAll(context.Context, []Row) error                { return nil }

func (i *instant) GetAll(_ context.Context, keys [][]byte, _ Columns, row func(int, bool)) error {
	for k := range keys {
		row(k, true)
	}
	return nil
}

func (i *instant) Scan(_ context.Context, start []byte, _ int, _ Columns, row func([]byte)) error {
	row(start)
	return nil
}

// instantCluster has tables that all hold row 0 alone.
type instantCluster struct {
	*model
	value []byte
}

func (c instantCluster) Table(string, int, int) Table { return &instant{c.value} }

// BenchmarkOperation is the cost of one operation apart from the call itself:
// drawing, building the key, reading the clock, recording, and the recorder's
// histograms.
func BenchmarkOperation(b *testing.B) {
	for _, bench := range []struct {
		name string
		w    trial.Workload
	}{
		{"read", trial.Workload{ReadShare: 1}},
		{"put", trial.Workload{ReadShare: 0}},
		{"mixed", trial.Workload{ReadShare: 0.5}},
		{"scan", trial.Workload{Mix: trial.Mix{Scan: 1}}},
		{"zipfian", trial.Workload{ReadShare: 1, Keys: trial.Distribution{Kind: trial.Zipfian}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			w, stop := looseWorker(bench.w)
			defer stop()
			b.ReportAllocs()
			for b.Loop() {
				w.step(b.Context(), int64(time.Since(w.start)), whenFree)
			}
		})
	}
}

// TestOperationsDoNotAllocate holds what the benchmark shows, for every kind of
// operation.
func TestOperationsDoNotAllocate(t *testing.T) {
	w, stop := looseWorker(trial.Workload{
		Mix:  trial.Mix{Read: 0.3, Update: 0.2, Insert: 0.1, Scan: 0.2, ReadModifyWrite: 0.2},
		Keys: trial.Distribution{Kind: trial.Latest},
	})
	defer stop()
	ctx := t.Context()
	perOp := testing.AllocsPerRun(10_000, func() { w.step(ctx, int64(time.Since(w.start)), whenFree) })
	if perOp > 0 {
		t.Errorf("%v allocations an operation", perOp)
	}
}

// looseWorker is a worker with its recorder, driven by the caller. Its calls
// return at once.
func looseWorker(load trial.Workload) (w *worker, stop func()) {
	load.Table, load.Rows, load.ValueBytes, load.Threads = "t", 1000, 1000, 1
	load.WorkingSet = 1 // so that the one value is always the right one
	cfg := Config{Workload: load}
	shape := ShapeOf(load, 4, 1)
	value := make([]byte, shape.ValueBytes)
	shape.values().Put(value, 0, 0)
	shares := newPlan(&cfg, instantCluster{value: value}, shape, shape).operations(0)
	s := newShared(1)
	s.start = time.Now()
	w = newWorker(s, shares, NewDraw(1, 1, 1))
	w.batch = <-s.empty
	rec := newRecorder()
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

// BenchmarkOpenLoop is by how much operations start after they should on a
// machine that has nothing else to do: the tables are in memory.
func BenchmarkOpenLoop(b *testing.B) {
	m := newModel()
	w := smallWorkload(1)
	w.Rate, w.Threads, w.WriteTable = 3000, 64, ""
	if _, err := Fill(b.Context(), m, w.Table, smallShape, FillOptions{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		got, err := Run(b.Context(), m, m, Config{Workload: w, Duration: 10 * time.Second, WarmupCap: 10 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(got.Open.Late.P50Micros), "late-p50-µs")
		b.ReportMetric(float64(got.Open.Late.P99Micros), "late-p99-µs")
	}
}
