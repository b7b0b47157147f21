package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hbtune/sweep/trial"
)

func readScenario(t *testing.T, path string) *Scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseScenario(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCoreWorkloadsAreUnderstood(t *testing.T) {
	for letter, want := range map[string]struct {
		mix  trial.Mix
		keys string
	}{
		"a": {trial.Mix{Read: 0.5, Update: 0.5}, trial.Zipfian},
		"b": {trial.Mix{Read: 0.95, Update: 0.05}, trial.Zipfian},
		"c": {trial.Mix{Read: 1}, trial.Zipfian},
		"d": {trial.Mix{Read: 0.95, Insert: 0.05}, trial.Latest},
		"e": {trial.Mix{Scan: 0.95, Insert: 0.05}, trial.Zipfian},
		"f": {trial.Mix{Read: 0.5, ReadModifyWrite: 0.5}, trial.Zipfian},
	} {
		s := readScenario(t, "testdata/ycsb/workload"+letter)
		w := s.Workload
		if w.Mix != want.mix || w.Keys.Kind != want.keys || w.Rows != 1000 || w.Name != "workload"+letter {
			t.Errorf("workload%s: %+v", letter, w)
		}
		if w.Columns != 10 || w.ValueBytes != 100 || w.ReadColumns != 0 || w.WriteColumns != 1 || !w.Hashed {
			t.Errorf("workload%s: defaults %+v", letter, w)
		}
		if letter == "e" && (w.Scan.Min != 1 || w.Scan.Max != 100) {
			t.Errorf("scans %+v", w.Scan)
		}
		if !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "operationcount does nothing here") }) {
			t.Errorf("workload%s: notes %q", letter, s.Notes)
		}
	}
}

func TestPresetsArePrintedAndReadBack(t *testing.T) {
	presets := Presets()
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
		s, err := PresetScenario(p.Name)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if len(s.Notes) > 0 || p.About == "" || !strings.HasSuffix(p.About, ".") {
			t.Errorf("%s: about %q, notes %q", p.Name, p.About, s.Notes)
		}
		again, err := ParseScenario(p.Name, s.Text())
		if err != nil {
			t.Errorf("%s: printed as\n%s\n%v", p.Name, s.Text(), err)
		} else if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("%s is another one when read back:\n%s", p.Name, diff)
		}
	}
	want := []string{"a", "c", "e", "get", "log", "mixed", "put", "random-write", "read-at-hit", "scan"}
	if !slices.Equal(names, want) {
		t.Errorf("presets %v", names)
	}
	if _, err := PresetScenario("gett"); err == nil || !strings.Contains(err.Error(), "get, log, mixed") {
		t.Errorf("an unknown preset: %v", err)
	}
	files, err := filepath.Glob("testdata/ycsb/workload*")
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		s := readScenario(t, file)
		again, err := ParseScenario(file, s.Text())
		if err != nil {
			t.Fatal(err)
		}
		s.Notes = nil
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("%s is another one when read back:\n%s", file, diff)
		}
	}
}

// Every property of CoreWorkload and of YCSB's client is known, to an effect or
// without one.
func TestEveryPropertyOfYCSBIsKnown(t *testing.T) {
	for name := range strings.FieldsSeq(`
		workload db table fieldcount fieldnameprefix fieldlengthdistribution fieldlength minfieldlength fieldlengthhistogram
		readallfields readallfieldsbyname writeallfields dataintegrity readproportion updateproportion insertproportion
		scanproportion readmodifywriteproportion requestdistribution zeropadding minscanlength maxscanlength
		scanlengthdistribution insertorder hotspotdatafraction hotspotopnfraction exponential.percentile exponential.frac
		insertstart insertcount recordcount operationcount core_workload_insertion_retry_limit
		core_workload_insertion_retry_interval threadcount target maxexecutiontime dotransactions exporter exportfile
		measurementtype measurement.interval hdrhistogram.percentiles histogram.buckets status.interval columnfamily`) {
		set := slices.ContainsFunc(settings(), func(s setting) bool { return s.name == name })
		if _, unused := idle(name); set == unused {
			t.Errorf("%s: it has an effect: %v; it does nothing: %v", name, set, unused)
		}
	}
}

