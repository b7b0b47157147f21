package load

import (
	"syscall"
	"time"
)

// preciseSleep sleeps by the kernel's own high-resolution timer.
func preciseSleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // a signal only makes the caller look earlier
}
