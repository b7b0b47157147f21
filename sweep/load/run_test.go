package load

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"go.uber.org/goleak"

	"hbtune/sweep/trial"
)

func TestMain(m *testing.M) {
	if os.Getenv(fakeWorkerEnv) != "" {
		fakeWorker()
	}
	goleak.VerifyTestMain(m)
}

var smallShape = Shape{Rows: 4000, ValueBytes: 100, Regions: 3, Seed: 5}

// filled is a model with a table to read and one to write.
func filled(t *testing.T) *model {
	t.Helper()
	m := newModel()
	if _, err := Fill(t.Context(), m, "r", smallShape, FillOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := ResetWriteTable(t.Context(), m, "w", smallShape); err != nil {
		t.Fatal(err)
	}
	m.start = time.Now()
	return m
}

func smallWorkload(readShare float64) trial.Workload {
	return trial.Workload{Table: "r", WriteTable: "w", Rows: smallShape.Rows, ValueBytes: smallShape.ValueBytes, ReadShare: readShare, Threads: 8}
}

func TestRunMeasuresAClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		told := 0
		w := smallWorkload(0.75)
		w.WorkingSet, w.HitTarget = 1600, 0.5 // twice what the cache holds
		got, err := Run(t.Context(), m, m, Config{
			Workload: w, Seed: 1, Duration: 5 * time.Second, Verify: true,
			Second: func(s trial.Second) {
				if int(s.T) != told {
					t.Errorf("told of second %v after %d", s.T, told)
				}
				told++
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Flags) > 0 || !got.Steady || len(got.Errors) > 0 || got.NotFound > 0 {
			t.Errorf("flags %v, steady %v, errors %v, not found %d", got.Flags, got.Steady, got.Errors, got.NotFound)
		}
		if got.Workload != "mixed" || got.Driver != "model" || got.Threads != 8 || got.Seconds != 5 {
			t.Errorf("head %+v", got)
		}
		// Eight workers, one millisecond each.
		if math.Abs(got.Throughput-8000) > 80 {
			t.Errorf("throughput %.0f, want 8000", got.Throughput)
		}
		reads, puts := got.Ops["read"], got.Ops["put"]
		if share := float64(reads.Count) / float64(reads.Count+puts.Count); math.Abs(share-0.75) > 0.02 {
			t.Errorf("share of reads %.3f", share)
		}
		if reads.P50Micros != 1000 || reads.MeanMicros != 1000 || got.Service["put"].P99Micros != 1000 {
			t.Errorf("latencies %+v, %+v", reads, got.Service["put"])
		}
		h, err := hdrhistogram.Decode([]byte(reads.Histogram))
		if err != nil || h.TotalCount() != reads.Count {
			t.Errorf("histogram holds %d of %d reads: %v", h.TotalCount(), reads.Count, err)
		}
		if math.Abs(got.Hit.DataBlocks-0.5) > 0.02 || got.Hit.AllBlocks <= got.Hit.DataBlocks || got.Hit.Target != 0.5 {
			t.Errorf("hit %+v", got.Hit)
		}
		if d := got.Server["gets"]; math.Abs(d/got.Server["metrics_seconds"]-6000) > 120 {
			t.Errorf("server counted %v gets in %v s", d, got.Server["metrics_seconds"])
		}
		series := got.Series
		if float64(len(series)) != got.WarmupSeconds+5 || told < len(series)-1 {
			t.Errorf("%d seconds in the series, %v of warm-up, told of %d", len(series), got.WarmupSeconds, told)
		}
		for _, s := range series {
			if s.Warmup != (s.T < got.WarmupSeconds) || math.Abs(s.Throughput-8000) > 80 || s.P99Micros < 990 {
				t.Errorf("second %+v", s)
			}
		}
	})
}

