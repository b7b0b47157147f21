package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
)

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
	for i := 0; n < 2000; i++ {
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
	for b.Loop() {
		configs, err := Paths([]string{path}, Options{Heap: 16 << 30}, hbaseconf.Process())
		if err != nil || len(configs[0].Report.Files[0].Properties) != 2000 {
			b.Fatal(err, len(configs[0].Report.Files[0].Properties))
		}
	}
}
