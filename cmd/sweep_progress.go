package cmd

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hbtune/sweep"
)

// sweepProgress shows a sweep on stderr: a bar with the time left on a
// terminal, a line a session elsewhere.
type sweepProgress struct {
	out   io.Writer
	began time.Time
	fancy bool
	bar   *progressbar.ProgressBar
}

func newSweepProgress(out io.Writer) *sweepProgress {
	f, ok := out.(*os.File)
	return &sweepProgress{out: out, began: time.Now(), fancy: ok && term.IsTerminal(int(f.Fd()))}
}

// Stage says what is being done outside the sessions.
func (p *sweepProgress) Stage(message string) {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.out, "%6s  %s\n", time.Since(p.began).Round(time.Second), message)
}

// Session says which session begins.
func (p *sweepProgress) Session(now sweep.Progress) {
	s := now.Session
	what := fmt.Sprintf("%s %s %s", s.Phase, s.ID, s.Variant.ID)
	if s.Variant.Settings.Len() > 0 {
		what += " (" + s.Variant.Settings.String() + ")"
	}
	if !p.fancy {
		left := ""
		if now.Left > 0 {
			left = fmt.Sprintf(", about %v left", now.Left.Round(time.Minute))
		}
		p.Stage(fmt.Sprintf("[%d/%d] %s%s", s.Order, now.Total, what, left))
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions(now.Total,
			progressbar.OptionSetWriter(p.out), progressbar.OptionFullWidth(),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true))
	}
	p.bar.Describe(what)
	_ = p.bar.Set(s.Order - 1)
}
