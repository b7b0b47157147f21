package profiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/trial"
)

// fake is a target in memory: Apply and Restore do what sweep/apply promises.
type fake struct {
	original hbaseconf.Settings
	running  hbaseconf.Settings
	applyErr error
	keepErr  error
	lost     error // of Restore
	kept     bool
	closed   int
}

func (f *fake) Name() string { return "local" }

func (f *fake) Apply(_ context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error) {
	receipt := trial.Receipt{Target: "local", Files: []trial.File{{Node: "rs1", Path: "/conf/hbase-site.xml", Before: "aa", After: "bb"}}, ServerStart: map[string]time.Time{"rs1": time.Unix(0, 0)}}
	if f.applyErr != nil {
		if interrupted(f.applyErr) {
			f.running = f.original.Merge(v.Settings)
		}
		return receipt, hbaseconf.Settings{}, f.applyErr
	}
	f.running = f.original.Merge(v.Settings)
	return receipt, v.Settings, nil
}

func (f *fake) Effective(_ context.Context, names []string) (hbaseconf.Settings, error) {
	var settings hbaseconf.Settings
	for _, name := range names {
		value, set := f.running.Get(name)
		if !set {
			property, _ := hbaseconf.Builtin().Lookup(name)
			value = property.Default
		}
		settings = settings.With(hbaseconf.Setting{Name: name, Value: value})
	}
	return settings, nil
}

func (f *fake) Keep() error {
	f.kept = f.keepErr == nil
	return f.keepErr
}

func (f *fake) Restore(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.lost != nil {
		return f.lost
	}
	f.running, f.kept = f.original, false
	return nil
}

func (f *fake) Close() error { f.closed++; return nil }

func (f *fake) Files() ([]trial.File, error) {
	return []trial.File{{Node: "rs1", Path: "/conf/hbase-site.xml", Before: "aa", After: "aa"}}, nil
}

func (f *fake) open(string, string) (Target, error) { return f, nil }

func ledgerAt(t *testing.T) *Ledger {
	l := OpenLedger(t.TempDir())
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	return l
}

func settings(pairs ...string) hbaseconf.Settings {
	var s hbaseconf.Settings
	for i := 0; i < len(pairs); i += 2 {
		s = s.With(hbaseconf.Setting{Name: pairs[i], Value: hbaseconf.Value(pairs[i+1])})
	}
	return s
}

const (
	handlers = "hbase.regionserver.handler.count"
	cache    = "hfile.block.cache.size"
	memstore = "hbase.regionserver.global.memstore.size"
	pool     = "hbase.client.ipc.pool.size"
)

func profileOf(name string, s hbaseconf.Settings) Profile {
	return Profile{Version: 1, Name: name, Settings: s, Evidence: Evidence{Origin: OriginOperator}}
}

