package envfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hbtune/hbaseconf"
)

// File is an hbase-env.sh. It is immutable.
type File struct {
	path        string
	assignments []Assignment
	references  []Reference
	vars        map[string]*variable
	crlf        int
	opaque      bool
	syntax      *SyntaxError
	doubt       *Doubt
}

// Assignment is one place where a variable is given a value.
type Assignment struct {
	Name string
	Line int
	// Text is what is written here, without what references stand for.
	Text string
	// Exported tells that child processes see the variable.
	Exported bool
	// Maybe tells that it depends on a condition, or on what a command prints.
	Maybe bool
}

// Reference is one place where a variable is used.
type Reference struct {
	Name string
	Line int
	// Set tells that the file has given it a value by then.
	Set bool
	// Own tells that it stands in an assignment to itself, which is how a value
	// is added to.
	Own bool
	// Guarded tells that the file provides for it being unset, as in ${A:-b}, or
	// only tests it.
	Guarded bool
}

// SyntaxError is where the shell gives up; what follows is not in force.
type SyntaxError struct {
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Read reads the file at path.
func Read(path string) (*File, error) {
	data, err := hbaseconf.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the bytes of an hbase-env.sh that lies at path. It is an error
// where they are plainly no shell script; a script with a mistake in it is read
// up to there.
func Parse(path string, data []byte) (*File, error) {
	if reason := notScript(data); reason != "" {
		return nil, &hbaseconf.SiteError{Path: path, Fault: hbaseconf.FaultNotSite, Reason: reason}
	}
	if len(data) > maxBytes || nesting(data) > maxNesting {
		return nil, &hbaseconf.SiteError{Path: path, Fault: hbaseconf.FaultTooLarge, Reason: "is larger, or more deeply nested, than any hbase-env.sh; look at what wrote it"}
	}
	f := &File{path: path, vars: map[string]*variable{}}
	if at := bytes.Index(data, []byte("\r\n")); at >= 0 {
		f.crlf = 1 + bytes.Count(data[:at], []byte("\n"))
		f.doubtAt(f.crlf, "ends as lines do on Windows, which a shell takes for a part of the value")
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	s := &shell{file: f}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var err error
	for stmt, fault := range parser.StmtsSeq(bytes.NewReader(data)) {
		if err == nil { // the sequence may not be left early
			err = fault
		}
		if err == nil {
			s.stmt(stmt)
		}
	}
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		f.syntax = &SyntaxError{Line: int(parse.Pos.Line()), Reason: parse.Text}
	case errors.As(err, &lang):
		f.syntax = &SyntaxError{Line: int(lang.Pos.Line()), Reason: "uses what bash does not know"}
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if f.syntax != nil {
		f.doubtAt(f.syntax.Line, f.syntax.Reason)
	}
	return f, nil
}

const (
	// maxBytes is the size beyond which a script is not taken for an hbase-env.sh.
	maxBytes = 4 << 20
	// maxNesting bounds what may be nested, which costs the parser stack.
	maxNesting = 5000
)

// nesting counts what begins something that has an end, an upper bound of how
// deep a script is nested.
func nesting(data []byte) int {
	deep := bytes.Count(data, []byte("(")) + bytes.Count(data, []byte("${")) + bytes.Count(data, []byte("`"))
	for _, word := range []string{"if", "case", "for", "while", "until", "select", "{ ", "{\n", "{\t", "&&", "||", "!", "|", "time"} {
		deep += bytes.Count(data, []byte(word))
	}
	return deep
}

func notScript(data []byte) string {
	trimmed := bytes.TrimSpace(data)
	switch {
	case bytes.IndexByte(data[:min(len(data), 4096)], 0) >= 0:
		return "is a binary file; name hbase-env.sh"
	case bytes.HasPrefix(trimmed, []byte("<")):
		return "is XML, not a shell script; a site file is named hbase-site.xml"
	case bytes.HasPrefix(trimmed, []byte("{\"")):
		return "is JSON, not a shell script; hbase-env.sh holds lines such as export HBASE_HEAPSIZE=8g"
	}
	return ""
}

// Path is where the file lies.
func (f *File) Path() string { return f.path }

// Assignments lists the assignments in the order in which the shell comes to
// them.
func (f *File) Assignments() []Assignment { return append([]Assignment(nil), f.assignments...) }

// References lists the uses of variables in order.
func (f *File) References() []Reference { return append([]Reference(nil), f.references...) }

// Sets reports whether the file gives a variable a value anywhere.
func (f *File) Sets(name string) bool { return f.vars[name] != nil }

// Last is the assignment that is in force at the end of the file.
func (f *File) Last(name string) (Assignment, bool) {
	for i := len(f.assignments) - 1; i >= 0; i-- {
		if f.assignments[i].Name == name {
			a := f.assignments[i]
			a.Exported = f.vars[name].exported
			return a, true
		}
	}
	return Assignment{}, false
}

// WindowsLine is the first line that ends in carriage return and line feed, of
// which the shell takes the former for a part of the value; 0 if there is none.
func (f *File) WindowsLine() int { return f.crlf }

// SyntaxError is where the shell gives up, or nil.
func (f *File) SyntaxError() *SyntaxError { return f.syntax }

// Opaque reports whether the file runs other scripts, which may set variables
// that it does not.
func (f *File) Opaque() bool { return f.opaque }

// External reports whether a variable usually comes from outside of the file:
// from the login shell, or from the scripts that read the file.
func External(name string) bool {
	switch name {
	case "HBASE_HOME", "HBASE_CONF_DIR", "HBASE_LOG_DIR", "HBASE_LOGFILE", "HBASE_PID_DIR", "HBASE_IDENT_STRING",
		"HBASE_LOG_PREFIX", "HBASE_ROOT_LOGGER", "HBASE_SECURITY_LOGGER", "HBASE_CLASSPATH", "HBASE_LIBRARY_PATH",
		"HBASE_ENV_INIT", "HBASE_REGIONSERVERS", "HBASE_BACKUP_MASTERS", "HBASE_NICENESS", "HBASE_MANAGES_ZK",
		"JAVA_HOME", "JAVA_LIBRARY_PATH", "JAVA_PLATFORM", "LD_LIBRARY_PATH", "CLASSPATH", "PATH", "PWD", "HOME",
		"USER", "LOGNAME", "HOSTNAME", "HOST", "HOSTTYPE", "OSTYPE", "LANG", "TMPDIR", "RANDOM", "UID", "EUID", "PPID",
		"SHELL", "BASH_SOURCE", "BASH_VERSION", "COMMAND", "command", "startStop", "bin", "this", "MALLOC_ARENA_MAX":
		return true
	}
	return strings.HasPrefix(name, "HADOOP_") || strings.HasPrefix(name, "YARN_") || strings.HasPrefix(name, "ZOOKEEPER_") ||
		strings.Trim(name, "0123456789@*#?!$-") == ""
}
