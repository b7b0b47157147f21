package diagnose

import "fmt"

// Resource is one thing of a server, and whether it was at its limit.
type Resource struct {
	Name   string // "handlers"
	Figure string // "30 of 30 busy"
	Full   bool
}

func (r Resource) String() string { return r.Name + " (" + r.Figure + ")" }

// Saturation judges what is known of a server over a window, or of several as
// one (hbaseconf.Sizing.Times). Queues and blocked writes are listed only where
// there is something to say of them.
func (s Server) Saturation(seconds float64) []Resource {
	var list []Resource
	add := func(full bool, name, format string, args ...any) {
		list = append(list, Resource{Name: name, Figure: fmt.Sprintf(format, args...), Full: full})
	}
	if busy, known := s.atWork(); known && s.Sizing.Handlers > 0 {
		add(s.BusyHandlers() >= FullHandlers, "handlers", "%s of %d busy", number(busy), s.Sizing.Handlers)
	}
	servers := float64(max(s.Servers, 1))
	if waiting := Waiting(s.Mean); waiting >= servers {
		add(true, "the call queue", "%s calls waiting", number(waiting))
	}
	if used, known := s.Grown["cpu_seconds"]; known && used > 0 && seconds > 0 {
		share, ofAll := s.CPUShare(seconds)
		switch machine, known := s.MachineCPU(); {
		case ofAll && known:
			add(max(share, machine) >= FullCPU, "CPU", "%s of %s cores, the machine %s busy", number(used/seconds), number(s.CPUs), percent(machine))
		case ofAll:
			add(share >= FullCPU, "CPU", "%s of %s cores", number(used/seconds), number(s.CPUs))
		default:
			add(false, "CPU", "%s cores used", number(used/seconds))
		}
	}
	if ms, known := s.Grown["gc_ms"]; known && seconds > 0 {
		add(ms/1000/seconds/servers >= MuchGC, "garbage collection", "%s of the time", percent(ms/1000/seconds/servers))
	}
	if share := s.blocked(seconds); share >= MuchBlocked {
		add(true, "the memstore", "updates blocked %s of the time", percent(share))
	}
	if n, known := s.Last["compaction_queue"]; known {
		add(n >= servers, "compaction", "%s waiting", number(n))
	}
	if n := s.Last["flush_queue"]; n >= servers {
		add(true, "flushing", "%s waiting", number(n))
	}
	return list
}

// atWork is how many general handlers were at work on average.
func (s Server) atWork() (float64, bool) {
	busy, known := s.Mean["active_general_handlers"]
	if !known {
		busy, known = s.Mean["active_handlers"]
	}
	return busy, known
}

// blocked is the share of the time in which all writes of a server stood still.
func (s Server) blocked(seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return s.Grown["updates_blocked_ms"] / 1000 / seconds / float64(max(s.Servers, 1))
}

// collecting is the share of the time that went into garbage collection.
func (s Server) collecting(seconds float64) float64 {
	return s.Grown["gc_ms"] / 1000 / max(seconds, 1) / float64(max(s.Servers, 1))
}
