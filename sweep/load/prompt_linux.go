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

// preciseSleep sleeps by the kernel's own high-resolution timer.
func preciseSleep(d time.Duration) {
	// The thread, which another sleep need not be on, may be woken at the very
	// nanosecond. It costs a tenth of a microsecond.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal only makes the caller look earlier
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
