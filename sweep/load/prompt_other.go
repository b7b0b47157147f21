//go:build !linux

package load

import "time"

// sleeper sleeps as Go does.
type sleeper struct{}

func (*sleeper) sleep(d time.Duration) { time.Sleep(d) }

func prompt() (undo func()) { return func() {} }
