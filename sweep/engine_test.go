package sweep

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// world plays target, load and analyst for the state machine's own tests; what
// these do on a real HBase is tested in cmd.
type world struct {
	now     time.Time
	applied []string
	refuse  string // variant that the target refuses
	cancel  context.CancelFunc
	cancelAt,
	measured int
	loadErr error
}

func (w *world) Apply(_ context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error) {
	id, s := v.ID, v.Settings
	w.applied = append(w.applied, id)
	w.now = w.now.Add(time.Minute)
	if id == w.refuse {
		return trial.Receipt{}, s, fmt.Errorf("apply: %w", &apply.Fault{Fault: trial.Fault{Code: trial.FaultStart, Message: "heap"}})
	}
	return trial.Receipt{Target: "test"}, s, nil
}

func (w *world) Begin(context.Context) error { return w.loadErr }

func (w *world) Measure(ctx context.Context, _ trial.Trial, _ bool) (*trial.Measurement, error) {
	w.measured++
	if w.measured == w.cancelAt {
		w.cancel()
		return nil, ctx.Err()
	}
	return &trial.Measurement{Throughput: 1}, nil
}

func (w *world) Winner(_ trial.Sweep, records []trial.Record) (trial.Variant, string, bool) {
	for _, r := range records {
		if r.Phase != trial.Explore {
			panic("the analyst saw the confirmation")
		}
	}
	return trial.Variant{ID: "v01"}, "best", true
}

func newEngine(t *testing.T, w *world, dir string, budget time.Duration) *Engine {
	t.Helper()
	s := testSweep(2)
	var records []trial.Record
	j, err := journal.Create(dir, s)
	if err != nil {
		var content *journal.Content
		if j, content, err = journal.Open(dir); err != nil {
			t.Fatal(err)
		}
		records = content.Records
	}
	t.Cleanup(func() { j.Close() })
	return &Engine{
		Sweep: s, Design: complete, Budget: budget, Target: w, Load: w, Analyst: w,
		Journal: j, Records: records, Now: func() time.Time { return w.now },
	}
}

const planned = 2*5 + 2*4 // sessions of testSweep(2)

func TestSweepMeasuresEverySession(t *testing.T) {
	w := &world{}
	out, err := newEngine(t, w, t.TempDir(), time.Hour).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(w.applied) != planned || len(out.Records) != 2*planned || out.BudgetSpent || out.Winner == nil {
		t.Errorf("%d applied, %d records, budget spent %v", len(w.applied), len(out.Records), out.BudgetSpent)
	}
}

func TestAFailedTrialIsDataAndTheSweepGoesOn(t *testing.T) {
	w := &world{refuse: "v02"}
	out, err := newEngine(t, w, t.TempDir(), time.Hour).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, r := range out.Records {
		if (r.Fault != nil) == (r.Measurement != nil) {
			t.Fatalf("%s: exactly one of fault and measurement is wanted", r.ID)
		}
		if r.Fault != nil {
			failed++
			if r.Variant.ID != "v02" || r.Fault.Message != "heap" {
				t.Errorf("%s: %+v", r.ID, r.Fault)
			}
		}
	}
	if failed != 4 || len(out.Records) != 2*planned {
		t.Errorf("%d failed of %d", failed, len(out.Records))
	}
}

func TestABrokenLoadIsTheTrialsFault(t *testing.T) {
	w := &world{loadErr: errors.New("no table")}
	out, err := newEngine(t, w, t.TempDir(), time.Hour).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Records {
		if r.Fault == nil || r.Fault.Code != trial.FaultLoad {
			t.Fatalf("%s: %+v", r.ID, r.Fault)
		}
	}
}

func TestAnInterruptedSweepGoesOnWithWholeSessions(t *testing.T) {
	for at := 1; at <= 2*planned; at += 5 {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		first := &world{cancel: cancel, cancelAt: at}
		out, err := newEngine(t, first, dir, time.Hour).Run(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cut at %d: %v", at, err)
		}
		if len(out.Records)%2 != 0 {
			t.Fatalf("cut at %d: half a session was recorded", at)
		}
		out, err = newEngine(t, &world{}, dir, time.Hour).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, r := range out.Records {
			if seen[r.ID] {
				t.Fatalf("cut at %d: %s is recorded twice", at, r.ID)
			}
			seen[r.ID] = true
		}
		if len(seen) != 2*planned {
			t.Fatalf("cut at %d: %d records after resuming, want %d", at, len(seen), 2*planned)
		}
	}
}

func TestTheBudgetKeepsTimeForTheConfirmation(t *testing.T) {
	w := &world{}
	out, err := newEngine(t, w, t.TempDir(), 13*time.Minute).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	phases := map[trial.Phase]int{}
	for _, r := range out.Records {
		phases[r.Phase]++
	}
	if !out.BudgetSpent || phases[trial.Confirm] != 2*2*4 || phases[trial.Explore] != 2*5 {
		t.Errorf("budget spent %v, records by phase %v", out.BudgetSpent, phases)
	}
}

func TestProgressCountsDown(t *testing.T) {
	w := &world{}
	e := newEngine(t, w, t.TempDir(), time.Hour)
	var seen []Progress
	e.Progress = func(p Progress) { seen = append(seen, p) }
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := seen[len(seen)-1]
	if len(seen) != planned || last.Left != time.Minute || last.Session.Order != last.Total {
		t.Errorf("%d reports, the last %+v", len(seen), last)
	}
	status := StatusOf(e.Sweep, e.Design, e.Records, false)
	if status.Sessions != planned || status.Planned != planned || status.LeftSeconds != 0 {
		t.Errorf("status %+v", status)
	}
}

func TestTheLastWordCountsWhatFailed(t *testing.T) {
	measured := trial.Record{Measurement: &trial.Measurement{}}
	failed := trial.Record{Fault: &trial.Fault{}}
	lost := &apply.NotRestored{Target: "local", Err: errors.New("disk full")}
	for _, c := range []struct {
		out        Outcome
		err        error
		code, want string
	}{
		{Outcome{Records: []trial.Record{measured, measured}}, nil, "done", "2 of 2 trials measured; the target is as it was"},
		{Outcome{Records: []trial.Record{measured, failed}}, nil, "done", "1 of 2 trials measured, 1 failed; the target is as it was"},
		{Outcome{Records: []trial.Record{measured}, BudgetSpent: true}, nil, "done", "1 of 1 trials measured, the rest of the plan left out for want of time; the target is as it was"},
		{Outcome{}, context.Canceled, "interrupted", "interrupted; the target is as it was"},
		{Outcome{}, errors.Join(context.Canceled, lost), "not-restored", errors.Join(context.Canceled, lost).Error()},
		{Outcome{}, &Refused{errors.New("another target")}, "refused", "another target"},
		{Outcome{}, errors.New("no Master"), "failed", "no Master"},
	} {
		if e := lastWord(c.out, c.err); e.Code != c.code || e.Message != c.want {
			t.Errorf("%s: %s, want %s: %s", e.Code, e.Message, c.code, c.want)
		}
	}
}
