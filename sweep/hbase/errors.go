package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"hbtune/sweep/hbase/wire"
)

// Error is how every operation of this package fails once it is under way. Ask
// for it with errors.As; the cause (a context's error, a network error) is
// found by errors.Is.
type Error struct {
	Op     string // "Get", "Mutate", "CreateTable", …
	Table  string
	Row    []byte
	Server string // host:port; empty if none was reached
	Region string // full region name; empty if none was found
	// Class is the Java exception's class without its package, and Message what
	// it says; empty where the failure arose on this side.
	Class   string
	Message string
	// Attempts counts the tries, this failure included.
	Attempts int
	// Retryable reports that the same operation may succeed later.
	Retryable bool
	// Err is the last failure, and the context's error where that ended it.
	Err error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Table != "" {
		fmt.Fprintf(&b, " on table %s", e.Table)
	}
	if e.Row != nil {
		fmt.Fprintf(&b, ", row %s", shortRow(e.Row))
	}
	if e.Server != "" {
		fmt.Fprintf(&b, ", at %s", e.Server)
	}
	b.WriteString(": ")
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	} else {
		b.WriteString(e.Message)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func shortRow(row []byte) string {
	const most = 40
	if len(row) > most {
		return fmt.Sprintf("%q…", row[:most])
	}
	return fmt.Sprintf("%q", row)
}

// Errors of this side that callers may want to tell apart.
var (
	// ErrTableNotFound: hbase:meta has no region of the table.
	ErrTableNotFound = errors.New("table does not exist")
	// ErrTableDisabled: the table must be enabled first.
	ErrTableDisabled = errors.New("table is disabled")
	// ErrClosed: the client was closed.
	ErrClosed = errors.New("client is closed")

	errTimeout = errors.New("no reply within the RPC time-out")
	errSilent  = errors.New("given up: no reply at all came within the RPC time-out")
	// errNoRegion: hbase:meta knows no open region for the row at the moment.
	errNoRegion = errors.New("no region serves the row at the moment")
)

// exception is a server's exception on its way through the retry loop.
type exception struct {
	class   string // short
	message string // one line
	host    string
	port    int
	reaction
}

func newException(e *wire.Exception) *exception {
	return classify(e.Class, e.Stack, e.DoNotRetry, e.Overloaded, e.Host, e.Port)
}

// newNamedException is for exceptions inside an answer to Multi, which carry
// no more than a name and a text.
func newNamedException(class, stack string) *exception {
	return classify(class, stack, false, false, "", 0)
}

func classify(class, stack string, doNotRetry, overloaded bool, host string, port int) *exception {
	e := &exception{class: shortClass(class), message: firstLine(class, stack), host: host, port: port}
	e.reaction = reactionTo(e.class, doNotRetry)
	e.overloaded = e.overloaded || overloaded
	if e.class == "AccessDeniedException" {
		e.message += " (a secured cluster needs Kerberos, which this client does not speak)"
	}
	return e
}

func (e *exception) Error() string {
	if e.message == "" {
		return e.class
	}
	return e.class + ": " + e.message
}

// shortClass strips the package off a Java class name.
func shortClass(class string) string {
	return class[strings.LastIndexAny(class, ".$")+1:]
}

// firstLine is the message of a Java stack trace, whose first line is
// "class: message".
func firstLine(class, stack string) string {
	line, _, _ := strings.Cut(stack, "\n")
	line = strings.TrimPrefix(line, class)
	line = strings.TrimSpace(strings.TrimPrefix(line, ":"))
	if len(line) > longestMessage {
		line = line[:longestMessage] + "…"
	}
	return line
}

// longestMessage cuts messages that quote whole table descriptors.
const longestMessage = 300

// connError is a failure of a connection, or to make one. Whether calls on it
// were executed is not known.
type connError struct {
	addr string
	err  error
}

func (e *connError) Error() string {
	var dns *net.DNSError
	if errors.As(e.err, &dns) {
		return fmt.Sprintf("%s: cannot find host %s: %s", e.addr, dns.Name, dns.Err)
	}
	return fmt.Sprintf("connection to %s: %v", e.addr, e.err)
}

func (e *connError) Unwrap() error { return e.err }

// isContextError reports whether the caller's own context ended the call.
func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
