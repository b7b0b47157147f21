package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/trial"
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
	hosts    float64 // cores of the machine that they share, 0 if they do not
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
	for _, r := range v.resources() {
		if r.Full {
			full = append(full, r.String())
		} else {
			free = append(free, r.String())
		}
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

// resources judges all servers as one, by the limits that hold everywhere.
func (v servers) resources() []diagnose.Resource {
	window, number := v.mean["metrics_seconds"], int(math.Round(v.number))
	cores := v.hosts
	if cores == 0 {
		cores = v.mean["cpus"]
	}
	one := diagnose.Server{
		Servers: number, Sizing: hbaseconf.Sizing{Handlers: int64(math.Round(v.handlers * v.number))},
		CPUs: cores, Grown: v.mean, Mean: v.mean, Last: v.mean,
	}
	list := one.Saturation(window)
	if share, ok := v.mean["server_cpu"]; ok && window == 0 { // imported
		list = append(list, diagnose.Resource{Name: "CPU", Figure: percent(share), Full: share >= diagnose.FullCPU})
	}
	return list
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
