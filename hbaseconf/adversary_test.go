package hbaseconf

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hostile are texts of a megabyte that are made to cost much; those that cannot
// be read are refused with the message.
func hostile() map[string]struct{ text, want string } {
	type adversary = struct{ text, want string }
	property := "<property><name>%s</name><value>%d</value></property>\n"
	var duplicates, distinct, attributes, prefixes strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&duplicates, property, "a", i)
		fmt.Fprintf(&distinct, property, fmt.Sprint("n", i), i)
	}
	for i := range 90 {
		attributes.WriteString("<a")
		for n := range 999 {
			fmt.Fprintf(&attributes, " a%d_%d=''", i, n)
		}
		attributes.WriteString("/>")
	}
	for i := range 900 {
		fmt.Fprintf(&prefixes, "<a xmlns:p%d='u'>", i)
	}
	used := strings.Repeat("<p0:a/>", 100_000) + strings.Repeat("</a>", 900)
	bomb := `<!DOCTYPE c [<!ENTITY a "` + strings.Repeat("x", 100) + `">`
	for c := 'b'; c <= 'k'; c++ {
		bomb += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	return map[string]adversary{
		"deep nesting":      {strings.Repeat("<a>", 300_000), "x.xml:1: elements nested more than 1000 deep"},
		"unclosed":          {"<a>" + strings.Repeat("<a ", 300_000), "x.xml:1: a name is missing; write &lt; for < in text"},
		"entity bomb":       {bomb + "]><c>&k;</c>", "x.xml:1: entities expand without end; remove the DOCTYPE"},
		"entity in circles": {`<!DOCTYPE c [<!ENTITY a "&b;"><!ENTITY b "&a;">]><c>&a;</c>`, "x.xml:1: &a; refers to itself"},
		"quadratic entity":  {`<!DOCTYPE c [<!ENTITY a "` + strings.Repeat("x", 100_000) + `">]><c>` + strings.Repeat("&a;", 100_000) + "</c>", "x.xml:1: entities expand without end; remove the DOCTYPE"},
		"external entity":   {`<!DOCTYPE c [<!ENTITY a SYSTEM "file:///etc/passwd">]><c>&a;</c>`, "x.xml:1: &a; is an external entity, which is not read"},
		"external DTD":      {`<!DOCTYPE c SYSTEM "http://127.0.0.1/c.dtd"><c/>`, "x.xml:1: the DOCTYPE refers to an external DTD, which is not read; remove the DOCTYPE"},
		"parameter entity":  {`<!DOCTYPE c [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><c/>`, "x.xml:1: parameter entities are not supported; write out what they stand for"},
		"network include":   {`<c><include href="http://127.0.0.1/c.xml"/></c>`, "x.xml:1: includes http://127.0.0.1/c.xml; only files are read, none from the network"},
		"include outside":   {`<c><include href="/etc/passwd"/></c>`, "x.xml:1: includes /etc/passwd: the file lies outside of . and is not read"},
		"include above":     {`<c><include href="../../../etc/passwd"/></c>`, "x.xml:1: includes ../../../etc/passwd: the file lies outside of . and is not read"},
		"too large":         {"<c>" + strings.Repeat(" ", maxFileBytes) + "</c>", "x.xml: is larger than 16 MB; that is no configuration file"},
		"duplicates":        {"<c>" + duplicates.String() + "</c>", ""},
		"distinct":          {"<c>" + distinct.String() + "</c>", ""},
		"attributes":        {"<c>" + attributes.String() + "</c>", ""},
		"prefixes":          {"<c>" + prefixes.String() + used + "</c>", ""},
		"long value":        {"<c><property><name>a</name><value>" + strings.Repeat("${a", 300_000) + "</value></property></c>", ""},
		"comments":          {"<c>" + strings.Repeat("<!--x-->", 120_000) + "</c>", ""},
		"doubling":          {"<c><property><name>a</name><value>" + strings.Repeat("${b}", 100_000) + "</value></property><property><name>b</name><value>" + strings.Repeat("x", 300_000) + "</value></property></c>", ""},
	}
}

func TestHostileFiles(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			site, err := ParseSite("x.xml", []byte(c.text))
			if got := fmt.Sprint(err); err != nil && got != c.want || err == nil && c.want != "" {
				t.Fatalf("got %s\nwant %s", got, c.want)
			}
			if err != nil {
				return
			}
			Load(fixed(), site).Unreadable(Builtin())
			if _, err := site.With(settings("a", "1")); err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkHostile tells what each costs: it should stay below a second and
// 200 MB.
func BenchmarkHostile(b *testing.B) {
	for name, c := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			report := reportCPU(b)
			for b.Loop() {
				if site, err := ParseSite("x.xml", []byte(c.text)); err == nil {
					Load(fixed(), site).Unreadable(Builtin())
				}
			}
			report()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB/op")
		})
	}
}

func TestIncludesWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 { // each includes the next one twice
		next := fmt.Sprintf("<c><include href='%d.xml'/><include href='%d.xml'/></c>", i+1, i+1)
		if i == 39 {
			next = "<c/>"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".xml")), []byte(next), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := ReadSite(filepath.Join(dir, "0.xml"))
	if err == nil || !strings.HasSuffix(err.Error(), "more than 1000 files are included") {
		t.Errorf("got %v", err)
	}
}

func TestIncludesStayInTheFolder(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	outside := filepath.Join(other, "o.xml")
	if err := os.WriteFile(outside, []byte(`<c><property name="a" value="1"/></c>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.xml")); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(dir, "hbase-site.xml")
	for _, href := range []string{outside, "file://" + outside, "link.xml", "../" + filepath.Base(other) + "/o.xml"} {
		text := []byte(`<c><include href="` + href + `"/></c>`)
		if _, err := ParseSite(path, text); err == nil {
			t.Errorf("%s was read", href)
		}
		site, err := Reader{Outside: true}.Parse(path, text)
		if err != nil {
			t.Errorf("%s: %v", href, err)
		} else if entry, _ := site.Get("a"); entry.Value != "1" {
			t.Errorf("%s: %+v", href, entry)
		}
	}
}
