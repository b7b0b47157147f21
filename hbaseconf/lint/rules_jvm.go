package lint

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hbtune/hbaseconf/envfile"
)

// jvmRules look at the other flags of the Java machine.
func jvmRules() []Rule {
	return []Rule{
		{
			Code: "flag-removed", Severity: Error, Title: "A flag that this JDK does not know",
			Doc: "The Java machine does not start with a flag that it does not know. Many went in JDK 9 (logging of garbage collections), JDK 10 (incremental CMS, ParNew) and JDK 15 (CMS). The JDK is the one that JAVA_HOME in hbase-env.sh is named after, or else the one usual for the version of HBase; --java says otherwise.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-XX:+UseConcMarkSweepGC\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-XX:+UseG1GC\"",
			check: flagRemoved,
		},
		{
			Code: "flag-too-new", Severity: Error, Title: "A flag that this JDK does not know yet",
			Doc: "The Java machine does not start with a flag that it does not know.",
			Bad: "java 8\nexport HBASE_REGIONSERVER_OPTS=\"-Xlog:gc*\"", Good: "java 17\nexport HBASE_REGIONSERVER_OPTS=\"-Xlog:gc*\"",
			check: flagTooNew,
		},
		{
			Code: "flag-locked", Severity: Error, Title: "An experimental flag that is not unlocked",
			Doc: "Experimental flags need -XX:+UnlockExperimentalVMOptions before them; without it the Java machine does not start.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-XX:+UseG1GC -XX:G1NewSizePercent=3\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-XX:+UnlockExperimentalVMOptions -XX:+UseG1GC -XX:G1NewSizePercent=3\"",
			check: flagLocked,
		},
		{
			Code: "two-collectors", Severity: Error, Title: "Two garbage collectors at once",
			Doc: "The Java machine does not start with more than one. Often one comes from HBASE_OPTS and another from the options of the process.",
			Bad: "export HBASE_OPTS=\"-XX:+UseG1GC\"\nexport HBASE_REGIONSERVER_OPTS=\"-XX:+UseZGC\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-XX:+UseG1GC\"",
			check: twoCollectors,
		},
	}
}

//go:embed jvmflags.tsv
var jvmFlagsTSV string

// jvmFlag is when a flag of the Java machine came and went.
type jvmFlag struct {
	since, until int // major versions of the JDK that know it and no longer do; 0 is open
	experimental bool
	instead      string
}

// jvmFlags are the flags by name, without -XX: and its + or -.
var jvmFlags = sync.OnceValue(func() map[string]jvmFlag {
	m := map[string]jvmFlag{}
	for i, row := range strings.Split(strings.TrimSuffix(jvmFlagsTSV, "\n"), "\n") {
		f := strings.Split(row, "\t")
		if i == 0 || len(f) != 5 {
			continue
		}
		since, _ := strconv.Atoi(f[1])
		until, _ := strconv.Atoi(f[2])
		m[f[0]] = jvmFlag{since, until, f[3] == "experimental", f[4]}
	}
	return m
})

// flagKey is the name under which a flag stands in the list.
func flagKey(flag envfile.Flag) string {
	name, isXX := strings.CutPrefix(flag.Name(), "-XX:")
	if isXX {
		return strings.TrimLeft(name, "+-")
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// lenient reports whether the Java machine passes over unknown -XX flags.
func (f *facts) lenient(flag envfile.Flag) bool {
	return strings.HasPrefix(flag.Text, "-XX:") && f.hasFlag("-XX:+IgnoreUnrecognizedVMOptions")
}

func flagRemoved(f *facts) []Finding {
	type place struct {
		variable string
		line     int
	}
	var found []Finding
	at := map[place]int{} // several flags of one line are one finding
	for _, flag := range f.flags {
		known, ok := jvmFlags()[flagKey(flag)]
		if !ok || known.until == 0 || f.java < known.until || f.lenient(flag) {
			continue
		}
		where := place{flag.Variable, flag.Line}
		if i, ok := at[where]; ok {
			found[i].Message += ", " + flag.Name() + " (gone in " + strconv.Itoa(known.until) + ")"
			continue
		}
		at[where] = len(found)
		x := f.inEnv(flag.Variable, flag.Line, "JDK %d does not start with flags that it no longer knows: %s (gone in %d)", f.java, flag.Name(), known.until)
		if known.instead != "" {
			x = x.write("%s", known.instead)
		}
		found = append(found, x)
	}
	return found
}

func flagTooNew(f *facts) []Finding {
	var found []Finding
	for _, flag := range f.flags {
		if known, ok := jvmFlags()[flagKey(flag)]; ok && f.java < known.since && !f.lenient(flag) {
			found = append(found, f.inEnv(flag.Variable, flag.Line, "JDK %d does not know %s, which came with %d: the Java machine does not start", f.java, flag.Name(), known.since))
		}
	}
	return found
}

func flagLocked(f *facts) []Finding {
	var found []Finding
	unlocked := false
	for _, flag := range f.flags {
		unlocked = unlocked || flag.Name() == "-XX:+UnlockExperimentalVMOptions"
		if known, ok := jvmFlags()[flagKey(flag)]; ok && known.experimental && !unlocked && !f.lenient(flag) {
			found = append(found, f.inEnv(flag.Variable, flag.Line, "%s is experimental: the Java machine does not start without -XX:+UnlockExperimentalVMOptions before it", flag.Name()).
				write("-XX:+UnlockExperimentalVMOptions %s", flag.Text))
		}
	}
	return found
}

// collectors are the flags of which only one may be given.
func collectors() []string {
	return []string{"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC", "-XX:+UseShenandoahGC", "-XX:+UseConcMarkSweepGC", "-XX:+UseEpsilonGC"}
}

func twoCollectors(f *facts) []Finding {
	chosen := map[string]envfile.Flag{}
	var order []string
	for _, flag := range f.flags {
		if off, ok := strings.CutPrefix(flag.Name(), "-XX:-"); ok {
			delete(chosen, "-XX:+"+off)
		}
		if slices.Contains(collectors(), flag.Text) {
			if _, twice := chosen[flag.Text]; !twice {
				order = append(order, flag.Text)
			}
			chosen[flag.Text] = flag
		}
	}
	order = slices.DeleteFunc(order, func(name string) bool { _, ok := chosen[name]; return !ok })
	return when(len(order) > 1, func() Finding {
		first, last := chosen[order[0]], chosen[order[len(order)-1]]
		return f.inEnv(last.Variable, last.Line, "%s and %s (%s, line %d) exclude each other: the Java machine does not start", last.Text, first.Text, first.Variable, first.Line).
			write("one of the two")
	})
}