func TestScenarioTakesEverySetting(t *testing.T) {
	s, err := ParseScenario("x/y.properties", strings.Join([]string{
		"! another way to comment", "recordcount = 5000", "fieldcount:3", "fieldlength 50", "minfieldlength=5", "fieldlengthdistribution=zipfian",
		"readallfields=FALSE", "writeallfields=true", "insertorder=ordered", "dataintegrity=true",
		"readproportion=0.2", "updateproportion=0.2", "insertproportion=0.2", "scanproportion=0.2", "readmodifywrite\\", "  proportion=0.2",
		"requestdistribution=hotspot", "hotspotdatafraction=0.1", "hotspotopnfraction=0.7",
		"minscanlength=2", "maxscanlength=9", "scanlengthdistribution=zipfian",
		"threadcount=12", "target=300", "maxexecutiontime=40", "hbtune.poisson=true", "hbtune.regions=6", "hbtune.workingset=99",
		"elasticsearch.port=9", `fieldnameprefix=\u0041`,
	}, "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Scenario{
		Workload: trial.Workload{
			Name: "y", Rows: 5000, Columns: 3, ValueBytes: 50, MinValueBytes: 5, Lengths: trial.Zipfian, ReadColumns: 1,
			Mix:  trial.Mix{Read: 0.2, Update: 0.2, Insert: 0.2, Scan: 0.2, ReadModifyWrite: 0.2},
			Keys: trial.Distribution{Kind: trial.Hotspot, HotRows: 0.1, HotDraws: 0.7, Percent: 95, Within: 0.8571428571},
			Scan: trial.ScanRows{Min: 2, Max: 9, Distribution: trial.Zipfian}, Threads: 12, Rate: 300, Poisson: true, WorkingSet: 99,
		},
		Regions: 6, Duration: 40 * time.Second, Verify: true, Notes: s.Notes,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if len(s.Notes) != 2 || !strings.Contains(s.Notes[0], "y.properties:29: elasticsearch.port does nothing") {
		t.Errorf("notes %q", s.Notes)
	}
	if s, err = ParseScenario("w", "readproportion=1\n"); err != nil || s.Workload.Mix != (trial.Mix{Read: 1}) || len(s.Notes) != 1 {
		t.Errorf("reads alone: %+v, %v", s, err)
	}
}

func TestScenarioFaultsNameLineAndWayOut(t *testing.T) {
	for text, want := range map[string]string{
		"recordcount=10\nthreads=5":              "w:2: threads does nothing: threadcount is meant?",
		"recordcount=10\nfieldlenght=5":          "w:2: fieldlenght does nothing: fieldlength is meant?",
		"recordcount=10\nexponential.percent=5":  "exponential.percentile is meant?",
		"recordcount=10\ncolour=5":               "w:2: colour is no property of a workload",
		"recordcount=0":                          "w:1: recordcount=0: a whole number from 1 on is wanted",
		"recordcount=1e6":                        "a whole number",
		"readproportion=0.9\nscanproportion=0.9": "the shares of the operations add up to 1.85, not 1",
		"readproportion=x":                       "w:1: readproportion=x: a number",
		"requestdistribution=gauss":              "use one of uniform, zipfian, latest, hotspot, sequential, exponential",
		"fieldlengthdistribution=histogram":      "histograms of lengths are not read",
		"insertorder=up":                         "hashed or ordered is wanted",
		"<configuration>\n</configuration>":      "no workload",
		"":                                       "no workload",
		"\x00\x01\x02":                           "no workload",
		`fieldnameprefix=\u12`:                   "hexadecimal",
		"recordcount=10\nhbtune.hit=0.5":         "hashed keys strew",
	} {
		_, err := ParseScenario("w", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{"5000": 5000, "5k": 5000, "0.5k/s": 500, "300/min": 5, "1M": 1e6, "20 /s": 20} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5000x", "500o/s", "5/h", "-3", "0", "NaN", "Inf", "5ms", "k", "1e30"} {
		if got, err := ParseRate(text); err == nil || !strings.Contains(err.Error(), "operations a second") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseScenario(f *testing.F) {
	for _, p := range Presets() {
		f.Add(p.Text)
	}
	for letter := range strings.FieldsSeq("a b c d e f") {
		text, err := os.ReadFile("testdata/ycsb/workload" + letter)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("recordcount\\\n=5\nreadproportion=\\u0031\ntarget=1e3")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScenario("w", text)
		if err != nil {
			return
		}
		again, err := ParseScenario("w", s.Text())
		if err != nil {
			t.Fatalf("printed as\n%s\n%v", s.Text(), err)
		}
		if s.Text() != again.Text() {
			t.Fatalf("printed as\n%s\nread and printed again as\n%s", s.Text(), again.Text())
		}
	})
}

func TestFilesThatAreNoWorkload(t *testing.T) {
	for text, want := range map[string]string{
		"readproportion=1\x00":                     "it is a binary file",
		"\xff\xfereadproportion":                   "it is a binary file",
		"readproportion=0\nupdateproportion=0.0\n": "nothing to do",
	} {
		if _, err := ParseScenario("w", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	s, err := ParseScenario("w", "recordcount=1\nrecordcount=2\n")
	if err != nil || s.Workload.Rows != 2 || !strings.Contains(strings.Join(s.Notes, "\n"), "w:2: recordcount is given again") {
		t.Errorf("%+v, %v", s, err)
	}
}
