package envfile

import (
	"math"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
)

// Process is a kind of Java process that HBase's scripts start.
type Process string

// The processes.
const (
	RegionServer Process = "regionserver"
	Master       Process = "master"
	Client       Process = "client" // the shell and other tools
	ZooKeeper    Process = "zookeeper"
	// Those of HDFS, whose own scripts have a file of the same kind.
	NameNode Process = "namenode"
	DataNode Process = "datanode"
)

// Options is the variable that only such processes are given.
func (p Process) Options() string {
	switch p {
	case RegionServer:
		return "HBASE_REGIONSERVER_OPTS"
	case Master:
		return "HBASE_MASTER_OPTS"
	case ZooKeeper:
		return "HBASE_ZOOKEEPER_OPTS"
	case NameNode:
		return "HDFS_NAMENODE_OPTS"
	case DataNode:
		return "HDFS_DATANODE_OPTS"
	}
	return "HBASE_SHELL_OPTS"
}

// Flag is one argument of the Java machine.
type Flag struct {
	Text     string
	Variable string // where it was written
	Line     int
	Maybe    bool // depends on what cannot be known here
}

// Name is the flag without its value, which may be a secret: "-Xmx",
// "-XX:+UseG1GC", "-Dname".
func (f Flag) Name() string {
	for _, prefix := range []string{"-Xmx", "-Xms", "-Xmn", "-Xss"} {
		if strings.HasPrefix(f.Text, prefix) {
			return prefix
		}
	}
	name, _, _ := strings.Cut(f.Text, "=")
	return name
}

// Flags is the command line of a process as bin/hbase puts it together: the
// sizes first, then HBASE_OPTS, the options of garbage collection for its kind,
// and its own; to the Java machine the last of several wins.
func (f *File) Flags(p Process) []Flag {
	var flags []Flag
	for _, name := range []string{"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"} {
		if v := f.vars[name]; v != nil && v.exported {
			flags = append(flags, words(v.value)...)
		}
	}
	flags = append(flags, f.sizeFlag("HBASE_HEAPSIZE", "-Xmx")...)
	flags = append(flags, f.sizeFlag("HBASE_OFFHEAPSIZE", "-XX:MaxDirectMemorySize=")...)
	collector := "SERVER_GC_OPTS"
	if p == Client {
		collector = "CLIENT_GC_OPTS"
	}
	for _, name := range []string{"HBASE_OPTS", collector, p.Options()} {
		if v := f.vars[name]; v != nil {
			flags = append(flags, words(v.value)...)
		}
	}
	return flags
}

// sizeFlag is what the scripts make of a size: without m, M, g or G at its end
// it counts megabytes.
func (f *File) sizeFlag(name, flag string) []Flag {
	v := f.vars[name]
	if v == nil {
		return nil
	}
	list := words(v.value)
	if len(list) == 0 {
		return nil
	}
	one := list[0]
	if last := one.Text[len(one.Text)-1]; strings.IndexByte("mMgG", last) < 0 {
		one.Text += "m"
	}
	one.Text = flag + one.Text
	return []Flag{one}
}

// words splits a value at blanks, across the pieces that it is made of.
func words(pieces []piece) []Flag {
	var list []Flag
	open := false // the last word may go on in the next piece
	for _, p := range pieces {
		line := p.line
		for text := p.text; text != ""; {
			end := strings.IndexAny(text, " \t\n")
			if end == 0 {
				if text[0] == '\n' {
					line++
				}
				text, open = text[1:], false
				continue
			}
			if end < 0 {
				end = len(text)
			}
			if !open {
				list = append(list, Flag{Variable: p.name, Line: line})
				open = true
			}
			last := &list[len(list)-1]
			last.Text += text[:end]
			last.Maybe = last.Maybe || p.maybe
			text = text[end:]
		}
	}
	return list
}

// Memory is what a process may use, as far as its flags say.
type Memory struct {
	Heap, Direct *Limit // nil where no flag says, or none that is certain
	// Unknown tells that a limit depends on what cannot be known here: on a
	// condition, or on the memory of the machine.
	Unknown bool
}

// Limit is a size and the flag that set it.
type Limit struct {
	Bytes hbaseconf.Bytes
	Flag  Flag
}

// MemoryOf reads the limits off a command line.
func MemoryOf(flags []Flag) Memory {
	var m Memory
	for _, flag := range flags {
		var limit **Limit
		text := ""
		switch {
		case strings.HasPrefix(flag.Text, "-Xmx"):
			limit, text = &m.Heap, flag.Text[len("-Xmx"):]
		case strings.HasPrefix(flag.Text, "-XX:MaxHeapSize="):
			limit, text = &m.Heap, flag.Text[len("-XX:MaxHeapSize="):]
		case strings.HasPrefix(flag.Text, "-XX:MaxDirectMemorySize="):
			limit, text = &m.Direct, flag.Text[len("-XX:MaxDirectMemorySize="):]
		case strings.HasPrefix(flag.Text, "-XX:MaxRAMPercentage="):
			m.Unknown = true
			continue
		default:
			continue
		}
		size, ok := ParseSize(text)
		if flag.Maybe || !ok {
			m.Unknown = true
			*limit = nil
			continue
		}
		*limit = &Limit{Bytes: size, Flag: flag}
	}
	return m
}

// ParseSize reads a size as the Java machine does: digits, then k, m, g or t in
// either case, or nothing for bytes.
func ParseSize(text string) (hbaseconf.Bytes, bool) {
	if text == "" {
		return 0, false
	}
	factor := int64(1)
	if power := strings.IndexByte("kmgt", text[len(text)-1]|0x20); power >= 0 {
		factor = 1 << (10 * (power + 1))
		text = text[:len(text)-1]
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(text, "+") || n > math.MaxInt64/factor {
		return 0, false
	}
	return hbaseconf.Bytes(n * factor), true
}
