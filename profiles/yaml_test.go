package profiles

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func sample() Profile {
	low, high := 1.11, 1.25
	return FromSweep("four-classics", trial.Sweep{
		ID: "20260102-030405", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Target: "local", HBaseVersion: "2.6.4-hadoop3",
		Host:      trial.Host{OS: "linux", Cores: 2, MemoryBytes: 8 << 30},
		Objective: "throughput", Constraints: []string{"p99_us<=20000"},
		Baseline: hbaseconf.FromMap(map[string]string{
			"hbase.regionserver.handler.count":       "30",
			"hbase.hregion.memstore.flush.size":      "134217728",
			"hfile.block.cache.size":                 "0.4",
			"hbase.regionserver.region.split.policy": "org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy",
		}),
		Workloads: []trial.Workload{
			{Name: "mixed", Table: "t", Rows: 400000, ValueBytes: 1000, ReadShare: 0.9, Threads: 16, HitTarget: 0.3, WorkingSet: 120000},
			{Name: "write", Rows: 400000, ValueBytes: 1000, Threads: 16},
		},
	}, Outcome{
		Settings: hbaseconf.FromMap(map[string]string{
			"hbase.regionserver.handler.count":  "60",
			"hbase.hregion.memstore.flush.size": "268435456",
			"hfile.block.cache.size":            "0.4",
			"hbase.regionserver.maxlogs":        "", // computed: nothing to set
		}),
		Summary: "18 % more operations a second", Verdict: "improves",
		Effect:    &Effect{Ratio: 1.18, Low: &low, High: &high, Confirmed: true, Trials: []string{"c1s01", "c1s02"}},
		HeapBytes: 512 << 20, Source: "demo", Notes: []string{"p99 rose by 3 %: still within its bound"},
	})
}

func TestMarshalGolden(t *testing.T) {
	data, err := sample().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sample.yaml", data)
	back, err := Parse("sample.yaml", data, hbaseconf.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), back, settingsEqual); diff != "" {
		t.Errorf("what was written is read differently (-written +read):\n%s", diff)
	}
}

var settingsEqual = cmp.Comparer(hbaseconf.Settings.Equal)

func TestParseReadsUnits(t *testing.T) {
	p, err := Parse("a.yaml", []byte(`# by hand
v: 1
name: mine
settings:
  hbase.hregion.memstore.flush.size: 256MB
  hfile.block.cache.size: 40%
  hbase.ipc.client.tcpnodelay: TRUE
evidence: {origin: operator}
`), hbaseconf.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	want := hbaseconf.FromMap(map[string]string{
		"hbase.hregion.memstore.flush.size": "268435456",
		"hfile.block.cache.size":            "0.4",
		"hbase.ipc.client.tcpnodelay":       "true",
	})
	if !p.Settings.Equal(want) {
		t.Errorf("got %s, want %s", p.Settings, want)
	}
}

func TestParseFaults(t *testing.T) {
	head := "v: 1\nname: x\nevidence: {origin: operator}\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `no profile: it has no "v: 1"`},
		{"another file", "a: b\n", `no profile: it has no "v: 1"`},
		{"a list", "- 1\n- 2\n", "p.yaml:1: "},
		{"xml", "<configuration/>\n", "p.yaml"},
		{"newer", "v: 2\nfuture: yes\n", "v: 2 is not read by this hbtune, which knows 1"},
		{"unknown key", head + "setings: {}\n", `p.yaml:4: unknown key "setings"`},
		{"unknown inner key", "v: 1\nname: x\nevidence:\n  origin: operator\n  colour: red\n", `p.yaml:5: unknown key "colour"`},
		{"unknown property", head + "settings:\n  hbase.regionserver.handler.cuont: 60\n", "p.yaml:5: unknown property \"hbase.regionserver.handler.cuont\"; did you mean hbase.regionserver.handler.count?"},
		{"wrong unit", head + "settings:\n  hbase.regionserver.handler.count: 60MB\n", "p.yaml:5: hbase.regionserver.handler.count: \"60MB\" has the unit \"MB\""},
		{"out of range", head + "settings:\n  hfile.block.cache.size: 1.5\n", "p.yaml:5: hfile.block.cache.size: \"1.5\" is out of range"},
		{"list as value", head + "settings:\n  hfile.block.cache.size: [0.4]\n", "p.yaml:5: hfile.block.cache.size: give one value"},
		{"empty value", head + "settings:\n  hfile.block.cache.size:\n", "p.yaml:5: hfile.block.cache.size: \"\" is empty"},
		{"twice", head + "settings:\n  hfile.block.cache.size: 0.4\n  hfile.block.cache.size: 0.3\n", "p.yaml:6: hfile.block.cache.size is given twice"},
		{"old name", head + "settings:\n  hbase.regionserver.global.memstore.upperLimit: 0.4\n", "hbase.regionserver.global.memstore.size"},
		{"dead", head + "settings:\n  hbase.replication: false\n", "p.yaml:5: hbase.replication has no effect"},
		{"settings not a mapping", head + "settings: 12\n", "p.yaml:4: settings: give a mapping"},
		{"no name", "v: 1\nevidence: {origin: operator}\n", `profile name ""`},
		{"bad name", "v: 1\nname: ../x\nevidence: {origin: operator}\n", `profile name "../x"`},
		{"no origin", "v: 1\nname: x\n", `evidence.origin: ""`},
		{"effect", "v: 1\nname: x\nevidence: {origin: sweep, effect: {ratio: .nan}}\n", "evidence.effect"},
		{"interval", "v: 1\nname: x\nevidence: {origin: sweep, effect: {ratio: 1.1, low: 1.2}}\n", "evidence.effect"},
		{"type", "v: 1\nname: x\nevidence: {origin: sweep, heap_bytes: big}\n", "p.yaml:3: big (str) is not what belongs here"},
		{"two documents", head + "---\nv: 1\n", "second document"},
		{"share", "v: 1\nname: x\nevidence: {origin: sweep, workloads: [{name: a, read_share: 2}]}\n", "read_share: 2 is outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("p.yaml", []byte(c.text), hbaseconf.Builtin())
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "p.yaml") {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	_, err := Parse("p.yaml", []byte("v: 1\nname: X\nsettings:\n  a.b: 1\n  hfile.block.cache.size: x\nevidence: {origin: me}\n"), hbaseconf.Builtin())
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"p.yaml:4: ", "p.yaml:5: ", `profile name "X"`, "evidence.origin"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%s", want, err)
		}
	}
}