func TestRunWaitsForTheClimbAndFlagsItAtTheCap(t *testing.T) {
	climbing := func(tau float64) func(time.Duration) float64 {
		return func(since time.Duration) float64 { return 1 / (1 - 0.5*math.Exp(-since.Seconds()/tau)) }
	}
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		m.slow = climbing(8)
		cfg := Config{Workload: smallWorkload(1), Duration: 5 * time.Second}
		got, err := Run(t.Context(), m, m, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Steady || got.Throughput < 0.97*8000 {
			t.Errorf("steady %v after %v s at %.0f operations a second", got.Steady, got.WarmupSeconds, got.Throughput)
		}
		m.start, m.slow = time.Now(), climbing(60)
		cfg.WarmupCap = 15 * time.Second
		if got, err = Run(t.Context(), m, m, cfg); err != nil {
			t.Fatal(err)
		}
		if got.Steady || !slices.Contains(got.Flags, flagNotSteady) || got.WarmupSeconds > 17 {
			t.Errorf("steady %v after %v s, flags %v", got.Steady, got.WarmupSeconds, got.Flags)
		}
	})
}

func TestRunGoesOnUntilSlowCountersStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		m.refresh = 10 * time.Second
		w := smallWorkload(1)
		w.WorkingSet = 1600
		got, err := Run(t.Context(), m, m, Config{Workload: w, Duration: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Hit.DataBlocks-0.5) > 0.02 || got.Operations != 40_000 {
			t.Errorf("hit %+v, %d operations", got.Hit, got.Operations)
		}
		if s := got.Server["metrics_seconds"]; s < 5 || s > 25 {
			t.Errorf("counters compared over %v s", s)
		}
	})
}

type busyError struct{}

func (busyError) Error() string { return "region too busy" }
func (busyError) Class() string { return "RegionTooBusyException" }

func TestRunCountsErrorsAndMissingRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		n := 0
		m.fail = func() error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if n++; n%100 == 0 {
				return busyError{}
			}
			return nil
		}
		var key [KeyLen]byte
		for row := range smallShape.Rows / 2 {
			smallShape.keys().Put(&key, row)
			if row%2 == 0 {
				delete(m.tables["r"].rows, string(key[:]))
			} else {
				m.tables["r"].rows[string(key[:])][3]++
			}
		}
		got, err := Run(t.Context(), m, m, Config{Workload: smallWorkload(1), Duration: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if got.NotFound == 0 || got.Errors["RegionTooBusyException"] == 0 || got.Errors["wrong-value"] == 0 {
			t.Errorf("not found %d, errors %v", got.NotFound, got.Errors)
		}
		if want := []string{flagErrors, flagNotFound}; !slices.Equal(got.Flags, want) {
			t.Errorf("flags %v, want %v", got.Flags, want)
		}
	})
}

func TestRunEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		cfg := Config{Workload: smallWorkload(1), Duration: time.Minute}

		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if _, err := Run(ctx, m, m, cfg); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
		m.fail = func() error { return busyError{} }
		if _, err := Run(t.Context(), m, m, cfg); !errors.As(err, new(busyError)) {
			t.Errorf("every call fails: %v", err)
		}
		m.fail = nil
		blind := metricsFunc(func(context.Context) (Reading, error) { return Reading{}, errors.New("connection refused") })
		if _, err := Run(t.Context(), m, blind, cfg); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("no metrics: %v", err)
		}
		restarted := metricsFunc(func(ctx context.Context) (Reading, error) {
			r, err := m.Read(ctx)
			r.Start = time.Now().Truncate(7 * time.Second).String()
			return r, err
		})
		if _, err := Run(t.Context(), m, restarted, cfg); err == nil || !strings.Contains(err.Error(), "restarted") {
			t.Errorf("restart in the middle: %v", err)
		}
	})
}

