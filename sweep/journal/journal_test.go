package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

func sample() (trial.Sweep, []trial.Record) {
	set := hbaseconf.NewSettings(hbaseconf.Setting{Name: "hbase.regionserver.handler.count", Value: "60"})
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := trial.Sweep{ID: "s1", Created: at, Objective: "throughput", Baseline: set, Seed: 7}
	return s, []trial.Record{
		{Trial: trial.Trial{ID: "b1s01h0.9", Variant: trial.Variant{ID: "v1", Settings: set}}, Start: at, Observed: set},
		{Trial: trial.Trial{ID: "b1s02h0.9"}, Start: at, Fault: &trial.Fault{Code: trial.FaultStart, Message: "heap"}},
	}
}

func write(t *testing.T, dir string) {
	t.Helper()
	s, records := sample()
	j, err := Create(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, r := range records {
		if err := j.AppendRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.AppendEvent(Event{Time: s.Created, Code: "restored", Message: "all files as they were"}); err != nil {
		t.Fatal(err)
	}
}

var equal = cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(hbaseconf.Settings.Equal)}

func TestReadGivesWhatWasAppended(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, records := sample()
	if diff := cmp.Diff(s, got.Sweep, equal); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(records, got.Records, equal); diff != "" {
		t.Error(diff)
	}
	if len(got.Events) != 1 || got.Events[0].Code != "restored" {
		t.Errorf("events: %+v", got.Events)
	}
}

// A kill may cut the file after any byte: every record whose line is whole is
// kept, and appending goes on from there.
func TestEveryCutIsSurvived(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first; cut <= len(whole); cut += 7 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(whole[:cut], []byte("\n")) - 1
		j, got, err := Open(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if n := len(got.Records) + len(got.Events); n != lines {
			t.Fatalf("cut at %d: %d entries, want %d", cut, n, lines)
		}
		if err := j.AppendEvent(Event{Code: "resumed"}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		again, err := Read(dir)
		if err != nil {
			t.Fatalf("cut at %d, after appending: %v", cut, err)
		}
		if n := len(again.Records) + len(again.Events); n != lines+1 {
			t.Fatalf("cut at %d: %d entries after appending, want %d", cut, n, lines+1)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	write(t, dir)
	whole, _ := os.ReadFile(filepath.Join(dir, FileName))
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, c := range []struct {
		name, content, want string
	}{
		{"empty", "", "line 1"},
		{"other version", `{"v":9,"sweep":{}}` + "\n", "version 1"},
		{"not JSON", "hello\n", "line 1"},
		{"broken in the middle", string(lines[0]) + "garbage\n" + string(lines[1]), "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Read(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a sweep's folder") {
		t.Errorf("no journal: %v", err)
	}
	s, _ := sample()
	if _, err := Create(dir, s); err == nil || !strings.Contains(err.Error(), "resume") {
		t.Errorf("second Create: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("{\"v\":1,\"sweep\":{\"id\":\"s\"}}\n{\"record\":{\"id\":\"t\"}}\n"))
	f.Add([]byte("{\"v\":1,\"sweep\":{}}\n{\"event\":{}}\n\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, whole, err := decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		if whole > int64(len(data)) {
			t.Fatalf("whole part of %d bytes in %d", whole, len(data))
		}
		if _, again, err := decode(bytes.NewReader(data[:whole])); err != nil || again != whole {
			t.Fatalf("the whole part does not read again: %d, %v", again, err)
		}
	})
}