// settingsOf draws settings that the catalogue accepts.
func settingsOf(t *rapid.T, catalogue *hbaseconf.Catalogue) hbaseconf.Settings {
	var settings hbaseconf.Settings
	for _, property := range rapid.SliceOfN(rapid.SampledFrom(catalogue.All()), 0, 6).Draw(t, "properties") {
		if property.ReplacedBy != "" || property.Takes(hbaseconf.NoEffect) {
			continue
		}
		text := rapid.OneOf(
			rapid.Just(string(property.Default)),
			rapid.StringMatching(`[0-9]{1,6}`),
			rapid.StringMatching(`0\.[0-9]{1,3}`),
			rapid.SampledFrom([]string{"true", "null", "~", "a: b", "#x", "- y", "'q'", `"d"`, "*a", "&b", "!c", "é", "{z}", "yes", "0x10", "1e3"}),
			rapid.StringN(1, 20, 40),
		).Draw(t, "value")
		if value, err := catalogue.Value(property.Name, text); err == nil {
			settings = settings.With(hbaseconf.Setting{Name: property.Name, Value: value})
		}
	}
	return settings
}

func TestRoundTrip(t *testing.T) {
	catalogue := hbaseconf.Builtin()
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(0.1, 10).Draw(t, "ratio")
		p := Profile{
			Version: 1, Name: "r", Summary: rapid.String().Draw(t, "summary"),
			Settings: settingsOf(t, catalogue),
			Evidence: Evidence{
				Origin: OriginSweep, Baseline: settingsOf(t, catalogue),
				Effect: &Effect{Ratio: ratio, Trials: []string{"b1s03h0.9"}},
				Notes:  []string{rapid.String().Draw(t, "note")},
			},
		}
		data, err := p.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("r.yaml", data, catalogue)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(p, back, settingsEqual); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

func FuzzParse(f *testing.F) {
	catalogue := hbaseconf.Builtin()
	data, err := sample().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("v: 1\nname: x\nsettings: {<<: {a: b}}\nevidence: {origin: sweep}\n"))
	f.Add([]byte("v: 1\nsettings: &a\n  hfile.block.cache.size: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f.yaml", data, catalogue)
		if err != nil {
			return
		}
		out, err := p.Marshal()
		if err != nil {
			t.Fatalf("accepted and not written: %v", err)
		}
		back, err := Parse("f.yaml", out, catalogue)
		if err != nil {
			t.Fatalf("accepted, written and refused: %v\n%s", err, out)
		}
		if !back.Settings.Equal(p.Settings) {
			t.Fatalf("%s became %s", p.Settings, back.Settings)
		}
	})
}

func TestValidateRefusesNaN(t *testing.T) {
	p := sample()
	p.Evidence.Effect.Ratio = math.NaN()
	if p.validate() == nil {
		t.Error("a ratio that is no number is accepted")
	}
}
