package load

import (
	"bufio"
	"cmp"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"hbtune/sweep/local"
)

// APIs of HBase's Java client that the java driver can use.
const (
	APITable   = "table"   // Connection with Table
	APIMutator = "mutator" // the same with BufferedMutator for puts
	APIAsync   = "async"   // AsyncConnection with AsyncTable
)

//go:embed java/*.java
var javaFiles embed.FS

// histogramJar is what the worker needs besides HBase's own jars.
const histogramJar = "org.hdrhistogram:HdrHistogram:2.2.2"

// CompileJava compiles the worker, once, against the jars of the HBase that cfg
// names, which it installs unless it is there.
func CompileJava(ctx context.Context, cfg local.Config, log io.Writer) (*local.Program, error) {
	source := local.Source{Name: "load", Files: map[string][]byte{}, Jars: []string{histogramJar}}
	entries, err := javaFiles.ReadDir("java")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if source.Files[e.Name()], err = javaFiles.ReadFile("java/" + e.Name()); err != nil {
			return nil, err
		}
	}
	return local.Compile(ctx, cfg, source, log)
}

// JavaCommand is the worker's process. The client reads the hbase-site.xml in
// confDir, if one is given; quorum, if one is given, overrides what it says.
func JavaCommand(ctx context.Context, p *local.Program, confDir, api, quorum string) *exec.Cmd {
	return p.Command(ctx, "Worker", confDir, api, cmp.Or(quorum, "-"))
}

// These stand where a reply has its handle's number: javaReady when the worker says
// that it takes requests, javaControl in what is said to it and by it of itself.
const (
	javaReady   = -1
	javaControl = -2
)

// Java drives tables through a worker process around HBase's own client. What
// is no load, such as making tables, goes through the Cluster that it is built
// on.
type Java struct {
	Cluster
	cmd  *exec.Cmd
	api  string
	cpu  *process.Process
	tail *tail

	writing sync.Mutex
	in      io.WriteCloser

	mu      sync.Mutex
	handles []*javaTable
	idle    map[javaKey]*javaTable
	ready   chan struct{}    // closed when the worker takes requests
	answers chan replyReader // to control frames, of which there is one at a time
	gone    chan struct{}    // closed when the worker has ended
	failure error

	clock clock
	start atomic.Int64 // of the load, by the worker's clock
}

// javaKey tells handles apart.
type javaKey struct {
	table           string
	columns, worker int
}

// OpenJava starts the worker, by a JavaCommand of that API, and waits until it
// takes requests.
func OpenJava(ctx context.Context, admin Cluster, api string, cmd *exec.Cmd) (*Java, error) {
	j := &Java{
		Cluster: admin, cmd: cmd, api: api, tail: new(tail), idle: map[javaKey]*javaTable{},
		ready: make(chan struct{}), answers: make(chan replyReader, 1), gone: make(chan struct{}),
	}
	var err error
	if j.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the Java client: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the Java client: %w", err)
	}
	cmd.Stderr = j.tail
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the Java client: %w", err)
	}
	j.cpu, _ = process.NewProcess(int32(cmd.Process.Pid)) // without it its processor time is not known
	go j.read(out)
	select {
	case <-j.ready:
		if err := j.readClock(ctx); err != nil {
			j.Close()
			return nil, fmt.Errorf("start the Java client: %w", err)
		}
		return j, nil
	case <-j.gone:
		return nil, fmt.Errorf("start the Java client: %w", j.failure)
	case <-ctx.Done():
		j.Close()
		return nil, ctx.Err()
	}
}

// Driver names client and API.
func (j *Java) Driver() string { return "java/" + j.api }

// Plain is the cluster that the driver is built on.
func (j *Java) Plain() Cluster { return j.Cluster }

// CPU is the processor time that the worker has used.
func (j *Java) CPU() time.Duration {
	if j.cpu == nil {
		return 0
	}
	t, err := j.cpu.Times()
	if err != nil {
		return 0
	}
	return time.Duration((t.User + t.System) * float64(time.Second))
}

// Table opens a handle, or takes one that is idle.
func (j *Java) Table(name string, columns, worker int) Table {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := javaKey{name, columns, worker}
	if t := j.idle[key]; t != nil && !t.waiting.Load() && !t.broken.Load() {
		return t
	}
	t := newJavaTable(j, len(j.handles), columns)
	j.handles = append(j.handles, t)
	j.idle[key] = t
	t.broken.Store(j.send(t.open(name, columns)) != nil)
	return t
}

// Close ends the worker, in order if it will.
func (j *Java) Close() {
	j.in.Close()
	select {
	case <-j.gone:
	case <-time.After(10 * time.Second):
		_ = j.cmd.Process.Kill() // it may have ended by now
		<-j.gone
	}
}

func (j *Java) send(frame []byte) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if _, err := j.in.Write(frame); err != nil {
		return &javaError{class: "connection", message: "the Java client has ended" + j.tail.last()}
	}
	return nil
}

// ended says why nothing more can be done, as far as it is known.
func (j *Java) ended() error {
	select {
	case <-j.gone:
		return j.failure
	default:
		return &javaError{class: "connection", message: "the Java client did not answer an earlier call" + j.tail.last()}
	}
}

// read gives every reply to the handle that waits for it.
func (j *Java) read(out io.Reader) {
	defer close(j.gone)
	err := j.replies(bufio.NewReaderSize(out, 1<<16))
	ended := j.cmd.Wait()
	j.failure = &javaError{class: "connection", message: fmt.Sprintf("the Java client has ended (%v)%s", errors.Join(err, ended), j.tail.last())}
}

func (j *Java) replies(in *bufio.Reader) error {
	var head [8]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		length, id := int(binary.BigEndian.Uint32(head[:]))-4, int(int32(binary.BigEndian.Uint32(head[4:])))
		if length < 0 {
			return errors.New("a reply without a head")
		}
		switch id {
		case javaReady:
			close(j.ready)
			continue
		case javaControl:
			answer := make(replyReader, length)
			if _, err := io.ReadFull(in, answer); err != nil {
				return err
			}
			select {
			case j.answers <- answer:
			default: // nobody waits for it any more
			}
			continue
		}
		j.mu.Lock()
		if id < 0 || id >= len(j.handles) {
			j.mu.Unlock()
			return fmt.Errorf("a reply to nobody (%d)", id)
		}
		t := j.handles[id]
		j.mu.Unlock()
		// Its owner waits, and does not touch the memory until it is told.
		if cap(t.reply) < length {
			t.reply = make([]byte, length+length/2)
		}
		t.reply = t.reply[:length]
		if _, err := io.ReadFull(in, t.reply); err != nil {
			return err
		}
		t.waiting.Store(false)
		t.answered <- struct{}{}
	}
}

// javaError is a failure that the Java client reported, or its end.
type javaError struct{ class, message string }

func (e *javaError) Error() string { return e.class + ": " + e.message }
func (e *javaError) Class() string { return e.class }

// tail keeps the last lines of what the worker says on standard error.
type tail struct {
	mu   sync.Mutex
	text string
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 8 << 10
	t.text += string(b)
	if len(t.text) > most {
		t.text = t.text[len(t.text)-most:]
	}
	return len(b), nil
}

// last is the line that says most: the last exception, else the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := ""
	for line := range strings.Lines(t.text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "log4j:") && !strings.HasPrefix(line, "SLF4J") &&
			!strings.HasPrefix(line, "...") {
			said = line
		}
	}
	if said != "" {
		said = ": " + said
	}
	return said
}
