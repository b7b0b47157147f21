package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	gops "github.com/shirou/gopsutil/v4/process"
)

// process names one process beyond doubt: a pid alone is soon another's.
type process struct {
	PID int `json:"pid,omitempty"`
	// StartedMillis is when the system says that it began.
	StartedMillis int64 `json:"started_ms,omitempty"`
	// Stopping says that it was told to end. Whoever told it may have been killed
	// since: what still runs is on its way out all the same.
	Stopping bool `json:"stopping,omitempty"`
	// How it ended, where it was a child of this very program.
	exited   bool
	exitCode int
	signal   syscall.Signal // that ended it; 0 if none did
}

// clockSlack allows for systems on which the start of a process is reckoned
// from a boot time that moves when the clock is set. The mark does the rest.
const clockSlack = 60_000

// mark is the argument by which a daemon's process is told from all others.
func mark(dir, name string) string { return "-Dhbtune.daemon=" + dir + "#" + name }

// find returns the process if it runs and is the one meant.
func (p *process) find(mark string) *gops.Process {
	if p.PID <= 0 {
		return nil
	}
	p.reap()
	proc, err := gops.NewProcess(int32(p.PID))
	if err != nil {
		return nil
	}
	created, err := proc.CreateTime()
	if err != nil || created < p.StartedMillis-clockSlack || created > p.StartedMillis+clockSlack {
		return nil
	}
	// The arguments are read once: a second look might see another program.
	args, err := proc.CmdlineSlice()
	if err != nil || !slices.Contains(args, mark) && !(len(args) == 0 && isBetween(proc)) {
		return nil
	}
	return proc
}

// isBetween reports whether a process that shows no arguments is just becoming
// another program, as launchers of Java do. One that has ended and awaits its
// parent has none either.
func isBetween(proc *gops.Process) bool {
	status, err := proc.Status()
	return err == nil && !slices.Contains(status, gops.Zombie)
}

// reap takes the exit status of a child of this very program, so that it does
// not linger as a zombie, and tells whether it may yet end as one. It does
// nothing for processes that an earlier call started.
func (p *process) reap() (pending bool) {
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(p.PID, &status, syscall.WNOHANG, nil)
	if err == nil && pid == p.PID {
		p.exited, p.exitCode = true, status.ExitStatus()
		if status.Signaled() {
			p.signal = status.Signal()
		}
	}
	return err == nil && pid == 0
}

// findMarked looks through all processes for the daemons of a cluster, by name:
// those, too, that were started by a call that was killed before it could write
// the pid down.
func findMarked(dir string) map[string]process {
	found := map[string]process{}
	all, err := gops.Processes()
	if err != nil {
		return found
	}
	prefix := mark(dir, "")
	for _, proc := range all {
		args, err := proc.CmdlineSlice()
		if err != nil {
			continue
		}
		i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, prefix) })
		if i < 0 {
			continue
		}
		if created, err := proc.CreateTime(); err == nil {
			found[strings.TrimPrefix(args[i], prefix)] = process{PID: int(proc.Pid), StartedMillis: created}
		}
	}
	return found
}

// launch starts a program in a session of its own, so that neither the end of
// this program nor a Ctrl-C in its terminal ends it too. Its output is appended
// to logPath.
func launch(argv []string, dir, logPath string) (process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return process{}, err
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return process{}, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	p := process{PID: cmd.Process.Pid}
	_ = cmd.Process.Release()
	proc, err := gops.NewProcess(int32(p.PID))
	if err == nil {
		p.StartedMillis, err = proc.CreateTime()
	}
	if err != nil { // ended at once: whoever looks for it will see that
		p.StartedMillis = time.Now().UnixMilli()
	}
	return p, nil
}

// killAfter is how long a daemon may take to end by itself: a RegionServer
// writes out its memstores first.
const killAfter = 90 * time.Second

// stop ends the process in good order, or by force where it does not end.
func (p *process) stop(ctx context.Context, mark string) error {
	proc := p.find(mark)
	if proc == nil {
		return nil
	}
	if err := proc.Terminate(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping process %d: %w", p.PID, err)
	}
	patience, cancel := context.WithTimeout(ctx, killAfter)
	defer cancel()
	if p.waitEnd(patience, mark) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for process %d to stop: %w", p.PID, ctx.Err())
	}
	return p.kill(ctx, mark)
}

// kill ends the process without giving it a chance.
func (p *process) kill(ctx context.Context, mark string) error {
	proc := p.find(mark)
	if proc == nil {
		return nil
	}
	if err := proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing process %d: %w", p.PID, err)
	}
	return p.waitEnd(ctx, mark)
}

func (p *process) waitEnd(ctx context.Context, mark string) error {
	return poll(ctx, 20*time.Millisecond, func() (bool, error) { return p.find(mark) == nil, nil })
}

// poll asks until the answer is yes, an error, or ctx ends.
func poll(ctx context.Context, every time.Duration, ask func() (bool, error)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// diskIsFull tells whether next to nothing can be written in a folder.
func diskIsFull(dir string) bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return false
	}
	return fs.Bavail*uint64(fs.Bsize) < 1<<20
}
