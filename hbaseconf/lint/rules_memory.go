package lint

import (
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// memoryRules look at the sizes that hbase-env.sh gives the Java machine.
func memoryRules() []Rule {
	return []Rule{
		{
			Code: "bad-size", Severity: Error, Title: "A size that the Java machine does not understand",
			Doc: "Java takes digits with k, m, g or t behind, and nothing else; it does not start with anything else. To HBASE_HEAPSIZE and HBASE_OFFHEAPSIZE without m or g at the end HBase's scripts add an m.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-Xmx8gb\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g\"",
			check: badSize,
		},
		{
			Code: "later-heap-wins", Severity: Warning, Title: "A heap that a later flag overrides",
			Doc: "The scripts put HBASE_HEAPSIZE first, then HBASE_OPTS, then the options of the process, and Java takes the last of several. Where it is larger for one kind of process that is usually meant, and only noted. The same holds for HBASE_OFFHEAPSIZE and -XX:MaxDirectMemorySize.",
			Bad: "export HBASE_HEAPSIZE=8g\nexport HBASE_REGIONSERVER_OPTS=\"-Xmx2g\"", Good: "export HBASE_HEAPSIZE=8g\nexport HBASE_REGIONSERVER_OPTS=\"-XX:+UseG1GC\"",
			check: laterHeapWins,
		},
		{
			Code: "heap-start-above-max", Severity: Error, Title: "A heap that begins larger than it may be",
			Doc: "With -Xms above -Xmx the Java machine does not start.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-Xms16g -Xmx8g\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-Xms8g -Xmx8g\"",
			check: heapStartAboveMax,
		},
		{
			Code: "compressed-pointers", Severity: Warning, Title: "A heap just too large for compressed pointers",
			Doc: "From 32 GB on every pointer takes 8 bytes instead of 4, which costs about a third of the room. Between 32 and about 48 GB a heap of 31 GB holds more. ZGC never compresses pointers.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-Xmx32g\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-Xmx31g\"",
			check: compressedPointers,
		},
		{
			Code: "heap-for-all", Severity: Info, Title: "A heap that every process of HBase is given",
			Doc: "HBASE_OPTS holds for the shell and every tool too. A heap for the servers belongs to HBASE_REGIONSERVER_OPTS and HBASE_MASTER_OPTS.",
			Bad: "export HBASE_OPTS=\"$HBASE_OPTS -Xmx16g\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-Xmx16g\"",
			check: heapForAll,
		},
	}
}

// sizeFlags are the flags with a size behind them.
func sizeFlag(flag envfile.Flag) (size string, ok bool) {
	for _, prefix := range []string{"-Xmx", "-Xms", "-Xmn", "-Xss", "-XX:MaxHeapSize=", "-XX:MaxDirectMemorySize=", "-XX:MaxMetaspaceSize="} {
		if size, ok = strings.CutPrefix(flag.Text, prefix); ok {
			return size, true
		}
	}
	return "", false
}

func badSize(f *facts) []Finding {
	var found []Finding
	told := map[string]bool{}
	for i, flag := range f.flags {
		text, ok := sizeFlag(flag)
		if !ok || told[flag.Text] {
			continue
		}
		n, valid := envfile.ParseSize(text)
		if valid && (n > 0 || flag.Name() != "-Xmx") {
			continue
		}
		if _, odd := plainAny(flag.Text); odd {
			continue // typographic-characters tells
		}
		told[flag.Text] = true
		x := f.inEnv(flag.Variable, flag.Line, "%s is no size to the Java machine, which does not start", flag.Text)
		if text == "" && i+1 < len(f.flags) {
			x.Message += ": there must be no blank before the number"
		}
		if meant, err := hbaseconf.ParseBytes(strings.TrimSuffix(strings.ToLower(text), "m")); err == nil && meant > 1<<20 {
			x = x.write("%s%s", strings.TrimSuffix(flag.Text, text), javaSize(meant))
		} else if meant, err := hbaseconf.ParseBytes(text); err == nil && meant > 1<<20 {
			x = x.write("%s%s", strings.TrimSuffix(flag.Text, text), javaSize(meant))
		}
		found = append(found, x)
	}
	return found
}

func plainAny(text string) (string, bool) {
	for _, r := range text {
		if ascii, ok := plain(r); ok {
			return ascii, true
		}
	}
	return "", false
}

// javaSize writes a size as Java takes it.
func javaSize(b hbaseconf.Bytes) string {
	if b%(1<<30) == 0 {
		return grouped0(int64(b)>>30) + "g"
	}
	return grouped0(int64(b)>>20) + "m"
}

func grouped0(n int64) string { return strings.ReplaceAll(grouped(n), ",", "") }

func laterHeapWins(f *facts) []Finding {
	var found []Finding
	for _, prefixes := range [][]string{{"-Xmx", "-XX:MaxHeapSize="}, {"-XX:MaxDirectMemorySize="}} {
		var last *envfile.Flag
		for i := range f.flags {
			flag := &f.flags[i]
			if !hasAnyPrefix(flag.Text, prefixes) {
				continue
			}
			if last != nil && last.Text != flag.Text {
				x := f.inEnv(last.Variable, last.Line, "%s has no effect for the %s: the later %s (%s, line %d) wins",
					last.Text, f.roleName(), flag.Text, flag.Variable, flag.Line).write("one of the two")
				if largerFor(*flag, *last, f.process()) {
					x = x.as(Info)
				}
				found = append(found, x)
			}
			last = flag
		}
	}
	return found
}

// largerFor reports whether a later flag raises for one kind of process what
// holds for all, which is usually meant.
func largerFor(later, earlier envfile.Flag, p envfile.Process) bool {
	a, _ := sizeFlag(later)
	b, _ := sizeFlag(earlier)
	x, okX := envfile.ParseSize(a)
	y, okY := envfile.ParseSize(b)
	return okX && okY && x > y && later.Variable == p.Options() && earlier.Variable != later.Variable
}

func (f *facts) roleName() string {
	switch f.role {
	case Master:
		return "Master"
	case Client:
		return "client"
	}
	return "RegionServer"
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

func heapStartAboveMax(f *facts) []Finding {
	var start *envfile.Flag
	for i := range f.flags {
		if strings.HasPrefix(f.flags[i].Text, "-Xms") {
			start = &f.flags[i]
		}
	}
	if start == nil || f.memory.Heap == nil {
		return nil
	}
	n, ok := envfile.ParseSize(start.Text[len("-Xms"):])
	return when(ok && n > f.memory.Heap.Bytes, func() Finding {
		most := f.memory.Heap.Flag
		return f.inEnv(start.Variable, start.Line, "%s is above %s (%s, line %d): the Java machine does not start", start.Text, most.Text, most.Variable, most.Line).
			write("-Xms%s", javaSize(f.memory.Heap.Bytes))
	})
}

func (f *facts) hasFlag(names ...string) bool {
	for _, flag := range f.flags {
		for _, name := range names {
			if flag.Name() == name {
				return true
			}
		}
	}
	return false
}

func compressedPointers(f *facts) []Finding {
	heap := f.memory.Heap
	if heap == nil || heap.Bytes < 32<<30 || heap.Bytes >= 48<<30 || f.hasFlag("-XX:+UseZGC", "-XX:ObjectAlignmentInBytes", "-XX:-UseCompressedOops") {
		return nil
	}
	return []Finding{f.inEnv(heap.Flag.Variable, heap.Flag.Line, "a heap of %s loses compressed object pointers: one of 31 GB holds more", size(float64(heap.Bytes))).
		write("-Xmx31g, or more than 48 GB")}
}

func heapForAll(f *facts) []Finding {
	if f.in.Env == nil {
		return nil
	}
	for _, flag := range f.in.Env.Flags(envfile.Client) {
		if strings.HasPrefix(flag.Text, "-Xmx") && flag.Variable == "HBASE_OPTS" && !flag.Maybe {
			n, ok := envfile.ParseSize(flag.Text[len("-Xmx"):])
			if !ok || n <= 1<<30 {
				continue
			}
			return []Finding{f.inEnv(flag.Variable, flag.Line, "%s also holds for the shell and every tool", flag.Text).
				write("HBASE_REGIONSERVER_OPTS and HBASE_MASTER_OPTS in its place")}
		}
	}
	return nil
}
