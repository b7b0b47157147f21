package load

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An open loop is only as punctual as the kernel is in waking the one who
// sleeps for it. By default that adds 50 µs to every sleep, and whoever is
// running may go on for milliseconds.

// sleeper sleeps by the kernel's own high-resolution timer. It asks to be woken
// earlier by about as much as it has lately been woken too late, and looks at the
// clock for what is left. One goroutine at a time may use it.
type sleeper struct {
	lead time.Duration
}

const (
	// longestLead bounds what is spent on looking at the clock. So does that no
	// more than a quarter of a sleep may be: more would take from servers on the
	// same machine what is to be measured.
	longestLead = 100 * time.Microsecond
	leadShare   = 4
	// Three of four sleeps are to end early enough.
	leadUp, leadDown = 3 * time.Microsecond, time.Microsecond
)

func (s *sleeper) sleep(d time.Duration) {
	begin := time.Now()
	// The thread, which another sleep need not be on, may be woken at the very
	// nanosecond. It costs a tenth of a microsecond.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	lead := s.lead
	if d < leadShare*lead {
		lead = 0
	}
	t := syscall.NsecToTimespec(int64(d - lead))
	_ = syscall.Nanosleep(&t, nil) // a signal only makes it early
	if time.Since(begin) > d {
		s.lead = min(s.lead+leadUp, longestLead)
		return
	}
	s.lead = max(s.lead-leadDown, 0)
	for time.Since(begin) < d {
	}
}

// shortSlice is the least that a task can ask for. One that asks for less time
// at once than the running task gets to run as soon as it wakes (EEVDF, Linux
// 6.12; older kernels ignore it).
const shortSlice = 100 * time.Microsecond

// prompt has this process's threads run as soon as they wake, until undo is
// called. Threads that are begun meanwhile are like the one that begins them.
// It is a wish: what the kernel refuses is left as it is.
func prompt() (undo func()) {
	setSlices(shortSlice)
	return func() { setSlices(0) } // 0: the kernel's own
}

func setSlices(slice time.Duration) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		attr, err := unix.SchedGetAttr(id, 0)
		if err != nil || attr.Policy != unix.SCHED_NORMAL {
			continue
		}
		attr.Runtime = uint64(slice)
		_ = unix.SchedSetAttr(id, attr, 0)
	}
}
