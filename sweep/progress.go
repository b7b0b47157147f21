package sweep

import (
	"slices"
	"time"

	"hbtune/sweep/trial"
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

// Status is where a sweep stands by its journal.
type Status struct {
	Sweep    string `json:"sweep"`
	Phase    string `json:"phase"` // explore, confirm or done
	Sessions int    `json:"sessions"`
	Planned  int    `json:"planned"`
	Trials   int    `json:"trials"`
	Failed   int    `json:"failed"`
	// LeftSeconds is the time the sessions that are left will take.
	LeftSeconds float64 `json:"left_seconds"`
	LastEvent   string  `json:"last_event,omitempty"`
}

// StatusOf reads the state of a sweep out of its records; done says that it
// came to its end.
func StatusOf(s trial.Sweep, design DesignSpec, records []trial.Record, done bool) Status {
	explore := plan(s, design)
	status := Status{Sweep: s.ID, Phase: string(trial.Explore), Planned: len(explore) + 2*s.Confirm, Trials: len(records)}
	var first, last time.Time
	for _, r := range records {
		if r.Fault != nil {
			status.Failed++
		}
		if r.Phase == trial.Confirm {
			status.Phase = string(trial.Confirm)
		}
		if first.IsZero() || r.Start.Before(first) {
			first = r.Start
		}
		if r.End.After(last) {
			last = r.End
		}
	}
	status.Sessions = len(recorded(records))
	if done {
		status.Phase, status.Planned = "done", status.Sessions
	}
	if status.Sessions > 0 {
		each := last.Sub(first).Seconds() / float64(status.Sessions)
		status.LeftSeconds = each * float64(status.Planned-status.Sessions)
	}
	return status
}
