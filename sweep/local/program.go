package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is a Java program of hbtune's own that runs against the jars of an
// installed HBase.
type Program struct {
	java    jvm
	runtime string // folder of the version
	classes string // folder of the compiled classes
}

// Compile installs the HBase that cfg names unless it is there, and compiles Java
// sources, by file name, against its jars, once.
func Compile(ctx context.Context, cfg Config, name string, sources map[string][]byte, log io.Writer) (*Program, error) {
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
	files := make([]string, 0, len(sources))
	for file := range sources {
		files = append(files, file)
	}
	slices.Sort(files)
	sum := sha256.New()
	fmt.Fprintln(sum, java.feature)
	for _, file := range files {
		fmt.Fprintln(sum, file, len(sources[file]))
		sum.Write(sources[file])
	}
	p := &Program{java: java, runtime: runtime}
	p.classes = filepath.Join(runtime, "programs", name+"-"+hex.EncodeToString(sum.Sum(nil)[:8]))
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
	fmt.Fprintf(log, "compiling the %s program against HBase %s\n", name, cfg.Version)
	return p, p.compile(ctx, files, sources)
}

// compile makes the folder of classes, which appears whole or not at all.
func (p *Program) compile(ctx context.Context, files []string, sources map[string][]byte) error {
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
	args := []string{"-nowarn", "-proc:none", "-Xlint:none", "-encoding", "UTF-8", "-cp", filepath.Join(p.runtime, "lib", "*"), "-d", temp}
	for _, file := range files {
		path := filepath.Join(temp, file)
		if err := os.WriteFile(path, sources[file], 0o644); err != nil {
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

// Command runs a class of the program. The configuration folder, if one is
// given, is where the client finds its hbase-site.xml.
func (p *Program) Command(ctx context.Context, main, confDir string, args ...string) *exec.Cmd {
	path := []string{p.classes}
	if confDir != "" {
		path = append(path, confDir)
	}
	path = append(path, filepath.Join(p.runtime, "lib", "*"))
	argv := slices.Concat(openings, []string{
		"-Djava.net.preferIPv4Stack=true", "-Xmx512m", "-cp", strings.Join(path, string(filepath.ListSeparator)), main,
	}, args)
	return exec.CommandContext(ctx, p.java.path, argv...)
}
