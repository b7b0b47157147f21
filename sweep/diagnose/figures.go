package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CPUShare is how much of its processors a server used; false if unknown.
func (s Server) CPUShare(seconds float64) (float64, bool) {
	used, ok := s.Grown["cpu_seconds"]
	if !ok || s.CPUs <= 0 || seconds <= 0 {
		return 0, false
	}
	return used / seconds / s.CPUs, true
}

// MachineCPU is how busy the processors of the server's machine were with all
// that runs on it; false if unknown.
func (s Server) MachineCPU() (float64, bool) {
	share, ok := s.Mean["machine_cpu_share"]
	return share, ok
}

// fullestCPU is the larger one of how busy the processors were with the server
// and with all that runs on its machine.
func (s Server) fullestCPU(seconds float64) (share float64, known bool) {
	share, known = s.CPUShare(seconds)
	machine, ok := s.MachineCPU()
	return max(share, machine), known || ok
}

// BusyHandlers is the mean share of general handlers at work.
func (s Server) BusyHandlers() float64 {
	busy, _ := s.atWork()
	if s.Sizing.Handlers <= 0 {
		return 0
	}
	return busy / float64(s.Sizing.Handlers)
}

// Waiting is how many calls waited, in all the queues for clients.
func Waiting(gauges map[string]float64) float64 {
	split := gauges["read_queue_calls"] + gauges["write_queue_calls"] + gauges["scan_queue_calls"]
	return max(gauges["general_queue_calls"], split)
}

// writesRefused reports whether a server refused or delayed writes.
func (s Server) writesRefused() bool {
	return s.Grown["blocked_requests"]+s.Grown["exceptions_region_too_busy"]+s.Grown["updates_blocked_ms"] > 0
}

// says reports whether one of the messages has all the words.
func (o Observation) says(words ...string) bool {
	for _, message := range o.Messages {
		message = strings.ToLower(message)
		all := true
		for _, word := range words {
			all = all && strings.Contains(message, strings.ToLower(word))
		}
		if all {
			return true
		}
	}
	return false
}

// idle reports whether the servers had little to do.
func (o Observation) idle() bool {
	for _, s := range o.Servers {
		if cpu, known := s.CPUShare(o.Seconds); known && cpu > 0.4 {
			return false
		}
		if machine, known := s.MachineCPU(); known && machine > FreeCPU {
			return false
		}
		if s.BusyHandlers() > 0.5 || Waiting(s.Mean) > 1 {
			return false
		}
	}
	return len(o.Servers) > 0
}

// number writes a figure for people.
func number(x float64) string {
	digits := 0
	switch a := math.Abs(x); {
	case a < 10 && a != math.Trunc(a):
		digits = 2
	case a < 100 && a != math.Trunc(a):
		digits = 1
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	sign := strings.HasPrefix(whole, "-")
	whole = strings.TrimPrefix(whole, "-")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if sign {
		whole = "-" + whole
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}

func percent(share float64) string { return number(math.Round(share*1000)/10) + " %" }

// size writes a number of bytes for people.
func size(bytes float64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB", "PB"}
	unit := 0
	for math.Abs(bytes) >= 1024 && unit < len(units)-1 {
		bytes /= 1024
		unit++
	}
	return number(bytes) + " " + units[unit]
}

// evidence writes one figure with its name.
func evidence(format string, args ...any) string { return fmt.Sprintf(format, args...) }
