package lint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

// write lays files into a folder of their own.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is no configuration is said to be what it is, with the way out.
func TestBadInput(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"yaml.xml", "hbase:\n  handlers: 30\n", "is YAML or a list of key: value, not XML; an HBase site file is <configuration>"},
		{"json.xml", `{"a": 1}`, "is JSON, not XML; an HBase site file is"},
		{"properties.xml", "hbase.rootdir=/x\n", "is a list of key=value, not XML"},
		{"binary.xml", "\x7fELF\x00\x00", "is a binary file; name hbase-site.xml"},
		{"empty.xml", "", "is empty; write at least <configuration></configuration>"},
		{"blank.xml", " \n", "holds only blanks"},
		{"html.xml", "<!DOCTYPE html>\n<html><body>x</body></html>", "is HTML, perhaps copied from a web page"},
		{"script.xml", "export HBASE_HEAPSIZE=8g\n", "is a shell script, not XML; name hbase-site.xml"},
		{"text.xml", "hello", "does not begin with <, so it is not XML"},
		{"env.sh", "<configuration/>", "is XML, not a shell script; a site file is named hbase-site.xml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{c.name: c.text}), c.name)
			configs, err := Paths([]string{path}, Options{}, hbaseconf.Environment{})
			if err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) {
				t.Errorf("got %v", err)
			}
			r := Joined(configs)
			if len(r.Files) != 1 || r.Files[0].Loads || len(r.Findings) != 1 || r.Findings[0].Code != hbaseconf.FaultNotSite {
				t.Errorf("got %+v", r)
			}
		})
	}
	dir := write(t, map[string]string{"sub/x": ""})
	for path, want := range map[string]string{
		dir:                              dir + " is a folder that holds neither hbase-site.xml nor hbase-env.sh; name the folder that HBASE_CONF_DIR names, or a file",
		filepath.Join(dir, "none.xml"):   filepath.Join(dir, "none.xml") + " does not exist",
		filepath.Join(dir, "sub/x/y.xm"): "read configuration: stat " + filepath.Join(dir, "sub/x/y.xm") + ": not a directory",
	} {
		if _, err := Paths([]string{path}, Options{}, hbaseconf.Environment{}); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// A site file with which no daemon starts is a finding.
func TestFilesThatDoNotLoad(t *testing.T) {
	for text, want := range map[string]string{
		"<configuration><property></configuration>": hbaseconf.FaultMalformed,
		"<property><name>a</name><value>1</value></property>\n<property><name>b</name><value>2</value></property>\n": hbaseconf.FaultMalformed,
		`<configuration><include href="gone.xml"/></configuration>`:                                                  hbaseconf.FaultInclude,
		"<?xml version=\"1.0\" encoding=\"utf-8\"?><c>\xff</c>":                                                      hbaseconf.FaultEncoding,
	} {
		path := filepath.Join(write(t, map[string]string{"hbase-site.xml": text}), "hbase-site.xml")
		configs, err := Paths([]string{path}, Options{}, hbaseconf.Environment{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if r := Joined(configs); len(r.Findings) != 1 || r.Findings[0].Code != want || r.Findings[0].File != path || r.Findings[0].Message == "" {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

const (
	siteBucket = "<configuration>\n<property><name>hbase.bucketcache.ioengine</name><value>offheap</value></property>\n<property><name>hbase.bucketcache.size</name><value>4096</value></property>\n</configuration>\n"
	envSmall   = "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g -XX:MaxDirectMemorySize=2g\"\n"
	envLarge   = "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g -XX:MaxDirectMemorySize=8g\"\n"
)

// A folder stands for both its files; an hbase-env.sh belongs to its folder.
func TestFilesThatBelongTogether(t *testing.T) {
	dir := write(t, map[string]string{
		"a/hbase-site.xml": siteBucket, "a/hbase-env.sh": envSmall, "a/core-site.xml": "<configuration/>",
		"b/hbase-site.xml": siteBucket, "b/hbase-env.sh": envLarge,
	})
	count := func(paths ...string) (files, errors int) {
		t.Helper()
		for i := range paths {
			paths[i] = filepath.Join(dir, paths[i])
		}
		configs, err := Paths(paths, Options{}, hbaseconf.Environment{})
		if err != nil {
			t.Fatal(err)
		}
		r := Joined(configs)
		return len(r.Files), r.Count(Error)
	}
	for _, c := range []struct {
		paths         []string
		files, errors int
	}{
		{[]string{"a"}, 2, 1},
		{[]string{"b"}, 2, 0},
		{[]string{"a", "b"}, 4, 1},
		{[]string{"a/hbase-site.xml"}, 1, 0},
		{[]string{"a/hbase-env.sh", "b/hbase-site.xml"}, 2, 1},
		{[]string{"a/hbase-env.sh"}, 1, 0},
	} {
		if files, errors := count(c.paths...); files != c.files || errors != c.errors {
			t.Errorf("%v: %d files, %d errors", c.paths, files, errors)
		}
	}
}

// What is safe is put right, and nothing else changes.
func TestFix(t *testing.T) {
	const before = `<configuration>
  <!-- kept -->
  <property><name>hbase.hregion.memstore.flush.size</name><value>256MB</value></property>
  <property><name>hbase.hregion.max.filesize</name><value>1.073741824e+10</value></property>
  <property>
    <name>hbase.master</name>
    <value>m1:60000</value>
  </property>
  <property><name>hbase.regionserver.global.memstore.size</name><value>0.25</value></property>
  <property><name>hbase.regionserver.global.memstore.upperLimit</name><value>0.4</value></property>
  <property><name>hbase.regionserver.handler.count</name><value>RS_HANDLERS</value></property>
  <property><name>hbase.regionserver.wal.enablecompression</name><value>yes</value></property>
</configuration>
`
	const after = `<configuration>
  <!-- kept -->
  <property><name>hbase.hregion.memstore.flush.size</name><value>268435456</value></property>
  <property><name>hbase.hregion.max.filesize</name><value>10737418240</value></property>
  <property><name>hbase.regionserver.global.memstore.size</name><value>0.25</value></property>
  <property><name>hbase.regionserver.handler.count</name><value>RS_HANDLERS</value></property>
  <property><name>hbase.regionserver.wal.enablecompression</name><value>yes</value></property>
</configuration>
`
	path := filepath.Join(write(t, map[string]string{"hbase-site.xml": before}), "hbase-site.xml")
	configs, err := Paths([]string{path}, Options{}, hbaseconf.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	site, done, err := configs[0].Fix()
	if err != nil || len(done) != 4 {
		t.Fatalf("%v %+v", err, done)
	}
	if got := string(site.Bytes()); got != after {
		t.Errorf("got %s", got)
	}
	again := Config{Input: Input{Site: site}, Report: Run(Input{Site: site})}
	if site, done, err := again.Fix(); site != nil || done != nil || err != nil {
		t.Errorf("a second time: %v %+v", err, done)
	}
	template, err := Paths([]string{filepath.Join(write(t, map[string]string{"hbase-site.xml": strings.Replace(before, "m1:", "{{ m }}:", 1)}), "hbase-site.xml")}, Options{}, hbaseconf.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	if site, done, _ := template[0].Fix(); site != nil || done != nil {
		t.Errorf("a template is changed: %+v", done)
	}
}

// Files outside of the folder are included only where that is allowed.
func TestIncludesOutside(t *testing.T) {
	dir := write(t, map[string]string{"conf/hbase-site.xml": `<configuration><include href="../shared.xml"/></configuration>`, "shared.xml": `<configuration><property name="a" value="1"/></configuration>`})
	path := filepath.Join(dir, "conf")
	for _, outside := range []bool{false, true} {
		configs, err := Paths([]string{path}, Options{IncludeOutside: outside}, hbaseconf.Environment{})
		if err != nil {
			t.Fatal(err)
		}
		if r := Joined(configs); r.Files[0].Loads != outside || outside && r.Files[0].Properties["a"] != "1" {
			t.Errorf("%v: %+v", outside, r)
		}
	}
}

func TestSARIF(t *testing.T) {
	r := runExample(t, "hbase.hregion.max.filesize=256")
	r.Findings[0].File = "a b/hbase-site.xml"
	var b bytes.Buffer
	if err := r.WriteSARIF(&b, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	one := log.Runs[0].Results[0]
	place := one.Locations[0].PhysicalLocation
	if log.Version != "2.1.0" || one.RuleID != "split-storm" || log.Runs[0].Tool.Driver.Rules[one.RuleIndex].ID != one.RuleID || one.Level != "error" ||
		place.ArtifactLocation.URI != "a%20b/hbase-site.xml" || place.Region.StartLine != 2 {
		t.Errorf("got %s", b.String())
	}
}

func TestText(t *testing.T) {
	r := runExample(t, "hbase.hregion.max.filesize=1\nhbase.master=x\nhbase.regionserver.handler.count=600\nheap 1g")
	var b bytes.Buffer
	if err := r.WriteText(&b, true); err != nil {
		t.Fatal(err)
	}
	const want = "hbase-site.xml:2: \x1b[31merror\x1b[0m: \x1b[1mhbase.hregion.max.filesize\x1b[0m: is 1 bytes, not megabytes or gigabytes: regions split without end, and new tables are refused below 2 MB [split-storm]\n" +
		"    instead: hbase.hregion.max.filesize=1073741824 (1 GB)\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("got %q", b.String())
	}
	if !strings.HasSuffix(b.String(), "\n\n2 errors and 1 note in 1 file\n") {
		t.Errorf("got %q", b.String())
	}
	if got := (Report{Files: []File{{}, {}}}).Summary(); got != "nothing found in 2 files" {
		t.Error(got)
	}
}

// What a report says of a file is what Hadoop's own Configuration and HBase's
// own heap check made of it.
func TestFilesAreAsHadoopReadsThem(t *testing.T) {
	const dir = "../testdata/hadoop-xml"
	expected, err := os.ReadFile(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	home := strings.NewReplacer("$HOME", "/home/u", "$USER", "u")
	lookup := func(m map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
	}
	env := hbaseconf.Environment{
		Env:    lookup(map[string]string{"HOME": "/home/u", "USER": "u"}),
		System: lookup(map[string]string{"user.name": "u", "user.home": "/home/u"}),
	}
	compared := 0
	for line := range strings.Lines(string(expected)) {
		var want struct {
			File       string
			Loads      bool
			Properties map[string]string
			Unreadable []string
			HeapCheck  string   `json:"heap_check"`
			Memstore   *float32 `json:"memstore"`
			LowMark    *float32 `json:"memstore_low_mark"`
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		configs, _ := Paths([]string{filepath.Join(dir, want.File)}, Options{}, env)
		files := Joined(configs).Files
		if len(files) != 1 || files[0].Loads != want.Loads {
			t.Errorf("%s: %+v, loads %v", want.File, files, want.Loads)
			continue
		}
		if !want.Loads {
			continue
		}
		compared++
		got := files[0]
		for name, value := range want.Properties {
			if got.Properties[name] != home.Replace(value) {
				t.Errorf("%s: %s=%q, want %q", want.File, name, got.Properties[name], value)
			}
		}
		slices.Sort(want.Unreadable)
		if len(got.Properties) != len(want.Properties) || !slices.Equal(got.Unreadable, want.Unreadable) {
			t.Errorf("%s: %v unreadable %v, want %v", want.File, got.Properties, got.Unreadable, want.Unreadable)
		}
		if want.HeapCheck != "" && got.HeapCheck != want.HeapCheck || want.Memstore != nil && *got.Memstore != *want.Memstore || want.LowMark != nil && *got.LowMark != *want.LowMark {
			t.Errorf("%s: %s %v %v, want %s", want.File, got.HeapCheck, *got.Memstore, *got.LowMark, line)
		}
	}
	if compared < 20 {
		t.Errorf("only %d files compared", compared)
	}
}
