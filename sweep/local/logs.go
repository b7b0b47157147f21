package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Logs prints the last lines of one daemon's log, or of all of them, and goes
// on with what is appended if it is to follow.
func (c *Cluster) Logs(ctx context.Context, w io.Writer, daemon string, lines int, follow bool) error {
	s, err := readState(c.dir)
	if err != nil {
		return err
	}
	var names []string
	if daemon != "" {
		d, err := s.find(daemon)
		if err != nil {
			return err
		}
		names = []string{d.Name}
	} else {
		for _, d := range s.Daemons {
			names = append(names, d.Name)
		}
	}
	offsets := map[string]int64{}
	for _, name := range names {
		text, err := readFrom(c.log(name), 0)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if info, err := os.Stat(c.log(name)); err == nil {
			offsets[name] = info.Size()
		}
		if len(names) > 1 {
			fmt.Fprintf(w, "==> %s <==\n", c.log(name))
		}
		for _, line := range lastLines(text, lines) {
			fmt.Fprintln(w, line)
		}
	}
	if !follow {
		return nil
	}
	err = poll(ctx, 300*time.Millisecond, func() (bool, error) {
		for _, name := range names {
			text, err := readFrom(c.log(name), offsets[name])
			if err != nil {
				continue // not there yet, or just put aside
			}
			offsets[name] += int64(len(text))
			prefix := ""
			if len(names) > 1 {
				prefix = name + ": "
			}
			for line := range strings.Lines(text) {
				fmt.Fprint(w, prefix, line)
			}
		}
		return false, nil
	})
	if ctx.Err() != nil {
		return nil // Ctrl-C is how following ends
	}
	return err
}
