package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// SetupError says that something has to be installed or freed on this machine
// before a local HBase can run. Its text is one line that ends in the way out.
type SetupError struct {
	Message string
	Err     error
}

func (e *SetupError) Error() string { return e.Message }
func (e *SetupError) Unwrap() error { return e.Err }

const (
	minJava     = 11
	installJava = "install a JDK 17 (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME"
)

// jvm is a Java that was found and asked for its version.
type jvm struct {
	path    string
	version string // "17.0.15"
	feature int    // 17
}

// findJava takes JAVA_HOME's java, else the one on the PATH.
func findJava(ctx context.Context) (jvm, error) {
	path := ""
	if home := os.Getenv("JAVA_HOME"); home != "" {
		path = filepath.Join(home, "bin", "java")
		if _, err := os.Stat(path); err != nil {
			return jvm{}, &SetupError{fmt.Sprintf("JAVA_HOME is %s, but there is no bin/java: correct it, or unset it and %s", home, installJava), err}
		}
	} else {
		found, err := exec.LookPath("java")
		if err != nil {
			return jvm{}, &SetupError{"java not found: " + installJava, err}
		}
		path = found
	}
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return jvm{}, &SetupError{fmt.Sprintf("%s -version failed (%v): %s", path, err, installJava), err}
	}
	version, feature, err := parseJavaVersion(string(out))
	if err != nil {
		return jvm{}, &SetupError{fmt.Sprintf("%s: %v: %s", path, err, installJava), err}
	}
	if feature < minJava {
		return jvm{}, &SetupError{fmt.Sprintf("%s is Java %d, and HBase here needs %d or newer: %s", path, feature, minJava, installJava), nil}
	}
	return jvm{path: path, version: version, feature: feature}, nil
}

var javaVersion = regexp.MustCompile(`version "((?:1\.)?(\d+)[\w.+-]*)`)

// parseJavaVersion reads the version and the feature release out of what
// `java -version` prints: 8 for "1.8.0_392", 17 for "17.0.15".
func parseJavaVersion(text string) (version string, feature int, err error) {
	m := javaVersion.FindStringSubmatch(text)
	if m == nil {
		return "", 0, errors.New("it does not tell its version")
	}
	feature, err = strconv.Atoi(m[2])
	return m[1], feature, err
}
