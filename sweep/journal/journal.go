// Package journal keeps the append-only record of a sweep: one JSON object a
// line, each forced to disk before Append returns, so that what was measured
// survives a kill at any instant. A line torn by such a kill can only be the
// last; Open cuts it off and Read passes over it. The types of the lines are
// those of sweep/trial; sweep writes a journal, analyze reads it.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hbtune/sweep/trial"
)

// FileName is the journal's name in a sweep's folder.
const FileName = "journal.jsonl"

const version = 1

// Event is something worth knowing that is no measurement: a phase begun, a
// restore, an interruption.
type Event struct {
	Time    time.Time `json:"time"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
}

// Content is a whole journal.
type Content struct {
	Sweep   trial.Sweep
	Records []trial.Record
	Events  []Event
}

// entry is one line; V is set in the first alone.
type entry struct {
	V      int           `json:"v,omitempty"`
	Sweep  *trial.Sweep  `json:"sweep,omitempty"`
	Record *trial.Record `json:"record,omitempty"`
	Event  *Event        `json:"event,omitempty"`
}

// Journal is a journal open for appending. It is not safe for concurrent use.
type Journal struct {
	file *os.File
}

// Create starts a journal in dir, which must not hold one yet.
func Create(dir string, s trial.Sweep) (*Journal, error) {
	path := filepath.Join(dir, FileName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s holds a sweep already: go on with `hbtune sweep resume %s` or choose another folder", dir, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("start the journal: %w", err)
	}
	j := &Journal{file: file}
	if err := j.append(entry{V: version, Sweep: &s}); err != nil {
		file.Close()
		return nil, errors.Join(err, os.Remove(path))
	}
	if err := syncFolder(dir); err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// Open reads the journal of a sweep and opens it for appending.
func Open(dir string) (*Journal, *Content, error) {
	path := filepath.Join(dir, FileName)
	content, whole, err := read(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open the journal: %w", err)
	}
	if err := file.Truncate(whole); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("cut the torn last line of %s: %w", path, err)
	}
	return &Journal{file: file}, content, nil
}

// Read reads the journal of the sweep in dir.
func Read(dir string) (*Content, error) {
	content, _, err := read(filepath.Join(dir, FileName))
	return content, err
}

// AppendRecord stores a trial's record; it is on disk when this returns nil.
func (j *Journal) AppendRecord(r trial.Record) error { return j.append(entry{Record: &r}) }

// AppendEvent stores an event; it is on disk when this returns nil.
func (j *Journal) AppendEvent(e Event) error { return j.append(entry{Event: &e}) }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// append writes one line at once. Where the write fails half-way (a full
// disk), the half is taken back, so that the next line starts on its own.
func (j *Journal) append(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	before, err := j.file.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append to the journal: %w", errors.Join(err, j.file.Truncate(before)))
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("force the journal to disk: %w", err)
	}
	return nil
}

// read returns the content and the length of the part that is whole.
func read(path string) (*Content, int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s is not a sweep's folder: it has no %s (%w)", filepath.Dir(path), FileName, os.ErrNotExist)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the journal: %w", err)
	}
	defer file.Close()
	content, whole, err := decode(file)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return content, whole, nil
}

func decode(r io.Reader) (*Content, int64, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	content := &Content{}
	var whole int64
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF { // what follows the last newline is torn
			if number == 1 {
				return nil, 0, errors.New("line 1: no whole line: nothing is recorded here; `hbtune sweep restore` on the folder puts back what may have been changed")
			}
			return content, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if err := content.add(line, number); err != nil {
			// A kill can leave zeros or garbage with a newline at the very end.
			if _, end := in.Peek(1); end == io.EOF && number > 1 {
				return content, whole, nil
			}
			return nil, 0, fmt.Errorf("line %d: %w", number, err)
		}
		whole += int64(len(line))
	}
}

func (c *Content) add(line []byte, number int) error {
	var e entry
	if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
		return fmt.Errorf("not a journal entry: %w", err)
	}
	if number == 1 {
		if e.V != version || e.Sweep == nil {
			return fmt.Errorf("not a journal of version %d: made by another hbtune?", version)
		}
		c.Sweep = *e.Sweep
		return nil
	}
	switch {
	case e.Record != nil:
		c.Records = append(c.Records, *e.Record)
	case e.Event != nil:
		c.Events = append(c.Events, *e.Event)
	}
	return nil
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("force the folder to disk: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("force the folder to disk: %w", err)
	}
	return nil
}