// A server that dies leaves calls hanging and metrics unread; the load must end
// by itself, and say why.
func TestRunEndsWhenTheServerDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := filled(t)
		dead := func(since time.Duration) bool { return since > 12*time.Second }
		m.hangs = dead
		gone := metricsFunc(func(ctx context.Context) (Reading, error) {
			if dead(time.Since(m.start)) {
				<-ctx.Done()
				return Reading{}, errors.New("connection refused")
			}
			return m.Read(ctx)
		})
		for name, metrics := range map[string]Metrics{"metrics": gone, "calls": m} {
			m.start = time.Now()
			_, err := Run(t.Context(), m, metrics, Config{Workload: smallWorkload(1), Duration: time.Minute})
			if err == nil || !strings.Contains(err.Error(), "connection refused") && !strings.Contains(err.Error(), "hang") {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(m.start); took > 50*time.Second {
				t.Errorf("%s: noticed after %v", name, took)
			}
		}
		// Calls that hang when the window is over are not waited for.
		m.start = time.Now()
		m.hangs = func(since time.Duration) bool { return since > 25*time.Second }
		if _, err := Run(t.Context(), m, m, Config{Workload: smallWorkload(1), Duration: 5 * time.Second, WarmupCap: 20 * time.Second, WarmupMin: 20 * time.Second}); err != nil {
			t.Error(err)
		}
		if took := time.Since(m.start); took > 45*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

type metricsFunc func(context.Context) (Reading, error)

func (f metricsFunc) Read(ctx context.Context) (Reading, error) { return f(ctx) }

func TestForeignTablesAreLeftAlone(t *testing.T) {
	m := newModel()
	ctx := t.Context()
	if err := m.Create(ctx, "theirs", map[string]string{"MAX_FILESIZE": "1"}, nil); err != nil {
		t.Fatal(err)
	}
	m.tables["theirs"].rows["k"] = []byte("v")
	m.calls = nil
	w := smallWorkload(0.5)
	w.WriteTable = "theirs"
	_, fillErr := Fill(ctx, m, "theirs", smallShape, FillOptions{})
	_, runErr := Run(ctx, m, m, Config{Workload: w, Duration: time.Second})
	for name, err := range map[string]error{
		"Fill":            fillErr,
		"ResetWriteTable": ResetWriteTable(ctx, m, "theirs", smallShape),
		"Run":             runErr,
	} {
		// Run meets the read table first, which is missing; that refuses as well.
		if !errors.As(err, new(*ForeignTableError)) && !errors.As(err, new(*NotLoadedError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Table, w.ReadShare = "theirs", 0
	if _, err := Run(ctx, m, m, Config{Workload: w, Duration: time.Second}); !errors.As(err, new(*ForeignTableError)) {
		t.Errorf("Run: %v", err)
	}
	if len(m.calls) > 0 || !bytes.Equal(m.tables["theirs"].rows["k"], []byte("v")) || len(m.tables["theirs"].rows) != 1 {
		t.Errorf("the table was touched: %v", m.calls)
	}
}

func TestFillReusesRemakesAndResumesNothing(t *testing.T) {
	m := newModel()
	ctx := t.Context()
	fill := func(s Shape) Filled {
		t.Helper()
		f, err := Fill(ctx, m, "r", s, FillOptions{Workers: 3, Batch: 70})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := fill(smallShape); f.Reused || f.Rows != smallShape.Rows {
		t.Errorf("first: %+v", f)
	}
	if n := int64(len(m.tables["r"].rows)); n != smallShape.Rows+1 {
		t.Errorf("%d rows", n)
	}
	if f := fill(smallShape); !f.Reused {
		t.Errorf("same again: %+v", f)
	}
	other := smallShape
	other.Regions = 2
	if f := fill(other); f.Reused {
		t.Error("another shape was taken for the same")
	}
	delete(m.tables["r"].rows, string(sentinel)) // as if loading had been cut short
	if f := fill(other); f.Reused {
		t.Error("a table loaded in part was taken for whole")
	}
	want := []string{"create r", "settle r", "settle r", "drop r", "create r", "settle r", "drop r", "create r", "settle r"}
	if !slices.Equal(m.calls, want) {
		t.Errorf("calls %v", m.calls)
	}
}

func TestValidateListsEveryFault(t *testing.T) {
	cfg := Config{Workload: trial.Workload{ReadShare: 1.5, HitTarget: 1, WorkingSet: -1}, WarmupMin: time.Hour}
	err := cfg.Validate()
	for _, word := range []string{"table", "rows", "value bytes", "read share", "threads", "hit target", "working set", "duration", "warm-up"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q is missing in: %v", word, err)
		}
	}
}
