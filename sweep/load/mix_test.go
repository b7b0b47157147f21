package load

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hbtune/sweep/trial"
)

// everyKind is a load of all kinds of operation on one table.
func everyKind() trial.Workload {
	return trial.Workload{
		Table: "t", Rows: 900, ValueBytes: 40, Threads: 6, Columns: 12, Lengths: trial.Zipfian, MinValueBytes: 5,
		Mix:  trial.Mix{Read: 0.3, Update: 0.2, Insert: 0.1, Scan: 0.25, ReadModifyWrite: 0.15},
		Keys: trial.Distribution{Kind: trial.Latest}, Scan: trial.ScanRows{Min: 1, Max: 30},
	}
}

func fillFor(t *testing.T, m *model, w trial.Workload, regions int) {
	t.Helper()
	if _, err := Fill(t.Context(), m, w.Table, ShapeOf(w, regions, 9), FillOptions{}); err != nil {
		t.Fatal(err)
	}
	m.start = time.Now()
}

func TestRunDrivesEveryKindOfOperation(t *testing.T) {
	for name, change := range map[string]func(*trial.Workload){
		"dealt":       func(*trial.Workload) {},
		"hashed":      func(w *trial.Workload) { w.Hashed = true },
		"one column":  func(w *trial.Workload) { w.ReadColumns, w.WriteColumns = 1, 1 },
		"few columns": func(w *trial.Workload) { w.ReadColumns, w.WriteColumns = 4, 3 },
		"plain":       func(w *trial.Workload) { w.Columns, w.Lengths, w.MinValueBytes = 1, "", 0 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newModel()
				m.latency = 10 * time.Millisecond
				w := everyKind()
				change(&w)
				fillFor(t, m, w, 3)
				got, err := Run(t.Context(), m, m, Config{Workload: w, Seed: 2, Duration: 3 * time.Second, WarmupCap: 12 * time.Second, Verify: true})
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Errors) > 0 || got.NotFound > 0 || slices.Contains(got.Flags, flagLittlesLaw) {
					t.Errorf("errors %v, not found %d, flags %v", got.Errors, got.NotFound, got.Flags)
				}
				for kind, want := range map[string]float64{"read": 0.3, "put": 0.2, "insert": 0.1, "scan": 0.25, "read-modify-write": 0.15} {
					if share := float64(got.Ops[kind].Count) / float64(got.Operations); math.Abs(share-want) > 0.02 {
						t.Errorf("share of %s: %.3f, want %.2f", kind, share, want)
					}
				}
				// Scans of 1 to 30 rows, drawn near the end of the table.
				if rows := float64(got.Rows["scan"]) / float64(got.Ops["scan"].Count); rows < 5 || rows > 16 {
					t.Errorf("%.1f rows a scan", rows)
				}
				// The table is not as it was filled.
				filled, err := Fill(t.Context(), m, w.Table, ShapeOf(w, 3, 9), FillOptions{})
				if err != nil || filled.Reused {
					t.Errorf("after inserts the table was used again: %v", err)
				}
			})
		})
	}
}

func drop(m *model, table string, key [KeyLen]byte) {
	t := m.tables[table]
	delete(t.rows, string(key[:]))
	at, _ := slices.BinarySearch(t.keys, string(key[:]))
	t.keys = slices.Delete(t.keys, at, at+1)
}

func TestScansThatMissRowsAreErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		w := trial.Workload{Table: "t", Rows: 300, ValueBytes: 20, Threads: 2, Mix: trial.Mix{Scan: 1}, Scan: trial.ScanRows{Min: 3, Max: 9}}
		fillFor(t, m, w, 2)
		shape := ShapeOf(w, 2, 9)
		var key [KeyLen]byte
		shape.keys().Put(&key, 298) // the last of its region: scans that run over it have too few rows
		drop(m, "t", key)
		shape.keys().Put(&key, 100)
		drop(m, "t", key) // in the middle: what begins there begins with another row
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 3 * time.Second, WarmupCap: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if got.Errors["wrong-value"] == 0 {
			t.Errorf("errors %v", got.Errors)
		}
	})
}

func TestBatchesReadAndWriteManyRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		m.latency = 10 * time.Millisecond
		w := trial.Workload{Table: "t", Rows: 900, ValueBytes: 40, Threads: 4, Mix: trial.Mix{Read: 0.5, Update: 0.3, Insert: 0.2}, Batch: 8}
		fillFor(t, m, w, 3)
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 3 * time.Second, WarmupCap: 12 * time.Second, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Errors) > 0 || got.NotFound > 0 {
			t.Errorf("errors %v, not found %d", got.Errors, got.NotFound)
		}
		for kind, l := range got.Ops {
			if got.Rows[kind] != 8*l.Count {
				t.Errorf("%s: %d rows in %d calls", kind, got.Rows[kind], l.Count)
			}
		}
	})
}

func TestQueueAppendsAndFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel()
		w := trial.Workload{Table: "q", Rows: 1, ValueBytes: 50, Threads: 3, Followers: 3, Batch: 10, Queue: true}
		if err := ResetWriteTable(t.Context(), m, "q", ShapeOf(w, w.Threads, 1)); err != nil {
			t.Fatal(err)
		}
		m.start = time.Now()
		m.latency = 20 * time.Millisecond
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 3 * time.Second, WarmupCap: 6 * time.Second, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Errors) > 0 || got.Ops["append"].Count < 400 || got.Ops["follow"].Count < 400 || slices.Contains(got.Flags, flagLittlesLaw) {
			t.Errorf("errors %v, ops %v, flags %v", got.Errors, got.Ops, got.Flags)
		}
		if got.Rows["append"] != 10*got.Ops["append"].Count || got.Rows["follow"] != 10*got.Ops["follow"].Count {
			t.Errorf("rows %v", got.Rows)
		}
		w.Threads = 4
		if _, err := Run(t.Context(), m, m, Config{Workload: w, Duration: time.Second}); !errors.As(err, new(*NotLoadedError)) {
			t.Errorf("a partition too few: %v", err)
		}
	})
}

