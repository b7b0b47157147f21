package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Loading and checking some 8,000 classes takes about half of the CPU time of a
// RegionServer's start, and a sweep starts one dozens of times. The JDK can
// keep them in an archive (class data sharing), ready to be mapped. The code is
// the same, and so is what the compiler makes of it: nothing that is measured
// changes. A JVM that cannot use the archive goes on without.

const (
	// archiveJava is the first long-term release that archives without more ado.
	archiveJava = 17
	// archiveLimit bounds the making; it takes 10 to 20 seconds.
	archiveLimit = 5 * time.Minute
)

// archiveOf is the archive of a runtime for one build of Java.
func archiveOf(runtime string, java jvm) string {
	return filepath.Join(runtime, "classes-"+java.version+".jsa")
}

// classList is where the first RegionServer notes what it loads.
func (l layout) classList() string { return l.data("classes.list") }

// archiveFlags make a daemon use the archive, or gather what belongs into it.
func archiveFlags(java jvm, l layout, s *state, d *daemon) []string {
	if java.feature < archiveJava {
		return nil
	}
	archive := archiveOf(s.Runtime, java)
	if _, err := os.Stat(archive); err == nil {
		return []string{"-XX:SharedArchiveFile=" + archive}
	}
	if d == s.ofRole(regionServer)[0] {
		return []string{"-XX:DumpLoadedClassList=" + l.classList()}
	}
	return nil
}

// makeArchive makes the archive if the cluster's first RegionServer has been
// started without. All starts from then on gain by it.
func (c *Cluster) makeArchive(ctx context.Context, s *state, log io.Writer) error {
	java, err := findJava(ctx)
	if err != nil || java.feature < archiveJava {
		return err
	}
	archive := archiveOf(s.Runtime, java)
	if _, err := os.Stat(archive); err == nil {
		return nil
	}
	classes, err := os.ReadFile(c.classList())
	if err != nil {
		return nil // started with an archive that is gone since: next time
	}
	unlock, err := lock(ctx, archive+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(archive); err == nil {
		return nil
	}
	fmt.Fprintln(log, "preparing faster starts (once, 10 to 20 seconds)")
	// The server still writes its list: without the last line, which may be half.
	list := archive + ".list"
	complete := classes[:strings.LastIndexByte(string(classes), '\n')+1]
	if err := os.WriteFile(list, complete, 0o644); err != nil {
		return diskFault(s.Runtime, err)
	}
	defer os.Remove(list)
	temp := archive + ".partial"
	defer os.Remove(temp)
	ctx, cancel := context.WithTimeout(ctx, archiveLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, java.path, "-Xshare:dump", "-Xlog:disable", "-Xlog:all=error:stderr", "-XX:SharedClassListFile="+list,
		"-XX:SharedArchiveFile="+temp, "-XX:+UseG1GC", "-Xmx512m", "-cp", jars(s))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGKILL) }
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("java -Xshare:dump: %w: %s", err, strings.Join(lastLines(string(out), 1), ""))
	}
	return os.Rename(temp, archive)
}
