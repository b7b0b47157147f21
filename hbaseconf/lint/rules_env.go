package lint

import (
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/envfile"
)

// envRules look at hbase-env.sh as a shell script.
func envRules() []Rule {
	return []Rule{
		{
			Code: "shell-syntax", Severity: Error, Title: "A mistake in the shell script",
			Doc: "The shell gives up there, and nothing below it is in force.",
			Bad: "export HBASE_OPTS=\"-XX:+UseG1GC\nexport HBASE_HEAPSIZE=8g", Good: "export HBASE_OPTS=\"-XX:+UseG1GC\"\nexport HBASE_HEAPSIZE=8g",
			check: shellSyntax,
		},
		{
			Code: "windows-lines", Severity: Error, Title: "Windows line ends in a shell script",
			Doc: "To the shell the carriage return belongs to the value: the Java machine is given -Xmx8g with an invisible character behind, and does not start. dos2unix hbase-env.sh repairs it.",
			Bad: "export HBASE_HEAPSIZE=8g\r", Good: "export HBASE_HEAPSIZE=8g",
			check: windowsLines,
		},
		{
			Code: "typographic-characters", Severity: Error, Title: "Typographic quotes, dashes or blanks in a value",
			Doc: "Word processors and web pages turn \" and - into other characters, which the shell and the Java machine take as part of the text.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"–Xmx8g\"", Good: "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g\"",
			check: typographic,
		},
		{
			Code: "comment-in-quotes", Severity: Error, Title: "A comment inside of quotes",
			Doc: "Between quotes # begins no comment: it and the words behind it are given to the Java machine, which takes the first word that is no flag for the class to run.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g\n  # pauses\n  -XX:+UseG1GC\"", Good: "# for short pauses\nexport HBASE_REGIONSERVER_OPTS=\"-Xmx8g -XX:+UseG1GC\"",
			check: commentInQuotes,
		},
		{
			Code: "misspelt-variable", Severity: Warning, Title: "A variable that no script reads, close to one that they do",
			Doc: "HBase's scripts look for exact names; what is set under another one has no effect.",
			Bad: "export HBASE_HEAP_SIZE=8g", Good: "export HBASE_HEAPSIZE=8g",
			check: misspeltVariable,
		},
		{
			Code: "undefined-variable", Severity: Warning, Title: "A variable that is used and never set",
			Doc: "The shell puts nothing in its place. Often it is misspelt, or set only further down.",
			Bad: "export HBASE_REGIONSERVER_OPTS=\"$HBASE_GC_OPT -Xmx8g\"", Good: "export HBASE_GC_OPT=-XX:+UseG1GC\nexport HBASE_REGIONSERVER_OPTS=\"$HBASE_GC_OPT -Xmx8g\"",
			check: undefinedVariable,
		},
		{
			Code: "not-exported", Severity: Warning, Title: "A variable that is not exported",
			Doc: "hbase-daemon.sh reads hbase-env.sh once and starts bin/hbase as a child, which does not read it again: a daemon started that way never sees the variable.",
			Bad: "HBASE_HEAPSIZE=8g", Good: "export HBASE_HEAPSIZE=8g",
			check: notExported,
		},
	}
}

func shellSyntax(f *facts) []Finding {
	if f.in.Env == nil || f.in.Env.SyntaxError() == nil {
		return nil
	}
	e := f.in.Env.SyntaxError()
	return []Finding{f.inEnv("", e.Line, "the shell gives up here: %s; nothing from here on is in force", hbaseconf.Masked("", e.Reason))}
}

func windowsLines(f *facts) []Finding {
	if f.in.Env == nil || f.in.Env.WindowsLine() == 0 {
		return nil
	}
	return []Finding{f.inEnv("", f.in.Env.WindowsLine(), "has Windows line ends: the shell takes the carriage return for a part of every value, and no daemon starts").
		write("dos2unix %s", f.in.Env.Path())}
}

func typographic(f *facts) []Finding {
	if f.in.Env == nil {
		return nil
	}
	var found []Finding
	for _, a := range f.in.Env.Assignments() {
		if !javaVariable(a.Name) && a.Name != "JAVA_HOME" {
			continue
		}
		for _, r := range a.Text {
			if ascii, ok := plain(r); ok {
				found = append(found, f.inEnv(a.Name, a.Line, "holds the character %q (U+%04X), which is not %q to the shell or to Java", r, r, ascii).
					write("%s in its place", ascii))
				break
			}
		}
	}
	return found
}

// plain is what a typographic character was meant to be.
func plain(r rune) (string, bool) {
	switch r {
	case '\u2018', '\u2019':
		return "'", true
	case '\u201c', '\u201d', '\u201e':
		return `"`, true
	case '\u2013', '\u2014', '\u2212', '\u2010', '\u2011':
		return "-", true
	case '\u00a0', '\u200b', '\ufeff':
		return " ", true
	}
	return "", false
}

func commentInQuotes(f *facts) []Finding {
	var found []Finding
	for _, flag := range f.flags {
		if strings.HasPrefix(flag.Text, "#") {
			found = append(found, f.inEnv(flag.Variable, flag.Line, "a # inside of quotes begins no comment: it is given to the Java machine, which does not start").write("the comment on a line of its own, outside of the quotes"))
			break
		}
	}
	return found
}

// javaVariable reports whether HBase's scripts hand a variable to the Java
// machine.
func javaVariable(name string) bool {
	return slices.Contains(javaVariables(), name)
}

