package lint

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

var update = flag.Bool("update", false, "rewrite docs/rules.md and golden files")

// operatorCase is a configuration as an operator has it, and what must and must
// not be said about it.
type operatorCase struct {
	ID      string
	Files   map[string]string
	Heap    *string
	Role    Role
	Version string
	Must    []struct {
		Property string
		Severity Severity
		About    string
	}
	MustNot []string `json:"must_not"`
}

func operatorCases(t *testing.T) []operatorCase {
	t.Helper()
	f, err := os.Open("testdata/lint.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []operatorCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c operatorCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

func (c operatorCase) run(t *testing.T) Report {
	t.Helper()
	in := Input{Options: Options{Role: c.Role, Version: c.Version}}
	if c.Heap != nil {
		heap, err := hbaseconf.ParseBytes(*c.Heap)
		if err != nil {
			t.Fatal(err)
		}
		in.Heap = heap
	}
	for name, text := range c.Files {
		var err error
		if filepath.Ext(name) == ".sh" {
			in.Env, err = envfile.Parse(name, []byte(text))
		} else {
			in.Site, err = hbaseconf.ParseSite(name, []byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return Run(in)
}

// about lists words that the message of a case must hold, where the text of the
// case says more than property and severity.
var about = map[string]map[string]string{
	"old-and-new-names":         {"hbase.regionserver.global.memstore.upperLimit": "ignored", "hbase.regionserver.global.memstore.lowerLimit": "ignored"},
	"sum-too-large":             {"hbase.regionserver.global.memstore.size": "50 % + default block cache 40 % leave 10 %|Master"},
	"memstore-out-of-range":     {"hbase.regionserver.global.memstore.size": "silently takes 0.4"},
	"lower-above-upper":         {"hbase.regionserver.global.memstore.lowerLimit": "no gap is left between forced flushes and blocked"},
	"split-storm":               {"hbase.hregion.max.filesize": "256 bytes|split without end"},
	"max-long-filesize":         {"hbase.hregion.max.filesize": "jitter|DisabledRegionSplitPolicy"},
	"units":                     {"hbase.hregion.memstore.flush.size": "268435456", "hbase.hregion.max.filesize": "21474836480"},
	"legal-units":               {"hfile.block.cache.memory.size": "overrides the fraction hfile.block.cache.size"},
	"wrong-case":                {"hbase.ZooKeeper.quorum": "case-sensitive|hbase.zookeeper.quorum was|stays at 127.0.0.1"},
	"lost-letter":               {"base.regionserver.handler.count": "hbase.regionserver.handler.count was"},
	"no-such-name":              {"hbase.hregion.memstore.flushsize": "hbase.hregion.memstore.flush.size was", "hbase.regionserver.global.memstore.size.upper.limit": "hbase.regionserver.global.memstore.size was"},
	"dead-names":                {"hbase.master": "no longer read", "hbase.master.distributed.log.splitting": "no longer read", "hbase.replication": "no longer read", "ipc.ping.interval": "no longer read", "hbase.bucketcache.percentage.in.combinedcache": "no longer read"},
	"compaction-off-by-bytes":   {"hbase.hstore.compaction.max.size": "no store file ever qualifies|hbase.hstore.blockingStoreFiles"},
	"scan-ratio-alone":          {"hbase.ipc.server.callqueue.scan.ratio": "no effect without hbase.ipc.server.callqueue.read.ratio above 0"},
	"scan-ratio-starves":        {"hbase.ipc.server.callqueue.scan.ratio": "no handler for gets"},
	"bucket-fraction":           {"hbase.bucketcache.size": "megabytes, at least 1|share of the heap|4915"},
	"bucket-heap-engine":        {"hbase.bucketcache.ioengine": "gone in 2.x|does not start"},
	"bucket-no-direct-memory":   {"hbase.bucketcache.size": "bucket cache 4 GB|2 GB of direct memory"},
	"handlers-for-a-small-heap": {"hbase.regionserver.handler.count": "800 handlers|8,000 calls|512 MB", "hbase.hregion.memstore.flush.size": "less than two flushes of 128 MB|only global pressure flushes"},
	"late-xmx-wins":             {"HBASE_HEAPSIZE": "later -Xmx2g|RegionServer"},
	"jdk17-cms":                 {"HBASE_REGIONSERVER_OPTS": "UseConcMarkSweepGC|CMSIncrementalMode|does not start"},
	"compressed-oops":           {"HBASE_REGIONSERVER_OPTS": "compressed|31 GB holds more"},
	"jinja-that-parses":         {"": "template"},
	"caps-placeholder":          {"hbase.regionserver.handler.count": "place-holder|not a number"},
	"helm-float":                {"hbase.hregion.max.filesize": "not an integer|10737418240|template engine"},
	"copy-of-defaults":          {"": "8 of the 8|defaults"},
	"server-key-in-client":      {"hbase.regionserver.handler.count": "no effect in this file"},
	"busy-write-line":           {"hbase.hregion.memstore.block.multiplier": "3.5 GB|global memstore of this heap"},
	"wal-against-memstore":      {"hbase.regionserver.maxlogs": "forced by log count long before"},
}

// allowed lists findings beyond what a case asks for: all of them are true.
var allowed = map[string][]string{
	"units":             nil,
	"lower-above-upper": {"old-name"},
	"secret-in-env":     {"heap-for-all"},
	"dead-names":        nil,
}

func TestOperatorCases(t *testing.T) {
	for _, c := range operatorCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			report := c.run(t)
			asked := map[int]bool{}
			for _, want := range c.Must {
				found := false
				for i, got := range report.Findings {
					if got.Property == want.Property && got.Severity == want.Severity {
						found, asked[i] = true, true
						for _, words := range strings.Split(about[c.ID][want.Property], "|") {
							if !strings.Contains(got.Message+" "+got.Fix, words) {
								t.Errorf("%s: %q lacks %q", got.Property, got.Message, words)
							}
						}
						if got.File == "" || got.Code == "" {
							t.Errorf("no place or code: %+v", got)
						}
					}
				}
				if !found {
					t.Errorf("missing: %s %s: %s\ngot %s", want.Severity, want.Property, want.About, show(report))
				}
			}
			for i, got := range report.Findings {
				extra := !asked[i]
				for _, code := range allowed[c.ID] {
					extra = extra && got.Code != code
				}
				if extra {
					t.Errorf("not asked for: %+v", got)
				}
			}
			for _, text := range []string{"hunter2", "a memstore of 0.4"} {
				if strings.Contains(show(report), text) {
					t.Errorf("says %q: %s", text, show(report))
				}
			}
		})
	}
}

func show(r Report) string {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// runExample judges a rule's example.
func runExample(t *testing.T, text string) Report {
	t.Helper()
	in, err := splitExample(text).input()
	if err != nil {
		t.Fatal(err)
	}
	return Run(in)
}

// Every rule finds its own example, and nothing but it; in the good one nobody
// finds anything worth a warning.
func TestRules(t *testing.T) {
	codes := map[string]bool{}
	for _, rule := range Rules() {
		t.Run(rule.Code, func(t *testing.T) {
			if codes[rule.Code] {
				t.Error("two rules have this code")
			}
			codes[rule.Code] = true
			bad, good := runExample(t, rule.Bad), runExample(t, rule.Good)
			if n := countCode(bad, rule.Code); n == 0 {
				t.Errorf("does not find %s:\n%s", rule.Bad, show(bad))
			}
			for _, got := range bad.Findings {
				if got.Code == rule.Code && got.Severity.rank() < rule.Severity.rank() {
					t.Errorf("worse than the rule says: %+v", got)
				}
				if got.Code != rule.Code && got.Severity == Error {
					t.Errorf("the example is also %+v", got)
				}
			}
			if n := countCode(good, rule.Code); n != 0 {
				t.Errorf("finds %s:\n%s", rule.Good, show(good))
			}
			if good.Count(Error)+good.Count(Warning) > 0 {
				t.Errorf("the good example is not good:\n%s", show(good))
			}
		})
	}
}

func countCode(r Report, code string) int {
	n := 0
	for _, one := range r.Findings {
		if one.Code == code {
			n++
		}
	}
	return n
}

// The defaults that come with each version give no warning, whatever the heap.
func TestShippedDefaultsAreSound(t *testing.T) {
	for _, version := range []string{"2.4.18", "2.5.13-hadoop3", "2.6.4-hadoop3", "3.0.0-alpha-4", "3.0.0-beta-1"} {
		var b strings.Builder
		b.WriteString("<configuration>\n")
		for name, value := range hbaseconf.Shipped(version).All() {
			fmt.Fprintf(&b, "<property><name>%s</name><value>%s</value></property>\n", name, value)
		}
		b.WriteString("</configuration>\n")
		site, err := hbaseconf.ParseSite("hbase-default.xml", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, heap := range []hbaseconf.Bytes{0, 1 << 30, 8 << 30, 31 << 30, 100 << 30} {
			in := Input{Site: site, Options: Options{Version: version, Heap: heap, Regions: 20}, Environment: hbaseconf.Process()}
			if heap == 1<<30 {
				in.Regions = 3
			}
			for _, got := range Run(in).Findings {
				if got.Severity != Info {
					t.Errorf("%s, heap %v: %+v", version, heap, got)
				}
			}
		}
	}
}

// A sound production configuration gives no warning, to whatever daemon reads
// it.
func TestProductionIsSound(t *testing.T) {
	for _, role := range []Role{RegionServer, Master} {
		for _, version := range []string{"2.4.18", "2.5.13-hadoop3", "2.6.4-hadoop3", "3.0.0-alpha-4"} {
			configs, err := Paths([]string{"testdata/production"}, Options{Role: role, Version: version, Regions: 60}, hbaseconf.Process())
			if err != nil || len(configs) != 1 {
				t.Fatal(err, len(configs))
			}
			for _, got := range configs[0].Report.Findings {
				if got.Severity != Info {
					t.Errorf("%s %s: %+v", role, version, got)
				} else {
					t.Logf("%s %s: %s %s", role, version, got.Property, got.Message)
				}
			}
		}
	}
}

func TestJavaOf(t *testing.T) {
	for home, want := range map[string]int{
		"/usr/lib/jvm/java-17-openjdk-amd64":  17,
		"/usr/lib/jvm/java-1.8.0-openjdk":     8,
		"/usr/java/jdk1.8.0_202":              8,
		"/opt/jdk-11.0.2":                     11,
		"/usr/lib/jvm/temurin-21-jdk/jdk21/x": 21,
		"/usr/java/default":                   0,
		"$JAVA_HOME":                          0,
	} {
		env, err := envfile.Parse("hbase-env.sh", []byte("export JAVA_HOME="+home+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := javaOf(env); got != want {
			t.Errorf("%s: %d, want %d", home, got, want)
		}
	}
}

// Many places of one property are not told one by one.
func TestManyDuplicates(t *testing.T) {
	r := runExample(t, strings.Repeat("hbase.regionserver.handler.count=60\n", 500)+"hbase.regionserver.handler.count=50")
	if len(r.Findings) != maxPlaces+1 || !strings.Contains(r.Findings[maxPlaces].Message, "in 490 places more") {
		t.Errorf("%d findings, last %+v", len(r.Findings), r.Findings[len(r.Findings)-1])
	}
}

// Names that only older versions have are no mistake in their files.
func TestOldVersions(t *testing.T) {
	r := runExample(t, "version 1.2.6\nhbase.regionserver.optionallogflushinterval=1000\nhbase.master.assignment.timeoutmonitor.period=10000\nhbase.regionserver.global.memstore.size=0.35\nhbase.bucketcache.ioengine=heap\nhbase.bucketcache.size=0.3")
	if r.Count(Error)+r.Count(Warning) > 0 {
		t.Errorf("got %s", show(r))
	}
}

// With multiwal every log has a limit of files of its own.
func TestEveryLogHasItsLimit(t *testing.T) {
	for text, want := range map[string]int{
		"heap 32g\nhbase.regionserver.maxlogs=32": 1,
		"heap 32g\nhbase.regionserver.maxlogs=32\nhbase.wal.provider=multiwal\nhbase.wal.regiongrouping.numgroups=4": 0,
		"heap 32g\nhbase.regionserver.maxlogs=32\nhbase.wal.provider=multiwal":                                       1,
	} {
		in, err := splitExample(text).input()
		if err != nil {
			t.Fatal(err)
		}
		if got := countCode(Run(in), "wal-forces-flushes"); got != want {
			t.Errorf("%s: %d findings", text, got)
		}
	}
}
