package hbaseconf

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parse(t testing.TB, text string) *Site {
	t.Helper()
	site, err := ParseSite("hbase-site.xml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return site
}

const plainFile = `<?xml version="1.0"?>
<!DOCTYPE configuration [<!ENTITY n "30">]>
<!-- keep me -->
<configuration>
	<property>
		<name>a</name>
		<value>1</value> <!-- and me -->
		<final>true</final>
		<source>me</source>
	</property>
  <property><name>b</name><value>2</value></property>

	<property name='c' value='3'/>
	<property><name>d</name><value/></property>
	<property><name>e</name><description>no value</description></property>
	<property><name>f</name><value>x<!-- gone --><![CDATA[y]]></value></property>
	<property><name>g</name><value>first</value></property>
	<property><name>g</name><value>&n;</value></property>
</configuration>
<!-- the end -->
`

func TestWith(t *testing.T) {
	for _, c := range []struct{ name, value, old, new string }{
		{"a", "9", "<value>1</value>", "<value>9</value>"},
		{"b", "<&>", "<value>2</value>", "<value>&lt;&amp;&gt;</value>"},
		{"c", `it's "3"`, "value='3'", "value='it&apos;s &quot;3&quot;'"},
		{"d", "9", "<value/>", "<value>9</value>"},
		{"e", "9", "<name>e</name>", "<name>e</name><value>9</value>"},
		{"f", "9", "x<!-- gone --><![CDATA[y]]>", "9"},
		{"g", "9", "<value>&n;</value>", "<value>9</value>"},
		{"h", "9", "\n</configuration>", "\n\t<property><name>h</name><value>9</value></property>\n</configuration>"},
		{"b", "2", "", ""},
		{"g", "30", "", ""},
		{"b", "a\r\nb", "<value>2</value>", "<value>a&#13;\nb</value>"},
	} {
		for _, crlf := range []bool{false, true} {
			before, after := plainFile, strings.Replace(plainFile, c.old, c.new, 1)
			if crlf && !strings.Contains(c.value, "\n") {
				before, after = strings.ReplaceAll(before, "\n", "\r\n"), strings.ReplaceAll(after, "\n", "\r\n")
			}
			edited, err := parse(t, before).With(settings(c.name, c.value))
			if err != nil {
				t.Errorf("%s=%s: %v", c.name, c.value, err)
				continue
			}
			if got := string(edited.Bytes()); got != after {
				t.Errorf("%s=%s:\n%s\nwant\n%s", c.name, c.value, got, after)
			}
		}
	}
}

func TestWithout(t *testing.T) {
	for _, c := range []struct{ name, old string }{
		{"b", "\n  <property><name>b</name><value>2</value></property>"},
		{"c", "\n\t<property name='c' value='3'/>"},
		{"g", "\n\t<property><name>g</name><value>first</value></property>\n\t<property><name>g</name><value>&n;</value></property>"},
		{"nope", ""},
	} {
		edited, err := parse(t, plainFile).Without(c.name)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, want := string(edited.Bytes()), strings.Replace(plainFile, c.old, "", 1); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestWithIntoNothing(t *testing.T) {
	for before, after := range map[string]string{
		"<configuration/>":                          "<configuration>\n  <property>\n    <name>a</name>\n    <value>1</value>\n  </property>\n</configuration>",
		"<configuration />":                         "<configuration >\n  <property>\n    <name>a</name>\n    <value>1</value>\n  </property>\n</configuration>",
		"<configuration></configuration>":           "<configuration>\n  <property>\n    <name>a</name>\n    <value>1</value>\n  </property>\n</configuration>",
		"<configuration>\r\n</configuration>":       "<configuration>\r\n  <property>\r\n    <name>a</name>\r\n    <value>1</value>\r\n  </property>\r\n</configuration>",
		"<configuration><!-- x --></configuration>": "<configuration><!-- x -->\n  <property>\n    <name>a</name>\n    <value>1</value>\n  </property>\n</configuration>",
		"<x:c xmlns:x='u'/>":                        "<x:c xmlns:x='u'>\n  <x:property>\n    <x:name>a</x:name>\n    <x:value>1</x:value>\n  </x:property>\n</x:c>",
	} {
		edited, err := parse(t, before).With(settings("a", "1"))
		if err != nil {
			t.Errorf("%s: %v", before, err)
		} else if got := string(edited.Bytes()); got != after {
			t.Errorf("%s:\n%q\nwant\n%q", before, got, after)
		}
	}
}

func TestEditRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<configuration><property><name>a</name><value>{{ x }}</value></property></configuration>", "hbase-site.xml:1: is a template that was never rendered (it holds {{); give the file that your deployment makes out of it"},
		{"<configuration>\n<property><name>a</name><value>1</value><value-attributes/></property></configuration>", "hbase-site.xml:2: is a stack definition of a cluster manager (<value-attributes>), not a daemon's site file; change the property in the manager"},
		{"<property><name>b</name><value>1</value></property>", "hbase-site.xml: the change would alter other properties too, because of how they are nested; make it by hand"},
	} {
		_, err := parse(t, c.text).With(settings("a", "2"))
		var fault *SiteError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	for value, want := range map[string]string{
		"":     "hbase-site.xml: a: Hadoop takes an empty value as none; leave the property out instead",
		"\x01": "hbase-site.xml: a: the value holds a character (U+0001) that XML does not allow",
	} {
		if _, err := parse(t, plainFile).With(settings("a", value)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", value, err, want)
		}
	}
}

func TestEditAroundIncludes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("common.xml", `<configuration><property><name>a</name><value>1</value></property>
<property><name>f</name><value>1</value><final>true</final></property></configuration>`)
	path := write("hbase-site.xml", `<configuration>
<property><name>a</name><value>0</value></property>
<include href="common.xml"/>
</configuration>`)
	site, err := ReadSite(path)
	if err != nil {
		t.Fatal(err)
	}
	if entry, _ := site.Get("a"); entry.Value != "1" || entry.File != filepath.Join(dir, "common.xml") || entry.Line != 1 {
		t.Errorf("a is %+v", entry)
	}
	edited, err := site.With(settings("a", "2"))
	if err != nil {
		t.Fatal(err)
	}
	want := `<configuration>
<property><name>a</name><value>0</value></property>
<include href="common.xml"/>
<property><name>a</name><value>2</value></property>
</configuration>`
	if got := string(edited.Bytes()); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := site.With(settings("f", "2")); err == nil || !strings.HasSuffix(err.Error(), "f is final in "+filepath.Join(dir, "common.xml")+" (line 2); change it there") {
		t.Errorf("final in an include: %v", err)
	}
	if _, err := site.Without("f"); err == nil || !strings.Contains(err.Error(), "remove it there") {
		t.Errorf("removing what an include sets: %v", err)
	}
}

// drawSite draws a generated file that can be read, in a folder with those it
// may include.
func drawSite(t *rapid.T, dir string) *Site {
	g := &Generator{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
	for {
		if site, err := ParseSite(filepath.Join(dir, "hbase-site.xml"), g.Site()); err == nil {
			return site
		}
	}
}

func includedFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range Included {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An edit says what was asked for, leaves every other property as it was, and
// changes no byte outside of the one place that it had to change.
func TestEditsAreMinimal(t *testing.T) {
	dir := includedFolder(t)
	refused, done := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		site := drawSite(t, dir)
		name := rapid.SampledFrom([]string{"a", "b", "c", "a.b", "fs.defaultFS", HandlerCount, BlockCacheSize, "new.name"}).Draw(t, "name")
		value := rapid.StringMatching(`[0-9a-z<>&"' \n\t\r€]{1,8}`).Draw(t, "value")
		edited, err := site.With(settings(name, value))
		if err != nil {
			refused++
			var fault *SiteError
			if !errors.As(err, &fault) || fault.Fault != FaultEdit && site.Refusal() == nil { // ${${{a} is taken for a template
				t.Fatalf("%v\n%s", err, site.doc.text)
			}
			return
		}
		done++
		if entry, _ := edited.Get(name); entry.Value != value {
			t.Fatalf("%s is %q, not %q", name, entry.Value, value)
		}
		again, err := ParseSite(site.path, edited.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range site.Entries() {
			after, ok := again.Get(before.Name)
			if before.Name != currentName(name) && (!ok || after.Value != before.Value || after.Final != before.Final) {
				t.Fatalf("%s was %+v, is %+v", before.Name, before, after)
			}
		}
		checkPlace(t, site, edited, name)
	})
	t.Logf("%d edits, %d refused", done, refused)
	if refused > done/5 {
		t.Errorf("too many edits are refused")
	}
}

// checkPlace finds the one stretch in which two files differ: it must lie inside
// of the property that decided, or be new.
func checkPlace(t *rapid.T, site, edited *Site, name string) {
	before, after := site.doc.text, edited.doc.text
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if start == len(before)-end {
		return // only added
	}
	for i, one := range site.items {
		if one.name != currentName(name) || one.property < 0 {
			continue
		}
		e := site.doc.elements[one.property]
		place := span{e.open.start, e.close.end}
		if one.valueIn >= 0 {
			place = span{site.doc.elements[one.valueIn].open.start, site.doc.elements[one.valueIn].close.end}
		}
		if w, ok := site.winner[one.name]; (!ok || w == i || one.final) && place.start <= start && len(before)-end <= place.end {
			return
		}
	}
	if root := site.doc.root(); root.close.start == root.close.end && start >= root.open.end-2 {
		return // <configuration/> was opened
	}
	t.Fatalf("changed %q into %q in\n%s", before[start:len(before)-end], after[start:len(after)-end], before)
}

// What is removed is gone, and nothing else.
func TestRemovalsAreMinimal(t *testing.T) {
	dir := includedFolder(t)
	rapid.Check(t, func(t *rapid.T) {
		site := drawSite(t, dir)
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "a.b", HandlerCount}).Draw(t, "name")
		edited, err := site.Without(name)
		if err != nil {
			return
		}
		if _, ok := edited.Get(name); ok {
			t.Fatalf("%s is still there\n%s", name, edited.doc.text)
		}
		if want := len(site.winner); len(edited.winner) != want {
			if _, was := site.Get(name); !was || len(edited.winner) != want-1 {
				t.Fatalf("%d properties of %d are left", len(edited.winner), want)
			}
		}
	})
}

// layouts are plain files of every kind that people have.
func layouts() map[string][]byte {
	lines := "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n  <property>\n    <name>other</name>\n    <value>kept</value>\n  </property>\n</configuration>\n"
	return map[string][]byte{
		"lines":     []byte(lines),
		"CRLF":      []byte(strings.ReplaceAll(lines, "\n", "\r\n")),
		"BOM":       append([]byte{0xEF, 0xBB, 0xBF}, lines...),
		"UTF-16":    utf16LE(strings.Replace(lines, "UTF-8", "UTF-16", 1)),
		"Latin-1":   append([]byte(strings.Replace(lines, "UTF-8", "ISO-8859-1", 1)), "<!-- \xe9 -->"...),
		"one line":  []byte(`<configuration><property><name>other</name><value>kept</value></property></configuration>`),
		"attribute": []byte(`<configuration><property name="other" value="kept"/></configuration>`),
	}
}

// A value of every property, set in any file, is what is read back, and is a
// number to HBase where it has to be.
func TestSetThenRead(t *testing.T) {
	files := layouts()
	rapid.Check(t, func(t *rapid.T) {
		var all Settings
		for _, p := range Builtin().All() {
			if !p.InSite() {
				continue
			}
			value, err := Builtin().Value(p.Name, drawText(t, p))
			if err != nil {
				t.Fatal(err)
			}
			all = all.With(Setting{p.Name, value})
		}
		site, err := ParseSite("hbase-site.xml", files[rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(t, "layout")])
		if err != nil {
			t.Fatal(err)
		}
		edited, err := site.With(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseSite("hbase-site.xml", edited.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		c := Load(Environment{}, again)
		if diff := cmp.Diff(all.With(Setting{"other", "kept"}).Map(), c.Settings().Map()); diff != "" {
			t.Fatalf("set and read (-want +got):\n%s", diff)
		}
		if unreadable := c.Unreadable(Builtin()); unreadable != nil {
			t.Fatalf("%v cannot be read", unreadable)
		}
	})
}

// drawText draws what a person may write as a value of a property.
func drawText(t *rapid.T, p Property) string {
	switch p.Kind {
	case Bool:
		return rapid.SampledFrom([]string{"true", "false", "TRUE"}).Draw(t, "bool")
	case Int, Long, Size, List:
		high := int64(math.MaxInt32)
		if p.Kind == Long {
			high = math.MaxInt64
		}
		low := max(p.Range.Min, -5)
		if p.Range.Bounded() && p.Range.Max < float64(high) {
			high = int64(p.Range.Max)
		}
		return fmt.Sprint(rapid.Int64Range(int64(low), high).Draw(t, "whole"))
	case Float, Double:
		low, high := max(p.Range.Min, -5), min(p.Range.Max, 1e6)
		if !p.Range.Bounded() {
			high = 1e6
		}
		return fmt.Sprint(rapid.Float64Range(low+1e-6, high-1e-6).Draw(t, "float"))
	}
	if words := p.Range.Words; len(words) > 0 {
		word := rapid.SampledFrom(words).Draw(t, "word")
		return strings.Replace(word, "*", rapid.StringMatching(`[a-zA-Z/.]{1,20}`).Draw(t, "rest"), 1)
	}
	return rapid.StringMatching(`[a-zA-Z0-9/._&<>'"-]{1,30}`).Draw(t, "text")
}
