package hbaseconf

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
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

// largeFile is a site file of 2,000 properties.
func largeFile() []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	for i := range 2000 {
		name, value := fmt.Sprint("some.property.number.", i), "${some.property.number.7}/x"
		if all := Builtin().All(); i < len(all) {
			name, value = all[i].Name, string(all[i].Default)
		}
		fmt.Fprintf(&b, "  <property>\n    <name>%s</name>\n    <value>%s</value>\n    <description>what it is for</description>\n  </property>\n", name, value)
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

func BenchmarkRead2000(b *testing.B) {
	data := largeFile()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	defer reportCPU(b)()
	for b.Loop() {
		site, err := ParseSite("hbase-site.xml", data)
		if err != nil {
			b.Fatal(err)
		}
		c := Load(Environment{}, site)
		_ = Feasible(c.Settings(), 1<<30)
		_ = c.Unreadable(Builtin())
		_ = site.Refusal()
	}
}

func BenchmarkEdit2000(b *testing.B) {
	site, err := ParseSite("hbase-site.xml", largeFile())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := site.With(settings(HandlerCount, "77", "new.name", "1")); err != nil {
			b.Fatal(err)
		}
	}
}
