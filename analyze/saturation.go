package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// From where on something counts as saturated.
const (
	busyHandlers = 0.9  // share of the handlers
	busyCores    = 0.85 // share of the machine
	busyCollect  = 0.05 // share of the time spent collecting garbage
	busyBlocked  = 0.01 // share of the time in which updates were blocked
)

// servers is what the RegionServers said of themselves, averaged over the
// trials of one arm.
type servers struct {
	n        float64
	mean     map[string]float64
	count    map[string]float64
	handlers float64 // of one server
	number   float64 // of servers
	restart  float64 // seconds
	hosts    float64 // cores of the machine, 0 unknown
}

func (s *Set) serversOf(is func(*Sample) bool) servers {
	out := servers{mean: map[string]float64{}, count: map[string]float64{}, hosts: float64(s.cores)}
	for i := range s.Samples {
		one := &s.Samples[i]
		if !is(one) {
			continue
		}
		out.n++
		out.handlers += one.handlers
		out.number += float64(max(1, one.servers))
		out.restart += one.restart
		for name, x := range one.server {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				out.mean[name] += x
				out.count[name]++
			}
		}
		if x := one.Metrics[ServerCPU]; !math.IsNaN(x) {
			out.mean["server_cpu"] += x
			out.count["server_cpu"]++
		}
	}
	if out.n > 0 {
		out.handlers, out.number, out.restart = out.handlers/out.n, out.number/out.n, out.restart/out.n
	}
	for name := range out.mean {
		out.mean[name] /= out.count[name]
	}
	return out
}

// saturated says what was at its limit, and what was not where that is worth
// knowing; it is empty where the servers' figures are not known.
func (v servers) saturated() string {
	if v.n == 0 {
		return ""
	}
	var full, free []string
	judge := func(is bool, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); is {
			full = append(full, text)
		} else {
			free = append(free, text)
		}
	}
	if busy, ok := v.mean["active_handlers"]; ok && v.handlers > 0 {
		all := v.handlers * v.number
		judge(busy >= busyHandlers*all, "handlers (%s of %s busy)", short(busy), short(all))
	}
	waiting := v.mean["general_queue_calls"] + v.mean["read_queue_calls"] + v.mean["write_queue_calls"] + v.mean["scan_queue_calls"]
	if waiting >= v.number {
		judge(true, "the call queue (%s calls waiting)", short(waiting))
	}
	window := v.mean["metrics_seconds"]
	if cores := v.mean["cpu_seconds"] / window; window > 0 && cores > 0 {
		if v.hosts > 0 {
			judge(cores >= busyCores*v.hosts, "CPU (%s of %s cores)", short(cores), short(v.hosts))
		} else {
			judge(false, "CPU (%s cores used)", short(cores))
		}
	} else if share, ok := v.mean["server_cpu"]; ok {
		judge(share >= busyCores, "CPU (%s)", percent(share))
	}
	if ms, ok := v.mean["gc_ms"]; ok && window > 0 {
		share := ms / 1000 / window / v.number
		judge(share >= busyCollect, "garbage collection (%s of the time)", percent(share))
	}
	if ms := v.mean["updates_blocked_ms"]; window > 0 && ms/1000/window/v.number >= busyBlocked {
		judge(true, "the memstore (updates blocked %s of the time)", percent(ms/1000/window/v.number))
	}
	if n, ok := v.mean["compaction_queue"]; ok {
		judge(n >= v.number, "compaction (%s waiting)", short(n))
	}
	if n := v.mean["flush_queue"]; n >= v.number {
		judge(true, "flushing (%s waiting)", short(n))
	}
	switch {
	case len(full)+len(free) == 0:
		return ""
	case len(full) == 0:
		return "nothing on the server was at its limit: " + strings.Join(free, ", ")
	case len(free) == 0:
		return "at its limit: " + strings.Join(full, ", ")
	}
	return "at its limit: " + strings.Join(full, ", ") + "; not: " + strings.Join(free, ", ")
}

// explainServers says what was saturated with the baseline and, where something
// is recommended, with that.
func (s *Set) explainServers(out *Result) []string {
	var list []string
	base := s.serversOf(func(one *Sample) bool { return one.Arm == trial.BaselineID })
	if text := base.saturated(); text != "" {
		list = append(list, "with the baseline "+text)
	}
	if out.Verdict != Improves {
		return list
	}
	won := s.serversOf(func(one *Sample) bool { return one.Arm != trial.BaselineID && one.Settings.Equal(out.Settings) })
	if text := won.saturated(); text != "" {
		list = append(list, "with the recommended settings "+text)
	}
	if base.restart > 0 && won.restart > 0 {
		list = append(list, fmt.Sprintf("a restart takes %s s with the recommended settings, %s s with the baseline", short(won.restart), short(base.restart)))
	}
	return list
}

// memory says what a value costs of the server's memory, where its unit tells.
func memory(f Factor, base, value hbaseconf.Value) string {
	from, ok := base.Number()
	to, known := value.Number()
	if !ok || !known || from == to {
		return ""
	}
	more, by := "more", to-from
	if by < 0 {
		more, by = "less", -by
	}
	if strings.Contains(f.Unit, "heap") {
		return fmt.Sprintf("takes %s %s of the heap", percent(by), more)
	}
	return ""
}

// factorOf finds a factor by name.
func factorOf(out *Result, name string) (Factor, bool) {
	i := slices.IndexFunc(out.Factors, func(f Factor) bool { return f.Name == name })
	if i < 0 {
		return Factor{}, false
	}
	return out.Factors[i], true
}
