package local

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const noMaven = "maven not found: install it (Debian: apt-get install maven)"

// canonicalVersion lets people leave out the flavour: the plain 2.5 and 2.6
// artifacts are built against Hadoop 2, which current JDKs no longer run well.
func canonicalVersion(v string) string {
	if (strings.HasPrefix(v, "2.5.") || strings.HasPrefix(v, "2.6.")) && !strings.Contains(v, "-") {
		return v + "-hadoop3"
	}
	return v
}

// isHBase1 reports a version before 2.0.
func isHBase1(version string) bool { return strings.HasPrefix(version, "1.") }

// artifacts are those that bring all of the servers with them.
func artifacts(version string) []string {
	if isHBase1(version) {
		return []string{"hbase-server"}
	}
	return []string{"hbase-server", "hbase-zookeeper"}
}

// Install puts one version of HBase and all it needs into the runtimes folder,
// unless it is there. The folder appears whole or not at all, and calls at the
// same time wait for each other.
func Install(ctx context.Context, cfg Config, log io.Writer) error {
	cfg, err := cfg.located()
	if err != nil {
		return err
	}
	if cfg, err = cfg.completed(); err != nil {
		return err
	}
	_, err = install(ctx, cfg, log)
	return err
}

// runtimeDir is where a version is installed.
func (c Config) runtimeDir() string { return filepath.Join(c.Runtimes, c.Version) }

func install(ctx context.Context, cfg Config, log io.Writer) (dir string, err error) {
	dir = cfg.runtimeDir()
	if _, err := os.Stat(filepath.Join(dir, "lib")); err == nil {
		return dir, nil
	}
	if _, err := findJava(ctx); err != nil {
		return "", err
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", &SetupError{noMaven, err}
	}
	if err := os.MkdirAll(cfg.Runtimes, 0o755); err != nil {
		return "", diskFault(cfg.Runtimes, err)
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, "lib")); err == nil {
		return dir, nil // another process was first
	}
	fmt.Fprintf(log, "installing HBase %s into %s (about 120 MB, once)\n", cfg.Version, dir)
	temp := dir + ".partial"
	if err := os.RemoveAll(temp); err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	if err := fill(ctx, mvn, cfg.Version, temp); err != nil {
		return "", diskFault(cfg.Runtimes, err)
	}
	if err := os.RemoveAll(dir); err != nil { // a folder without lib: left by hand
		return "", err
	}
	return dir, os.Rename(temp, dir)
}

// fill makes a runtime folder: lib with the jars and web with the folders that
// the servers' web pages insist on.
func fill(ctx context.Context, mvn, version, dir string) error {
	if err := writeWeb(filepath.Join(dir, "web")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), pom(version), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, mvn, "-B", "-q", "-ntp", "-f", filepath.Join(dir, "pom.xml"),
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+filepath.Join(dir, "lib"))
	// Maven starts a JVM of its own: interrupt it, so that it removes its
	// partial downloads, and kill it only if it lingers.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("installing HBase %s: %w", version, ctx.Err())
		}
		return mavenFault("installing HBase "+version, version, out.String(), err)
	}
	jars, err := filepath.Glob(filepath.Join(dir, "lib", "hbase-server-*.jar"))
	if err != nil {
		return err
	}
	if len(jars) == 0 {
		return fmt.Errorf("installing HBase %s: maven copied no hbase-server jar", version)
	}
	return nil
}

// pom lists what the daemons need. servlet-api 2.5, which HBase 2.4 brings
// along, hides the servlet classes that its own web server is built on.
func pom(version string) []byte {
	type exclusion struct {
		GroupID    string `xml:"groupId"`
		ArtifactID string `xml:"artifactId"`
	}
	type dependency struct {
		GroupID    string      `xml:"groupId"`
		ArtifactID string      `xml:"artifactId"`
		Version    string      `xml:"version"`
		Exclusions []exclusion `xml:"exclusions>exclusion,omitempty"`
	}
	type project struct {
		XMLName      xml.Name     `xml:"http://maven.apache.org/POM/4.0.0 project"`
		ModelVersion string       `xml:"modelVersion"`
		GroupID      string       `xml:"groupId"`
		ArtifactID   string       `xml:"artifactId"`
		Version      string       `xml:"version"`
		Packaging    string       `xml:"packaging"`
		Dependencies []dependency `xml:"dependencies>dependency"`
	}
	p := project{ModelVersion: "4.0.0", GroupID: "hbtune", ArtifactID: "runtime", Version: "1", Packaging: "pom"}
	for _, artifact := range artifacts(version) {
		p.Dependencies = append(p.Dependencies, dependency{
			"org.apache.hbase", artifact, version,
			[]exclusion{{"javax.servlet", "servlet-api"}},
		})
	}
	text, err := xml.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // plain structs of strings
	}
	return append(text, '\n')
}

// mavenFault turns Maven's pages of output into one line; task says what it was
// to do.
func mavenFault(task, version, out string, err error) error {
	switch {
	case strings.Contains(out, "No space left on device"):
		return &SetupError{task + ": the disk is full: free about 300 MB in HBTUNE_HOME and in Maven's ~/.m2", syscall.ENOSPC}
	case strings.Contains(out, "Could not find artifact org.apache.hbase:"):
		return &SetupError{fmt.Sprintf("HBase %s is not on Maven Central: use a version such as %s, 2.5.13-hadoop3, 2.4.18 or 3.0.0-alpha-4", version, DefaultVersion), err}
	case containsAny(out, "UnknownHostException", "Unknown host", "Connection refused", "Connect timed out", "connect timed out",
		"Network is unreachable", "Temporary failure in name resolution", "Read timed out", "Connection reset"):
		return &SetupError{task + ": Maven cannot reach its repository: check the network and the proxy in ~/.m2/settings.xml", err}
	}
	return &SetupError{fmt.Sprintf("%s: maven failed: %s", task, firstError(out, err)), err}
}

// firstError is Maven's first error line without its decoration.
func firstError(out string, err error) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "[ERROR]"); found && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return err.Error()
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// diskFault makes "disk full" plain wherever it comes from.
func diskFault(dir string, err error) error {
	var setup *SetupError
	if errors.Is(err, syscall.ENOSPC) && !errors.As(err, &setup) {
		return &SetupError{fmt.Sprintf("the disk is full: free some space for %s, or set HBTUNE_HOME to another disk", dir), err}
	}
	return err
}

// lock takes a lock between processes, waiting until ctx ends.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, diskFault(path, err)
	}
	l := flock.New(path)
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another hbtune to release %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
}
