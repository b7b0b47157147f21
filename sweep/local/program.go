package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Program is a Java program of hbtune's own that runs against the jars of an
// installed HBase.
type Program struct {
	java    jvm
	runtime string // folder of the version
	classes string // folder of the compiled classes
}

// Source is what a program is made of.
type Source struct {
	Name  string
	Files map[string][]byte // Java sources by file name
	// Jars are needed besides HBase's own: Maven's group:artifact:version.
	Jars []string
}

// Compile installs the HBase that cfg names unless it is there, and compiles a
// program against its jars, once.
func Compile(ctx context.Context, cfg Config, source Source, log io.Writer) (*Program, error) {
	cfg, err := cfg.located()
	if err != nil {
		return nil, err
	}
	if cfg, err = cfg.completed(); err != nil {
		return nil, err
	}
	runtime, err := install(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	java, err := findJava(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, java.feature, source.Jars)
	for _, file := range source.names() {
		fmt.Fprintln(sum, file, len(source.Files[file]))
		sum.Write(source.Files[file])
	}
	p := &Program{java: java, runtime: runtime}
	p.classes = filepath.Join(runtime, "programs", source.Name+"-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(p.classes); err == nil {
		return p, nil
	}
	unlock, err := lock(ctx, p.classes+".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := os.Stat(p.classes); err == nil {
		return p, nil // another process was first
	}
	fmt.Fprintf(log, "compiling the %s program against HBase %s\n", source.Name, cfg.Version)
	return p, p.compile(ctx, cfg.Version, source)
}

func (s Source) names() []string { return slices.Sorted(maps.Keys(s.Files)) }

// compile makes the folder of classes and jars, which appears whole or not at all.
func (p *Program) compile(ctx context.Context, version string, source Source) error {
	javac := "javac"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		javac = filepath.Join(home, "bin", "javac")
	}
	javac, err := exec.LookPath(javac)
	if err != nil {
		return &SetupError{"javac not found, a JDK is needed and not only a JRE: " + installJava, err}
	}
	temp := p.classes + ".partial"
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return diskFault(temp, err)
	}
	for _, jar := range source.Jars {
		if err := fetch(ctx, version, jar, temp); err != nil {
			return err
		}
	}
	path := strings.Join([]string{filepath.Join(temp, "*"), filepath.Join(p.runtime, "lib", "*")}, string(filepath.ListSeparator))
	args := []string{"-nowarn", "-proc:none", "-Xlint:none", "-encoding", "UTF-8", "-cp", path, "-d", temp}
	for _, file := range source.names() {
		path := filepath.Join(temp, file)
		if err := os.WriteFile(path, source.Files[file], 0o644); err != nil {
			return diskFault(temp, err)
		}
		args = append(args, path)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, javac, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
		return fmt.Errorf("compile for the Java client: %w: %s", err, first)
	}
	return os.Rename(temp, p.classes)
}

// fetch has Maven copy a jar into a folder.
func fetch(ctx context.Context, version, jar, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return &SetupError{noMaven, err}
	}
	cmd := exec.CommandContext(ctx, mvn, "-B", "-q", "-ntp", "dependency:copy", "-Dartifact="+jar, "-DoutputDirectory="+dir)
	cmd.Dir = dir // where there is no pom.xml
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("fetching %s: %w", jar, ctx.Err())
		}
		return mavenFault("fetching "+jar, version, out.String(), err)
	}
	return nil
}

// Command runs a class of the program. The configuration folder, if one is
// given, is where the client finds its hbase-site.xml.
func (p *Program) Command(ctx context.Context, main, confDir string, args ...string) *exec.Cmd {
	path := []string{p.classes, filepath.Join(p.classes, "*")}
	if confDir != "" {
		path = append(path, confDir)
	}
	path = append(path, filepath.Join(p.runtime, "lib", "*"))
	argv := slices.Concat(openings, []string{
		"-Djava.net.preferIPv4Stack=true", "-Xmx512m", "-cp", strings.Join(path, string(filepath.ListSeparator)), main,
	}, args)
	return exec.CommandContext(ctx, p.java.path, argv...)
}
