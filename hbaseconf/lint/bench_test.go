package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hbtune/hbaseconf"
)

// reportCPU adds the processor time of an operation, which a busy machine does
// not change as much as the time on the clock.
func reportCPU(b *testing.B) func() {
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := now()
	return func() { b.ReportMetric((now()-start).Seconds()*1000/float64(b.N), "cpu-ms/op") }
}

// largeFile is a site file of 2,000 properties: those of the catalogue, of
// hbase-default.xml, and others that refer to each other.
func largeFile() []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	n := 0
	seen := map[string]bool{}
	add := func(name, value string) {
		if n < 2000 && value != "" && !seen[name] {
			n++
			seen[name] = true
			fmt.Fprintf(&b, "  <property>\n    <name>%s</name>\n    <value>%s</value>\n    <description>what it is for</description>\n  </property>\n", name, value)
		}
	}
	for _, p := range hbaseconf.Builtin().All() {
		if p.InSite() {
			add(p.Name, string(p.Default))
		}
	}
	for name, value := range hbaseconf.Shipped("").All() {
		add(name, string(value))
	}
	add("hbase.some.property.number.0", "folder")
	for i := 1; n < 2000; i++ {
		add(fmt.Sprint("hbase.some.property.number.", i), "${hbase.some.property.number.0}/x")
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

// BenchmarkLint2000 reads, expands and judges 2,000 properties from disk.
func BenchmarkLint2000(b *testing.B) {
	path := filepath.Join(b.TempDir(), "hbase-site.xml")
	if err := os.WriteFile(path, largeFile(), 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	defer reportCPU(b)()
	for b.Loop() {
		configs, err := Paths([]string{path}, Options{Heap: 16 << 30}, hbaseconf.Process())
		if err != nil || len(configs[0].Report.Files[0].Properties) != 2000 {
			b.Fatal(err, len(configs[0].Report.Files[0].Properties))
		}
	}
}

// hostile are configurations that are made to cost much, of a megabyte divided
// by a number.
func hostile(by int) map[string]string {
	property := "<property><name>%s</name><value>%s</value></property>\n"
	var duplicates, distinct, references, known strings.Builder
	for i := range 18_000 / by {
		fmt.Fprintf(&duplicates, property, "hbase.a", fmt.Sprint(i))
		fmt.Fprintf(&distinct, property, fmt.Sprint("hbase.regionserver.handler.count", i), "x")
		fmt.Fprintf(&references, property, fmt.Sprint("a", i), fmt.Sprintf("${a%d}${b}", i+1))
		fmt.Fprintf(&known, property, hbaseconf.Builtin().All()[i%200].Name, "10kb")
	}
	return map[string]string{
		"a/hbase-site.xml": "<c>" + duplicates.String() + "</c>",
		"b/hbase-site.xml": "<c>" + distinct.String() + "</c>",
		"c/hbase-site.xml": "<c>" + references.String() + "</c>",
		"d/hbase-site.xml": "<c>" + known.String() + "</c>",
		"e/hbase-env.sh":   strings.Repeat("export HBASE_OPTS=\"$HBASE_OPTS -Xmx1g\"\n", 25_000/by),
		"f/hbase-env.sh":   strings.Repeat("A=\"$A$A\"\nexport HBASE_OPTS=\"$A$B\"\n", 25_000/by),
		"g/hbase-env.sh":   "export HBASE_OPTS=\"" + strings.Repeat("-Xmx1gb ", 120_000/by) + "\"\n",
		"h/hbase-env.sh":   strings.Repeat("if a; then ", 80_000/by),
		"i/hbase-env.sh":   "A=" + strings.Repeat("${A:-", 150_000/by),
		"j/hbase-env.sh":   strings.Repeat("export HBASE_HEAP$RANDOM=$X1 HBASE_HAEPSIZE=1\n", 20_000/by),
		"k/hbase-env.sh":   strings.Repeat("$(", 400_000/by),
	}
}

func TestHostileConfigurations(t *testing.T) {
	dir := write(t, hostile(20))
	for name := range hostile(20) {
		configs, err := Paths([]string{filepath.Join(dir, name)}, Options{Heap: 1 << 30}, hbaseconf.Process())
		if err != nil && !strings.Contains(err.Error(), "more deeply nested") {
			t.Errorf("%s: %v", name, err)
		}
		if len(Joined(configs).Files) != 1 {
			t.Errorf("%s: %d files", name, len(Joined(configs).Files))
		}
	}
}

// BenchmarkHostile tells what each costs: it should stay below a second and
// 200 MB.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile(1) {
		b.Run(strings.ReplaceAll(name, "/", "-"), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), filepath.Base(name))
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			report := reportCPU(b)
			for b.Loop() {
				_, _ = Paths([]string{path}, Options{Heap: 1 << 30}, hbaseconf.Process()) // done or refused
			}
			report()
		})
	}
}
