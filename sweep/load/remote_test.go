package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hbtune/sweep/trial"
)

// distant drives the model as a process of its own would that takes a
// millisecond to be reached: its lanes do what waits for them one after the other.
type distant struct {
	*model
	start    time.Time
	lanes    chan time.Time // when each became free
	from, to int64
	recorder *recorder
	lose     bool // half of what it records
}

func (d *distant) Lanes(n int, start time.Time) error {
	d.start, d.lanes = start, make(chan time.Time, n)
	for range n {
		d.lanes <- start
	}
	return nil
}

func (d *distant) Window(from, to int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.from, d.to, d.recorder = from, to, newRecorder()
	return nil
}

func (d *distant) Recorded(context.Context) (map[uint8]tallied, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[uint8]tallied{}
	for kind, k := range d.recorder.kinds {
		if k.count > 0 {
			all[uint8(kind)] = tallied{k.response, k.service, k.responseSum, k.serviceSum, k.count}
		}
	}
	return all, nil
}

func (d *distant) Table(name string, columns, worker int) Table {
	return &distantTable{Table: d.model.Table(name, columns, worker), at: d}
}

type distantTable struct {
	Table
	at       *distant
	kind     uint8
	intended int64
	last     event
}

func (t *distantTable) Begin(kind uint8, intended int64) { t.kind, t.intended = kind, intended }

func (t *distantTable) Took() (ended, response, service int64, ok bool) {
	return t.last.ended, t.last.response, t.last.service, true
}

func (t *distantTable) Get(ctx context.Context, key []byte, columns Columns) (bool, error) {
	time.Sleep(time.Millisecond / 2)
	d := t.at
	due := <-d.lanes
	sent := time.Now()
	found, err := t.Table.Get(ctx, key, columns)
	ended := time.Now()
	if t.intended >= 0 {
		due = d.start.Add(time.Duration(t.intended))
	}
	t.last = event{ended: int64(ended.Sub(d.start)), response: int64(ended.Sub(due)), service: int64(ended.Sub(sent)), kind: t.kind}
	d.lanes <- ended
	d.mu.Lock()
	if d.recorder != nil && t.last.ended >= d.from && t.last.ended < d.to {
		k := d.recorder.tally(t.kind)
		if record(k.response, t.last.response); !d.lose {
			record(k.service, t.last.service)
			k.count++
			k.responseSum += t.last.response
			k.serviceSum += t.last.service
		}
	}
	d.mu.Unlock()
	time.Sleep(time.Millisecond / 2)
	return found, err
}

// The way to another process is in neither time, and does not keep its lanes
// waiting.
func TestARemoteDriverIsKeptBusy(t *testing.T) {
	for _, rate := range []float64{0, 400} {
		synctest.Test(t, func(t *testing.T) {
			d := &distant{model: newModel()}
			d.latency = 2 * time.Millisecond
			w := trial.Workload{Table: "t", Rows: 500, ValueBytes: 50, Threads: 4, ReadShare: 1, Rate: rate}
			if _, err := Fill(t.Context(), d.model, "t", ShapeOf(w, 2, 1), FillOptions{}); err != nil {
				t.Fatal(err)
			}
			got, err := Run(t.Context(), d, d.model, Config{Workload: w, Seed: 1, Duration: 3 * time.Second, nap: time.Sleep})
			if err != nil {
				t.Fatal(err)
			}
			want := 4 / d.latency.Seconds()
			response := 2000.0
			if rate > 0 {
				want, response = rate, 2500 // half a millisecond late
			}
			if got.Throughput < 0.99*want || got.Throughput > 1.01*want || len(got.Flags) > 0 {
				t.Errorf("%.0f operations/s of %.0f, flags %v", got.Throughput, want, got.Flags)
			}
			if r, s := got.Ops["read"], got.Service["read"]; r.MeanMicros < 0.99*response || r.MeanMicros > 1.01*response || s.P99Micros > 2010 || r.Count != got.Operations {
				t.Errorf("response %.0f µs, service %.0f, count %d of %d", r.MeanMicros, s.MeanMicros, r.Count, got.Operations)
			}
		})
	}
}

func TestARemoteDriverThatLosesOperationsIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &distant{model: newModel(), lose: true}
		w := trial.Workload{Table: "t", Rows: 500, ValueBytes: 50, Threads: 4, ReadShare: 1}
		if _, err := Fill(t.Context(), d.model, "t", ShapeOf(w, 2, 1), FillOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := Run(t.Context(), d, d.model, Config{Workload: w, Seed: 1, Duration: time.Second, WarmupCap: 4 * time.Second})
		if err == nil {
			t.Error("times of operations that nobody reported were believed")
		}
	})
}
