package sweep

import (
	"slices"
	"time"
)

// Progress is where a sweep stands before a session begins.
type Progress struct {
	Session Session
	Total   int // sessions planned, the confirmation included
	Elapsed time.Duration
	// Left is what the rest will take by the sessions so far, at most what is
	// left of the budget; zero while nothing was measured.
	Left time.Duration
}

func (e *Engine) report(s Session) {
	if e.Progress == nil {
		return
	}
	elapsed := e.Now().Sub(e.Began)
	left := e.typical() * time.Duration(e.planned-s.Order+1)
	e.Progress(Progress{Session: s, Total: e.planned, Elapsed: elapsed, Left: min(left, e.Budget-elapsed)})
}

// affords says whether that many more sessions fit into the budget. The first
// session always does: only then is it known what one takes.
func (e *Engine) affords(sessions int) bool {
	return e.Now().Sub(e.Began)+e.typical()*time.Duration(sessions) <= e.Budget
}

// typical is the median time of a session in this run.
func (e *Engine) typical() time.Duration {
	if len(e.spent) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(e.spent))
	return sorted[len(sorted)/2]
}
