package envfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hbtune/hbaseconf"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("hbase-env.sh", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func texts(flags []Flag) []string {
	list := []string{}
	for _, flag := range flags {
		text := flag.Text
		if flag.Maybe {
			text += "?"
		}
		list = append(list, text)
	}
	return list
}

// What the scripts make of a file, for a RegionServer. "?" marks what is not
// certain.
func TestFlags(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"order", "export HBASE_REGIONSERVER_OPTS=-Xmx2g\nexport SERVER_GC_OPTS=-verbose:gc\nexport HBASE_OPTS=-ea\nexport HBASE_OFFHEAPSIZE=1000\nexport HBASE_HEAPSIZE=8g", "-Xmx8g -XX:MaxDirectMemorySize=1000m -ea -verbose:gc -Xmx2g"},
		{"other roles", "export HBASE_MASTER_OPTS=-Xmx1g\nexport HBASE_ZOOKEEPER_OPTS=-Xmx2g\nexport CLIENT_GC_OPTS=-Xmx3g", ""},
		{"heap units", "export HBASE_HEAPSIZE=8G", "-Xmx8G"},
		{"heap without unit", "export HBASE_HEAPSIZE=1000", "-Xmx1000m"},
		{"heap with a wrong unit", "export HBASE_HEAPSIZE=8gb", "-Xmx8gbm"},
		{"empty heap", "export HBASE_HEAPSIZE=", ""},
		{"adding", "export HBASE_OPTS=-a\nexport HBASE_OPTS=\"$HBASE_OPTS -b\"\nexport HBASE_OPTS+=\" -c\"", "-a -b -c"},
		{"adding to what comes from outside", `export HBASE_OPTS="$HBASE_OPTS -b"`, "-b"},
		{"other variables", "GC='-XX:+UseG1GC -XX:MaxGCPauseMillis=50'\nexport HBASE_OPTS=\"${GC} -ea\"", "-XX:+UseG1GC -XX:MaxGCPauseMillis=50 -ea"},
		{"order counts", "export HBASE_OPTS=\"$GC -ea\"\nGC=-XX:+UseG1GC", "-ea"},
		{"single quotes", `export HBASE_OPTS='-Da=$HOME'`, "-Da=$HOME"},
		{"known from outside", `export HBASE_OPTS="-Da=$HBASE_HOME/x"`, "-Da=$HBASE_HOME/x"},
		{"escapes", `export HBASE_OPTS="-Da=\"x\" -Db=\\y \
 -Dc=\z"`, `-Da="x" -Db=\y -Dc=\z`},
		{"lines", "export HBASE_OPTS=\"-Xmx8g\n  -XX:+UseG1GC\"", "-Xmx8g -XX:+UseG1GC"},
		{"comment", "#export HBASE_OPTS=-a\nexport HBASE_OPTS=-b # -c", "-b"},
		{"hash in quotes", "export HBASE_OPTS=\"-b # -c\"", "-b # -c"},
		{"default", `export HBASE_OPTS="${X:--a} ${Y-"-b"}"`, "-a -b"},
		{"default not needed", "X=-c\nexport HBASE_OPTS=\"${X:--a}\"", "-c"},
		{"default of an outside one", `export HBASE_HEAPSIZE=${HADOOP_HEAPSIZE:-4g}`, "-Xmx4g?"},
		{"alternative", "X=1\nexport HBASE_OPTS=\"${X:+-a} ${Y:+-b}\"", "-a"},
		{"condition", "if [ -n \"$X\" ]; then export HBASE_OPTS=-a; else export HBASE_OPTS=-b; fi", "-b?"},
		{"condition before", "if true; then export HBASE_OPTS=-a; fi\nexport HBASE_OPTS=\"$HBASE_OPTS -b\"", "-a? -b"},
		{"condition in short", `[ -z "$X" ] && export HBASE_HEAPSIZE=4g`, "-Xmx4g?"},
		{"set after the condition", "if true; then export HBASE_HEAPSIZE=1g; fi\nexport HBASE_HEAPSIZE=4g", "-Xmx4g"},
		{"case", "case $(hostname) in a*) export HBASE_HEAPSIZE=4g;; esac", "-Xmx4g?"},
		{"command", "export HBASE_OPTS=\"-a -Db=$(hostname) -c\"", "-a -Db=$(…)? -c"},
		{"back quotes", "export HBASE_HEAPSIZE=`free -m`", "-Xmx$(…)m?"},
		{"unset", "export HBASE_HEAPSIZE=4g\nunset HBASE_HEAPSIZE", ""},
		{"a function is not called", "f() { export HBASE_HEAPSIZE=4g; }", ""},
		{"tool options", "export JAVA_TOOL_OPTIONS=-Xmx1g\nexport HBASE_HEAPSIZE=4g", "-Xmx1g -Xmx4g"},
		{"windows", "export HBASE_HEAPSIZE=4g\r\nexport HBASE_OPTS=-a\r\n", "-Xmx4g -a"},
		{"up to a mistake", "export HBASE_HEAPSIZE=4g\nexport HBASE_OPTS=\"-a\n", "-Xmx4g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(texts(parse(t, c.text).Flags(RegionServer)), " "); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// A flag knows where it was written, also when it came by another variable.
func TestOrigin(t *testing.T) {
	f := parse(t, "GC=-XX:+UseG1GC\n\nexport HBASE_OPTS=\"-ea\n  -Xss1m $GC\"\nexport HBASE_REGIONSERVER_OPTS=\"$HBASE_REGIONSERVER_OPTS -Xmx2g\"\n")
	want := []Flag{
		{Text: "-ea", Variable: "HBASE_OPTS", Line: 3},
		{Text: "-Xss1m", Variable: "HBASE_OPTS", Line: 4},
		{Text: "-XX:+UseG1GC", Variable: "GC", Line: 1},
		{Text: "-Xmx2g", Variable: "HBASE_REGIONSERVER_OPTS", Line: 5},
	}
	if diff := cmp.Diff(want, f.Flags(RegionServer)); diff != "" {
		t.Error(diff)
	}
}

func TestRolesHaveTheirOwn(t *testing.T) {
	f := parse(t, "export HBASE_MASTER_OPTS=-m\nexport HBASE_REGIONSERVER_OPTS=-r\nexport HBASE_SHELL_OPTS=-s\nexport SERVER_GC_OPTS=-g\nexport CLIENT_GC_OPTS=-c\n")
	for p, want := range map[Process]string{RegionServer: "-g -r", Master: "-g -m", Client: "-c -s"} {
		if got := strings.Join(texts(f.Flags(p)), " "); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

func TestReferencesAndExports(t *testing.T) {
	f := parse(t, "A=1\nexport B=\"$A $B $C ${D:-x}\"\nC=2\nexport C\nif [ -z \"$E\" ]; then :; fi\n. ./other.sh\n")
	want := []Reference{
		{Name: "A", Line: 2, Set: true},
		{Name: "B", Line: 2, Own: true},
		{Name: "C", Line: 2},
		{Name: "D", Line: 2, Guarded: true},
		{Name: "E", Line: 5, Guarded: true},
	}
	if diff := cmp.Diff(want, f.References()); diff != "" {
		t.Error(diff)
	}
	for name, exported := range map[string]bool{"A": false, "B": true, "C": true} {
		if a, ok := f.Last(name); !ok || a.Exported != exported {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if !f.Opaque() || !f.Sets("A") || f.Sets("D") {
		t.Error("opaque or set")
	}
	if a, _ := parse(t, "set -a\nHBASE_HEAPSIZE=1g\n").Last("HBASE_HEAPSIZE"); !a.Exported {
		t.Error("set -a exports")
	}
}

func TestMemory(t *testing.T) {
	for _, c := range []struct {
		flags        string
		heap, direct hbaseconf.Bytes
		unknown      bool
	}{
		{"-Xmx8g", 8 << 30, 0, false},
		{"-Xmx8g -Xmx2048m", 2 << 30, 0, false},
		{"-Xmx8g -XX:MaxHeapSize=1073741824", 1 << 30, 0, false},
		{"-Xmx8g -XX:MaxDirectMemorySize=4G", 8 << 30, 4 << 30, false},
		{"-Xmx8g -Xmx4gb", 0, 0, true},
		{"-XX:MaxRAMPercentage=50", 0, 0, true},
		{"-Xms1g", 0, 0, false},
	} {
		m := MemoryOf(parse(t, "export HBASE_OPTS=\""+c.flags+"\"").Flags(RegionServer))
		size := func(l *Limit) hbaseconf.Bytes {
			if l == nil {
				return 0
			}
			return l.Bytes
		}
		if size(m.Heap) != c.heap || size(m.Direct) != c.direct || m.Unknown != c.unknown {
			t.Errorf("%s: %+v", c.flags, m)
		}
	}
}

func TestMistakes(t *testing.T) {
	f := parse(t, "export A=1\n\nexport B=\"unclosed\nexport C=3\n")
	if e := f.SyntaxError(); e == nil || e.Line != 3 || !strings.Contains(e.Error(), "quote") {
		t.Errorf("got %v", e)
	}
	if f.Sets("C") || !f.Sets("A") {
		t.Error("what follows the mistake is in force, or what precedes it is not")
	}
	if line := parse(t, "A=1\nB=2\r\n").WindowsLine(); line != 2 {
		t.Errorf("windows line %d", line)
	}
	for text, want := range map[string]string{
		"<configuration/>": "hbase-env.sh: is XML, not a shell script; a site file is named hbase-site.xml",
		"\x7fELF\x00":      "hbase-env.sh: is a binary file; name hbase-env.sh",
	} {
		_, err := Parse("hbase-env.sh", []byte(text))
		var site *hbaseconf.SiteError
		if !errors.As(err, &site) || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A value that doubles itself line by line does not fill the memory.
func TestDoubling(t *testing.T) {
	f := parse(t, "A=x\n"+strings.Repeat("A=\"$A $A\"\n", 60)+"export HBASE_OPTS=$A\n")
	if n := len(f.Flags(RegionServer)); n > maxPieces {
		t.Errorf("%d flags", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"export HBASE_OPTS=\"$HBASE_OPTS -Xmx8g\"\n", "A=${B:-$(c)}\n", "if a; then B=1; else B=2; fi", "case x in y) A=1;; esac",
		"A=`b`\nA+=c\nexport A=\\\n-x", "a() { B=1; }\nunset -f B\nset -a", "export X=“y”\r\n", "A=${B/x/y}${C:1:2}${!D}${#E}", "A=(1 2)\nA[1]=2",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("hbase-env.sh", data)
		if err != nil {
			return
		}
		for _, p := range []Process{RegionServer, Master, Client} {
			for _, flag := range file.Flags(p) {
				if flag.Text == "" || strings.ContainsAny(flag.Text, " \t\n") || flag.Line < 1 {
					t.Errorf("%+v", flag)
				}
			}
			MemoryOf(file.Flags(p))
		}
		for _, r := range file.References() {
			if r.Name == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}
