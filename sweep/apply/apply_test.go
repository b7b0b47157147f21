package apply

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

const handlers = "hbase.regionserver.handler.count"

func TestApplyStartsFromTheOriginalEachTime(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{Observe: []string{handlers, "hfile.block.cache.size"}})
	before := time.Now()
	if _, _, err := l.Apply(t.Context(), variant("v1", "hbase.hregion.memstore.flush.size=67108864")); err != nil {
		t.Fatal(err)
	}
	receipt, observed, err := l.Apply(t.Context(), variant("v2", handlers+"=10"))
	if err != nil {
		t.Fatal(err)
	}
	want := variant("", handlers+"=10", "hfile.block.cache.size=0.4").Settings
	if !observed.Equal(want) {
		t.Errorf("observed %v, want %v", observed, want)
	}
	data, err := os.ReadFile(r.site("rs1"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "flush.size") {
		t.Errorf("an edit on an edit:\n%s", data)
	}
	if len(receipt.Files) != 2 || receipt.Files[0].After != hashOf(data) || receipt.Files[0].Before == receipt.Files[0].After {
		t.Errorf("files of the receipt: %+v", receipt.Files)
	}
	for _, n := range r.nodes {
		if receipt.ServerStart[n].Before(before) {
			t.Errorf("%s started %v, before the apply", n, receipt.ServerStart[n])
		}
		kept, err := os.ReadFile(filepath.Join(r.dir, "variants", "v2", n, "hbase-site.xml"))
		if err != nil || !strings.Contains(string(kept), handlers) {
			t.Errorf("copy of the variant: %q, %v", kept, err)
		}
	}
	if err := l.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestBaselineIsTheOriginalOnFreshServers(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	receipt, _, err := l.Apply(t.Context(), variant("baseline"))
	if err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
	for _, n := range r.nodes {
		if !receipt.ServerStart[n].After(r.started[n]) {
			t.Errorf("%s was not restarted", n)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name    string
		variant trial.Variant
		opt     Options
		spoil   func(*rig)
		want    trial.Fault
	}{
		{
			name:    "refused before anything is written",
			variant: variant("v", "hfile.block.cache.size=0.7"),
			want:    trial.Fault{Code: trial.FaultRefused, Message: "hfile.block.cache.size", Property: "hfile.block.cache.size", File: "hbase-site.xml"},
		},
		{
			name:    "forced past the check",
			variant: variant("v", "hfile.block.cache.size=0.7"),
			opt:     Options{Unchecked: true},
			want:    trial.Fault{Code: trial.FaultStart, Message: "heap memory invalid, check", Property: "hfile.block.cache.size"},
		},
		{
			name:    "overridden elsewhere",
			variant: variant("v", handlers+"=10"),
			spoil:   func(r *rig) { r.override = map[string]running{handlers: {"30", "hbase-policy.xml"}} },
			want: trial.Fault{
				Code: trial.FaultNotEffective, Message: "rs1 runs with " + handlers + "=30 (from hbase-policy.xml) instead of 10",
				Property: handlers, File: "hbase-policy.xml",
			},
		},
		{
			name:    "never all serving",
			variant: variant("v", handlers+"=10"),
			opt:     Options{ServeTimeout: time.Millisecond},
			spoil: func(r *rig) {
				r.hang = func(conf map[string]string) bool { return conf[handlers] == "10" }
			},
			want: trial.Fault{Code: trial.FaultStart, Message: "not all regions were open after 1ms", Property: handlers},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			if test.spoil != nil {
				test.spoil(r)
			}
			_, _, err := r.open(t, test.opt).Apply(t.Context(), test.variant)
			var f *Fault
			if !errors.As(err, &f) {
				t.Fatalf("%T: %v", err, err)
			}
			if f.Code != test.want.Code || !strings.Contains(f.Message, test.want.Message) ||
				f.Property != test.want.Property || !strings.HasSuffix(f.File, test.want.File) || strings.Contains(f.Message, "\n") {
				t.Errorf("fault %+v", f.Fault)
			}
			r.checkOriginal(t)
			if test.want.Code == trial.FaultRefused {
				for _, n := range r.nodes {
					if p, _ := r.process(n); !p.Started.Equal(r.started[n]) {
						t.Errorf("%s was restarted", n)
					}
				}
			}
		})
	}
}

func TestNotRestoredSaysWhatToDo(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	if _, _, err := l.Apply(t.Context(), variant("v1", handlers+"=10")); err != nil {
		t.Fatal(err)
	}
	r.hang = func(map[string]string) bool { return true } // the cluster is beyond help
	l.opt.ServeTimeout = time.Millisecond
	_, _, err := l.Apply(t.Context(), variant("v2", handlers+"=60"))
	var failed *NotRestored
	if !errors.As(err, &failed) {
		t.Fatalf("%T: %v", err, err)
	}
	if text := err.Error(); !strings.Contains(text, "hbtune sweep restore "+r.dir) || strings.Contains(text, "\n") {
		t.Error(text)
	}
	r.hang = nil
	if err := r.reopen(t, l, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestInterruptedApplyIsLeftForRestore(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	// As by a signal, which is then the cause.
	ctx, cancel := context.WithCancelCause(t.Context())
	l.step = func(name string) {
		if name == "restart: stopped" {
			cancel(errors.New("interrupt"))
		}
	}
	_, _, err := l.Apply(ctx, variant("v1", handlers+"=10"))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	l.step = func(string) {}
	if err := l.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestAVariantIDLeadsNowhereElse(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	for _, id := range []string{"", ".", "..", "../v1", "a/b"} {
		if _, _, err := l.Apply(t.Context(), variant(id, handlers+"=10")); err == nil || !strings.Contains(err.Error(), "can't be the name of a folder") {
			t.Errorf("%q: %v", id, err)
		}
	}
	r.checkOriginal(t)
}

// A cluster that is gone must not look like one on which all is well.
func TestNoServers(t *testing.T) {
	_, err := newLocal(&fakeCluster{}, t.TempDir(), t.TempDir(), hbaseconf.Builtin(), Options{})
	if err == nil || !strings.Contains(err.Error(), "no RegionServers") {
		t.Error(err)
	}
}

func TestRestoreOfNothing(t *testing.T) {
	r := newRig(t)
	if err := r.open(t, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
	if _, err := os.Stat(r.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a restore of nothing made %s (%v)", r.dir, err)
	}
}

func TestRestoreRestartsOnlyWhatMayDiffer(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	boom := errors.New("killed")
	l.step = func(name string) {
		if strings.HasPrefix(name, "write: renamed") {
			panic(boom) // one file is written, no server restarted
		}
	}
	func() {
		defer func() {
			if recover() != boom {
				t.Error("not killed")
			}
		}()
		_, _, _ = l.Apply(t.Context(), variant("v1", handlers+"=10"))
	}()
	if err := r.reopen(t, l, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
	for _, n := range r.nodes {
		if p, _ := r.process(n); !p.Started.Equal(r.started[n]) {
			t.Errorf("%s was restarted without need", n)
		}
	}
}

// A clock that was set back makes a restarted server look older than the
// departure; it is restarted nevertheless.
func TestRestoreDoesNotTrustTheClock(t *testing.T) {
	r := newRig(t)
	r.age = 2 * time.Hour
	l := r.open(t, Options{})
	l.step = func(name string) {
		if name == "restart: serving" {
			panic("killed")
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _, _ = l.Apply(t.Context(), variant("v1", handlers+"=10"))
		t.Error("not killed")
	}()
	r.age = 0
	if err := r.reopen(t, l, Options{}).Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkOriginal(t)
}

func TestEffective(t *testing.T) {
	r := newRig(t)
	l := r.open(t, Options{})
	got, err := l.Effective(t.Context(), []string{handlers, "hbase.regionserver.port"})
	if err != nil {
		t.Fatal(err)
	}
	if want := variant("", handlers+"=30", "hbase.regionserver.port=16020").Settings; !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.override = map[string]running{handlers: {"7", "hbase-site.xml"}}
	r.overrideOnly = "rs2"
	_, err = l.Effective(t.Context(), []string{handlers})
	if err == nil || !strings.Contains(err.Error(), "rs1 has 30, rs2 has 7") {
		t.Error(err)
	}
	if _, err = l.Effective(t.Context(), []string{"no.such.property"}); err == nil || !strings.Contains(err.Error(), "no.such.property") {
		t.Error(err)
	}
}