func planned(t *testing.T, p Profile, f *fake) Diff {
	t.Helper()
	d, err := Plan(t.Context(), p, f, 1<<30, hbaseconf.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPlan(t *testing.T) {
	f := &fake{running: settings(cache, "0.40")}
	d := planned(t, profileOf("p", settings(handlers, "60", cache, "0.4", pool, "16", "MAX_FILESIZE", "2097152")), f)
	if d.Differences() != 1 || len(d.Changes) != 2 || len(d.LeftOut) != 2 {
		t.Errorf("%+v", d)
	}
	if !d.Wanted().Equal(settings(handlers, "60", cache, "0.4")) {
		t.Errorf("wanted %s", d.Wanted())
	}
}

// Applying what no server reads is refused; setting nothing is simply nothing.
func TestPlanWithoutServerSettings(t *testing.T) {
	var refused *Refused
	if _, err := Plan(t.Context(), profileOf("c", settings(pool, "16")), &fake{}, 1<<30, hbaseconf.Builtin()); !errors.As(err, &refused) {
		t.Errorf("client settings only: %v", err)
	}
	if d := planned(t, profileOf("none", settings()), &fake{}); d.Differences() != 0 {
		t.Errorf("%+v", d)
	}
}

// What the target has and the profile leaves alone counts in the heap rule.
func TestPlanRefusesWhatDoesNotFit(t *testing.T) {
	half := profileOf("half", settings(memstore, "0.5"))
	_, err := Plan(t.Context(), half, &fake{running: settings(cache, "0.4")}, 1<<30, hbaseconf.Builtin())
	var refused *Refused
	if !errors.As(err, &refused) {
		t.Errorf("beside a cache of 0.4: %v", err)
	}
	if _, err := Plan(t.Context(), half, &fake{running: settings(cache, "0.2")}, 1<<30, hbaseconf.Builtin()); err != nil {
		t.Errorf("beside a cache of 0.2: %v", err)
	}
}

func TestApplyAndRollback(t *testing.T) {
	ctx, l, f := t.Context(), ledgerAt(t), &fake{}
	p := profileOf("p", settings(handlers, "60", pool, "16"))
	e, err := l.Apply(ctx, planned(t, p, f), "local", f.open)
	if err != nil {
		t.Fatal(err)
	}
	if e.State != InForce || !f.kept || f.closed != 1 || !e.Settings.Equal(settings(handlers, "60")) {
		t.Errorf("entry %+v, target %+v", e, f)
	}
	if d, err := CompareRunning(ctx, p, f, hbaseconf.Builtin()); err != nil || d.Differences() != 0 {
		t.Errorf("after the apply: %+v, %v", d, err)
	}
	back, err := l.Rollback(ctx, "local", "", f.open)
	if err != nil {
		t.Fatal(err)
	}
	if back.ID != e.ID || back.State != RolledBack || f.running.Len() != 0 || !back.Observed.Equal(settings(handlers, "30")) {
		t.Errorf("rolled back: %+v, target %+v", back, f)
	}
	again, err := l.Rollback(ctx, "local", e.ID, f.open)
	if err != nil || again.State != RolledBack || f.closed != 2 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	var nothing *NothingApplied
	if _, err := l.Rollback(ctx, "local", "", f.open); !errors.As(err, &nothing) {
		t.Errorf("nothing left: %v", err)
	}
}

func TestRollbackInOrder(t *testing.T) {
	ctx, l, f := t.Context(), ledgerAt(t), &fake{}
	first, err := l.Apply(ctx, planned(t, profileOf("a", settings(handlers, "60")), f), "local", f.open)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Apply(ctx, planned(t, profileOf("b", settings(handlers, "90")), f), "local", f.open)
	if err != nil {
		t.Fatal(err)
	}
	var covered *Covered
	if _, err := l.Rollback(ctx, "local", first.ID, f.open); !errors.As(err, &covered) || covered.By != second.ID {
		t.Errorf("the lower one first: %v", err)
	}
	for _, want := range []string{second.ID, first.ID} {
		if e, err := l.Rollback(ctx, "local", "", f.open); err != nil || e.ID != want {
			t.Errorf("rolled back %s, %v, want %s", e.ID, err, want)
		}
	}
}

func TestApplyFails(t *testing.T) {
	fault := &apply.Fault{Fault: trial.Fault{Code: trial.FaultStart, Message: "rs1 ended"}}
	canceled := fmt.Errorf("apply p: %w", context.Canceled)
	lost := &apply.NotRestored{Target: "local", Err: errors.New("disk full")}
	for _, c := range []struct {
		name  string
		fake  fake
		state State
		code  string
		want  error
	}{
		{"fault", fake{applyErr: fault}, Failed, trial.FaultStart, fault},
		{"interrupted", fake{applyErr: canceled}, Failed, trial.FaultInterrupted, context.Canceled},
		{"interrupted and not restored", fake{applyErr: canceled, lost: lost}, Applying, "", lost},
		{"not restored", fake{applyErr: lost}, Applying, "", lost},
		{"not kept", fake{keepErr: errors.New("disk full")}, Failed, trial.FaultRefused, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, f := ledgerAt(t), &c.fake
			plan := planned(t, profileOf("p", settings(handlers, "60")), f)
			ctx, cancel := context.WithCancel(t.Context())
			if interrupted(f.applyErr) {
				cancel() // restoring must not be cut short by the same interruption
			}
			defer cancel()
			e, err := l.Apply(ctx, plan, "local", f.open)
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if e.State != c.state || (e.Fault != nil && e.Fault.Code != c.code) {
				t.Errorf("entry %+v, want %s %s", e, c.state, c.code)
			}
			if read, err := l.read(e.ID); err != nil || read.State != c.state {
				t.Errorf("on disk: %s, %v", read.State, err)
			}
			if f.lost == nil && c.state == Failed && f.running.Len() != 0 {
				t.Errorf("left with %s", f.running)
			}
			// A rollback leads out of every state that is open.
			f.lost = nil
			if c.state == Applying {
				if e, err := l.Rollback(t.Context(), "local", "", f.open); err != nil || e.Open() {
					t.Errorf("rollback: %+v, %v", e, err)
				}
			}
		})
	}
}

// A refusal before anything was written is no application.
func TestARefusedApplyLeavesNothing(t *testing.T) {
	for name, refusal := range map[string]error{
		"locked":     &apply.Locked{Target: "local"},
		"claimed":    &apply.Claimed{Target: "local"},
		"infeasible": &apply.Fault{Fault: trial.Fault{Code: trial.FaultRefused, Message: "does not fit"}},
		"not opened": nil,
	} {
		t.Run(name, func(t *testing.T) {
			l, f := ledgerAt(t), &fake{applyErr: refusal, lost: errors.New("nothing is to be restored")}
			open := f.open
			if refusal == nil {
				refusal = errors.New("no such target")
				open = func(string, string) (Target, error) { return nil, refusal }
			}
			e, err := l.Apply(t.Context(), planned(t, profileOf("p", settings(handlers, "60")), f), "local", open)
			if err == nil || !errors.Is(err, refusal) || e.ID != "" {
				t.Errorf("entry %+v, error %v", e, err)
			}
			if entries, err := l.Entries(); err != nil || len(entries) > 0 {
				t.Errorf("kept: %+v, %v", entries, err)
			}
			if _, err := os.Stat(l.dir); err == nil {
				t.Error("the ledger's folder was left")
			}
		})
	}
}

func TestEntriesSurviveAKill(t *testing.T) {
	l := ledgerAt(t)
	e, err := l.begin("p", "local", settings(handlers, "60"), settings(handlers, "30"))
	if err != nil {
		t.Fatal(err)
	}
	// Killed here: a later process finds it, says what to do, and takes it off.
	var list strings.Builder
	if err := WriteEntries(&list, []Entry{e}); err != nil || !strings.Contains(list.String(), "`hbtune profile rollback "+e.ID+"` takes it off") {
		t.Errorf("%s, %v", list.String(), err)
	}
	f := &fake{running: settings(handlers, "60")}
	back, err := l.Rollback(t.Context(), "local", "", f.open)
	if err != nil || back.ID != e.ID || back.State != RolledBack || f.running.Len() != 0 {
		t.Errorf("%+v, %v, target %+v", back, err, f)
	}
}

func TestSameSecondGetsAnotherID(t *testing.T) {
	l := OpenLedger(t.TempDir())
	l.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	seen := map[string]bool{}
	for range 3 {
		e, err := l.begin("p", "local", hbaseconf.Settings{}, hbaseconf.Settings{})
		if err != nil || seen[e.ID] {
			t.Fatalf("%s, %v", e.ID, err)
		}
		seen[e.ID] = true
	}
	if !seen["20260102-030405-p-3"] {
		t.Errorf("%v", seen)
	}
}

func TestReceiptText(t *testing.T) {
	l, f := ledgerAt(t), &fake{}
	e, err := l.Apply(t.Context(), planned(t, profileOf("p", settings(handlers, "60")), f), "local", f.open)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "receipt.txt", []byte(out.String()))
	if e, err = l.Rollback(t.Context(), "local", "", f.open); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "receipt-back.txt", []byte(out.String()))
}
