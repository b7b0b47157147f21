package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
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
	return fmt.Sprintf("%s ended instead of serving: %s (log: %s)", e.Daemon, e.Reason, e.LogFile)
}

func (c *Cluster) startError(d *daemon) error {
	text, err := readFrom(c.log(d.Name), d.LogOffset)
	if err != nil {
		text = err.Error()
	}
	e := &StartError{Daemon: d.Name, Reason: reason(text), ExitCode: -1, LogFile: c.log(d.Name), Tail: lastLines(text, 20)}
	// Its threads may still be ending: the exit status comes with the last.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = poll(ctx, 20*time.Millisecond, func() (bool, error) { return !d.Process.reap(), nil })
	if d.Process.exited {
		e.ExitCode = d.Process.exitCode
	}
	if signal := d.Process.signal; signal > 0 {
		e.Reason = fmt.Sprintf("a signal ended it (%v)", signal)
	}
	if diskIsFull(c.dir) { // then the log, too, may lack its end
		e.Reason = fmt.Sprintf("the disk is full: free some space for %s; %s", c.dir, e.Reason)
	}
	return e
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

// lastLines returns up to n lines from the end.
func lastLines(text string, n int) []string {
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}

var (
	logLine   = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* +(\w+) +\[.*?\] \S+: (.*)$`)
	exception = regexp.MustCompile(`^(?:Caused by: |Exception in thread "[^"]*" )?((?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)[\w$]*)(?:: (.*))?$`)
	// ending matches the messages with which HBase's and Hadoop's daemons give up.
	ending = regexp.MustCompile(`ABORTING|[Ff]ailed construction|[Ff]ailed to (?:start|become)|Master exiting|Region server exiting|startup failed|Unexpected exception, exiting|Exception in secureMain`)
	// refusal matches what a Java machine says that does not even begin.
	refusal = regexp.MustCompile(`^(?:Error: |Error occurred during|Unrecognized VM option|Unrecognized option|Invalid \w+ \w+ size|Conflicting |There is insufficient memory|Terminating due to java\.lang\.OutOfMemoryError)`)
)

// event is a line of a log with what belongs to it, such as a stack trace.
type event struct {
	level, message string
	lines          []string
}

// reason finds in a log why its daemon ended: the innermost cause of the first
// event with which it gave up. What comes later tells of the collapse.
func reason(log string) string {
	var events []event
	current := event{}
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		if m := logLine.FindStringSubmatch(line); m != nil {
			events = append(events, current)
			current = event{level: m[1], message: m[2]}
			continue
		}
		if refusal.MatchString(line) {
			return line
		}
		current.lines = append(current.lines, line)
	}
	events = append(events, current)

	var last *event
	for i := range events {
		e := &events[i]
		bad := e.level == "ERROR" || e.level == "FATAL"
		if bad && ending.MatchString(e.message) || strings.HasPrefix(strings.Join(e.lines, ""), "Exception in thread") {
			return e.cause()
		}
		if bad {
			last = e
		}
	}
	// What a launcher prints by itself follows whatever was logged before.
	if end := &events[len(events)-1]; slices.ContainsFunc(end.lines, exception.MatchString) {
		return end.cause()
	}
	if last != nil {
		return last.cause()
	}
	if lines := lastLines(log, 1); len(lines) > 0 {
		return "the last line of its log is: " + strings.TrimSpace(lines[0])
	}
	return "it left no word in its log"
}

// cause is the innermost exception that has something to say, with all lines of
// its message, or the event's own words.
func (e *event) cause() string {
	best := ""
	for i := 0; i < len(e.lines); i++ {
		m := exception.FindStringSubmatch(e.lines[i])
		if m == nil || m[2] == "" && best != "" {
			continue
		}
		best = m[1][strings.LastIndexByte(m[1], '.')+1:]
		if m[2] == "" {
			continue
		}
		best += ": " + m[2]
		for ; i+1 < len(e.lines) && !isTrace(e.lines[i+1]); i++ {
			best = joinLine(best, strings.TrimSpace(e.lines[i+1]))
		}
	}
	switch {
	case best == "":
		return e.message
	case strings.Contains(e.message, "ABORTING"):
		// The message says what was being done, which the exception does not.
		_, doing, found := strings.Cut(e.message, ": ")
		if found && !strings.Contains(best, doing) {
			return strings.Trim(doing, " *") + ": " + best
		}
	}
	return best
}

// joinLine goes on with a message on the same line; list items are separated by
// commas.
func joinLine(message, line string) string {
	item, isItem := strings.CutPrefix(line, "- ")
	if isItem && !strings.HasSuffix(message, ":") {
		return message + ", " + item
	}
	return strings.TrimSpace(message + " " + item)
}

// isTrace tells the lines of a stack trace from those of a message.
func isTrace(line string) bool {
	return strings.HasPrefix(line, "\tat ") || strings.HasPrefix(line, "\t... ") || strings.HasPrefix(line, "Caused by: ") ||
		strings.HasPrefix(line, "\tSuppressed: ") || exception.MatchString(line)
}
