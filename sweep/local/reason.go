package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// StartError says that a daemon ended when it was to serve: with settings that
// HBase refuses, this is how it refuses them.
type StartError struct {
	Daemon string
	// Reason is the daemon's own, as far as its log tells; one line.
	Reason string
	// ExitCode is -1 where it is not known.
	ExitCode int
	LogFile  string
	Tail     []string // the last lines of the log
}

func (e *StartError) Error() string {
	return fmt.Sprintf("%s ended at its start: %s (log: %s)", e.Daemon, e.Reason, e.LogFile)
}

func (c *Cluster) startError(d *daemon) error {
	text, err := readFrom(c.log(d.Name), d.LogOffset)
	if err != nil {
		text = err.Error()
	}
	code := -1
	if d.Process.exitCode != 0 {
		code = d.Process.exitCode
	}
	return &StartError{d.Name, reason(text), code, c.log(d.Name), lastLines(text, 20)}
}

// readFrom reads a log from an offset on, the last MB of it at most.
func readFrom(path string, offset int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	const limit = 1 << 20
	if info, err := f.Stat(); err == nil && info.Size()-offset > limit {
		offset = info.Size() - limit
	}
	text, err := io.ReadAll(io.NewSectionReader(f, offset, limit))
	return string(text), err
}

func lastLines(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}

var (
	exceptionLine = regexp.MustCompile(`^(?:Caused by: |Exception in thread "[^"]*" )?((?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)[\w$]*)(?:: (.*))?$`)
	logLine       = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* +(\w+) +\[[^\]]*\] [^:]+: (.*)$`)
)

// reason finds in a log why its daemon ended: the innermost cause of the first
// fatal event. Later exceptions tell of the collapse, not of its cause.
func reason(log string) string {
	var fatal, cause string
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		if m := logLine.FindStringSubmatch(line); m != nil {
			if fatal != "" && cause != "" {
				break // the stack trace that belongs to the fatal event is over
			}
			if m[1] == "ERROR" || m[1] == "FATAL" {
				if fatal == "" {
					fatal = m[2]
				}
			}
			continue
		}
		if strings.HasPrefix(line, "Error: ") || strings.HasPrefix(line, "Error occurred during") ||
			strings.HasPrefix(line, "Unrecognized VM option") || strings.HasPrefix(line, "Invalid ") {
			return line // the JVM itself refused
		}
		if m := exceptionLine.FindStringSubmatch(line); m != nil && (fatal != "" || strings.HasPrefix(line, "Exception in thread")) {
			if m[2] != "" || cause == "" {
				cause = shortException(m[1], m[2])
			}
		}
	}
	switch {
	case cause != "":
		return cause
	case fatal != "":
		return fatal
	}
	if lines := lastLines(log, 1); lines[0] != "" {
		return "last line of its log: " + lines[0]
	}
	return errors.New("it left no word in its log").Error()
}

func shortException(class, message string) string {
	name := class[strings.LastIndexByte(class, '.')+1:]
	if message == "" {
		return name
	}
	return name + ": " + message
}