func TestOpenLoopKeepsItsSchedule(t *testing.T) {
	for _, poisson := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := filled(t)
			w := smallWorkload(1)
			w.Rate, w.Poisson = 2000, poisson // a quarter of what eight workers can do
			got, err := Run(t.Context(), m, m, Config{Workload: w, Seed: 4, Duration: 5 * time.Second, nap: time.Sleep})
			if err != nil {
				t.Fatal(err)
			}
			if got.Open == nil || got.Open.Rate != 2000 || math.Abs(got.Open.Reached-1) > 0.03 || len(got.Flags) > 0 {
				t.Errorf("open %+v, flags %v", got.Open, got.Flags)
			}
			if (got.Open.Arrivals == "poisson") != poisson {
				t.Errorf("arrivals %s", got.Open.Arrivals)
			}
			read := got.Ops["read"]
			if !poisson && (read.P99Micros != 1000 || got.Open.Late.MaxMicros > 1) {
				t.Errorf("evenly spaced operations waited: %+v, %+v", read, got.Open.Late)
			}
			if got.Service["read"].MaxMicros != 1000 || read.Count != got.Open.Late.Count {
				t.Errorf("service %+v, %d late", got.Service["read"], got.Open.Late.Count)
			}
		})
	}
}

// What a stall does to those who wait behind it must be seen in the response
// times, and only there.
func TestOpenLoopCountsFromTheIntendedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		w := smallWorkload(1)
		w.Rate, w.Threads = 500, 1
		m.slow = func(since time.Duration) float64 { // one call in ten seconds takes a second
			if s := since.Seconds(); s > 22 && s < 22.01 {
				return 1000
			}
			return 1
		}
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 10 * time.Second, WarmupMin: 20 * time.Second, nap: time.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		response, service := got.Ops["read"], got.Service["read"]
		if response.P99Micros < 400_000 || service.P99Micros > 2000 || got.Open.Late.P99Micros < 400_000 {
			t.Errorf("response p99 %d µs, service p99 %d µs, late p99 %d µs", response.P99Micros, service.P99Micros, got.Open.Late.P99Micros)
		}
	})
}

func TestOpenLoopSaysThatTheRateWasNotReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		w := smallWorkload(1)
		w.Rate = 10_000 // eight workers do 8000
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 3 * time.Second, nap: time.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(got.Flags, flagRateNotReached) || math.Abs(got.Open.Reached-0.8) > 0.01 {
			t.Errorf("open %+v, flags %v", got.Open, got.Flags)
		}
	})
}

func TestScheduleIsEvenOrPoisson(t *testing.T) {
	even := newSchedule(3, false, 1)
	for k := range int64(3_000_000) {
		if at, want := even.next(), (k+1)*int64(time.Second)/3; at-want > 1 || want-at > 1 {
			t.Fatalf("start %d at %d, want %d", k, at, want)
		}
	}
	random := newSchedule(1000, true, 1)
	const n = 200_000
	last, sum, squares := int64(0), 0.0, 0.0
	for range n {
		at := random.next()
		gap := float64(at-last) / float64(time.Millisecond)
		if gap < 0 {
			t.Fatal("time runs backwards")
		}
		sum += gap
		squares += gap * gap
		last = at
	}
	mean := sum / n
	if deviation := math.Sqrt(squares/n - mean*mean); math.Abs(mean-1) > 0.02 || math.Abs(deviation-1) > 0.03 {
		t.Errorf("gaps of %.3f ± %.3f ms, want 1 ± 1", mean, deviation)
	}
}

func TestWorkloadFaultsAreNamed(t *testing.T) {
	good := everyKind()
	if err := ValidateWorkload(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*trial.Workload){
		"add up to 1.3":             func(w *trial.Workload) { w.Mix.Read = 0.6 },
		"share of scans":            func(w *trial.Workload) { w.Mix.Scan = -1 },
		"keys: \"gauss\"":           func(w *trial.Workload) { w.Keys.Kind = "gauss" },
		"hotspot":                   func(w *trial.Workload) { w.Keys.Kind = trial.Hotspot },
		"exponential":               func(w *trial.Workload) { w.Keys.Kind = trial.Exponential },
		"columns: -1":               func(w *trial.Workload) { w.Columns = -1 },
		"read columns: 13":          func(w *trial.Workload) { w.ReadColumns = 13 },
		"value lengths":             func(w *trial.Workload) { w.Lengths = "histogram" },
		"least value bytes":         func(w *trial.Workload) { w.MinValueBytes = 41 },
		"the least, 31":             func(w *trial.Workload) { w.Scan.Min = 31 },
		"neither uniform":           func(w *trial.Workload) { w.Scan.Distribution = "x" },
		"batch: 5 with read-modify": func(w *trial.Workload) { w.Batch = 5 },
		"rate: NaN":                 func(w *trial.Workload) { w.Rate = math.NaN() },
		"closed loop":               func(w *trial.Workload) { w.Queue, w.Rate = true, 5 },
		"hashed keys strew":         func(w *trial.Workload) { w.Hashed, w.HitTarget = true, 0.5 },
		"a table of their own":      func(w *trial.Workload) { w.WriteTable = "other" },
		"uniform draws":             func(w *trial.Workload) { w.HitTarget = 0.5 },
	} {
		w := good
		change(&w)
		if err := ValidateWorkload(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}