func javaVariables() []string {
	return []string{
		"HBASE_HEAPSIZE", "HBASE_OFFHEAPSIZE", "HBASE_OPTS", "SERVER_GC_OPTS", "CLIENT_GC_OPTS",
		"HBASE_REGIONSERVER_OPTS", "HBASE_MASTER_OPTS", "HBASE_ZOOKEEPER_OPTS", "HBASE_THRIFT_OPTS", "HBASE_REST_OPTS",
		"HBASE_SHELL_OPTS", "HBASE_SERVER_JAAS_OPTS", "HBASE_CANARY_OPTS", "HBASE_PE_OPTS", "HBASE_LTT_OPTS",
		"HBASE_HBCK_OPTS", "HBASE_JSHELL_OPTS",
	}
}

// scriptVariables are those that HBase's scripts read.
func scriptVariables() []string {
	return append(javaVariables(),
		"HBASE_CLASSPATH", "HBASE_CLASSPATH_PREFIX", "HBASE_LIBRARY_PATH", "HBASE_CONF_DIR", "HBASE_HOME", "HBASE_ROOT_LOGGER",
		"HBASE_SECURITY_LOGGER", "HBASE_LOG_DIR", "HBASE_LOGFILE", "HBASE_LOG_PREFIX", "HBASE_PID_DIR", "HBASE_IDENT_STRING",
		"HBASE_NICENESS", "HBASE_MANAGES_ZK", "HBASE_REGIONSERVERS", "HBASE_BACKUP_MASTERS", "HBASE_SSH_OPTS",
		"HBASE_SLAVE_SLEEP", "HBASE_SLAVE_TIMEOUT", "HBASE_SLAVE_PARALLEL", "HBASE_STOP_TIMEOUT", "HBASE_RESTART_SLEEP",
		"HBASE_REGIONSERVER_MLOCK", "HBASE_REGIONSERVER_UID", "HBASE_JMX_OPTS", "HBASE_THRIFT_JMX_OPTS", "HBASE_REST_JMX_OPTS",
		"HBASE_DISABLE_HADOOP_CLASSPATH_LOOKUP", "HBASE_NOEXEC", "HBASE_JDK11", "HBASE_ENV_INIT", "HBASE_GC_OPTS", "HBASE_JMX_BASE",
		"HBASE_TRACE_OPTS", "HBASE_ZNODE_FILE", "HBASE_START_FILE", "HBASE_AUTOSTART_FILE", "HBASE_REST_PORT", "HBASE_THRIFT_PORT",
		"HBASE_NO_REDIRECT_LOG", "HBASE_LOGLEVEL", "HBASE_ROOT_LOGGER_LEVEL", "HBASE_SHELL_CLASSPATH", "HBASE_MASTER_JMX_OPTS", "HBASE_REGIONSERVER_JMX_OPTS",
	)
}

// nearVariable is the name that a wrong one was probably meant to be.
func nearVariable(name string, known []string) string {
	letters := strings.ReplaceAll(strings.ToUpper(name), "_", "")
	best, least := "", 3
	for _, candidate := range known {
		if d := hbaseconf.EditDistance(letters, strings.ReplaceAll(candidate, "_", ""), least); d < least {
			best, least = candidate, d
		}
	}
	if best == name {
		return ""
	}
	return best
}

func misspeltVariable(f *facts) []Finding {
	if f.in.Env == nil {
		return nil
	}
	used := map[string]bool{}
	for _, r := range f.in.Env.References() {
		used[r.Name] = used[r.Name] || !r.Own
	}
	var found []Finding
	for _, a := range f.in.Env.Assignments() {
		if used[a.Name] || slices.Contains(scriptVariables(), a.Name) || !strings.Contains(a.Name, "HBASE") {
			continue
		}
		if meant := nearVariable(a.Name, javaVariables()); meant != "" {
			found = append(found, f.inEnv(a.Name, a.Line, "is read by no script of HBase and has no effect; %s was probably meant", meant).write("export %s=…", meant))
		}
	}
	return found
}

func undefinedVariable(f *facts) []Finding {
	if f.in.Env == nil || f.in.Env.Opaque() {
		return nil
	}
	seen := map[string]bool{}
	known := scriptVariables()
	for _, a := range f.in.Env.Assignments() {
		if !seen[a.Name] {
			seen[a.Name] = true
			known = append(known, a.Name)
		}
	}
	clear(seen)
	var found []Finding
	for _, r := range f.in.Env.References() {
		if r.Set || r.Own || r.Guarded || seen[r.Name] || envfile.External(r.Name) {
			continue
		}
		if seen[r.Name] = true; len(seen) > maxGuesses {
			break
		}
		later, isLater := f.in.Env.Last(r.Name)
		near := nearVariable(r.Name, known)
		x := f.inEnv(r.Name, r.Line, "is used here and set nowhere: the shell puts nothing in its place")
		switch {
		case isLater && !slices.Contains(javaVariables(), r.Name):
			x = f.inEnv(r.Name, r.Line, "is used here and only set in line %d: here it is empty", later.Line).write("set it above line %d", r.Line)
		case near != "" && !slices.Contains(scriptVariables(), r.Name):
			x = x.write("$%s, if that was meant", near)
		default:
			continue // whoever starts the script may set it
		}
		found = append(found, x)
	}
	return found
}

func notExported(f *facts) []Finding {
	if f.in.Env == nil {
		return nil
	}
	var found []Finding
	for _, name := range javaVariables() {
		if a, ok := f.in.Env.Last(name); ok && !a.Exported && !a.Maybe {
			found = append(found, f.inEnv(name, a.Line, "is not exported: daemons that hbase-daemon.sh starts never see it").write("export %s=…", name))
		}
	}
	return found
}
