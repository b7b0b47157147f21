package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestParseJavaVersion(t *testing.T) {
	type java struct {
		version string
		feature int
	}
	for text, want := range map[string]java{
		`openjdk version "17.0.15" 2025-04-15`:                       {"17.0.15", 17},
		`java version "1.8.0_392"`:                                   {"1.8.0_392", 8},
		"Picked up JAVA_TOOL_OPTIONS: -Xx\nopenjdk version \"21\" 2": {"21", 21},
		`openjdk version "11-ea"`:                                    {"11-ea", 11},
	} {
		version, feature, err := parseJavaVersion(text)
		if got := (java{version, feature}); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	if _, _, err := parseJavaVersion("sh: java: not here"); err == nil {
		t.Error("a version out of nothing")
	}
}

func TestFindJava(t *testing.T) {
	m := newMachine(t)
	setupError := func(what string, parts ...string) {
		t.Helper()
		_, err := findJava(within(t))
		var setup *SetupError
		if !errors.As(err, &setup) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", what, err)
			return
		}
		for _, part := range append(parts, "openjdk-17-jdk-headless") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q is not in: %v", what, part, err)
			}
		}
	}
	if java, err := findJava(within(t)); err != nil || java.feature != 17 || java.path != filepath.Join(m.dir, "jdk/bin/java") {
		t.Errorf("%+v, %v", java, err)
	}
	m.script(t, "jdk/bin/java", `echo 'java version "1.8.0_1"' >&2`)
	setupError("old", "Java 8")
	m.script(t, "jdk/bin/java", "exit 3")
	setupError("broken", "exit status 3")
	t.Setenv("JAVA_HOME", "/no/such")
	setupError("wrong JAVA_HOME", "JAVA_HOME", "/no/such")
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", m.dir)
	setupError("none", "java not found")
}

func TestInstall(t *testing.T) {
	m := newMachine(t)
	for range 2 {
		if err := Install(within(t), m.cfg, new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	}
	if calls, _ := os.ReadFile(filepath.Join(m.dir, "mvn-calls")); len(calls) != 2 {
		t.Errorf("maven ran %d times, want once", len(calls)/2)
	}
	text, err := os.ReadFile(filepath.Join(m.cfg.Home, "runtimes", DefaultVersion, "pom.xml"))
	if err != nil || !strings.Contains(string(text), "<version>"+DefaultVersion+"</version>") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInstallFails(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		want   []string
	}{
		"disk full": {`echo "[ERROR] Failed to copy artifact: /x/lib/a.jar: No space left on device"; exit 1`, []string{"disk is full"}},
		"network":   {`echo "[ERROR] Could not transfer artifact a:b:c: repo.example: Unknown host repo.example"; exit 1`, []string{"network"}},
		"version":   {`echo "[ERROR] Could not find artifact org.apache.hbase:hbase-server:jar:9.9.9"; exit 1`, []string{"9.9.9", DefaultVersion}},
		"other":     {`echo "noise"; echo "[ERROR] Something else."; exit 1`, []string{"Something else."}},
		"silent":    {`exit 1`, []string{"exit status 1"}},
		"nothing":   {`exit 0`, []string{"no hbase-server jar"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.script(t, "bin/mvn", test.script)
			m.cfg.Version = "9.9.9"
			err := Install(within(t), m.cfg, new(bytes.Buffer))
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			left, _ := filepath.Glob(filepath.Join(m.cfg.Home, "runtimes", "*"))
			if len(left) != 1 || !strings.HasSuffix(left[0], ".lock") {
				t.Errorf("a failed installation left %v", left)
			}
		})
	}
}

func TestNoMaven(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", m.dir)
	err := Install(within(t), m.cfg, new(bytes.Buffer))
	var setup *SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "apt-get install maven") {
		t.Errorf("got %v", err)
	}
}

func TestDiskFault(t *testing.T) {
	full := fmt.Errorf("writing: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	err := diskFault("/home", full)
	var setup *SetupError
	if !errors.As(err, &setup) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "HBTUNE_HOME") {
		t.Errorf("got %v", err)
	}
	other := errors.New("other")
	if diskFault("/home", other) != other || diskFault("/home", nil) != nil {
		t.Error("other errors are not to change")
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, cfg := range []Config{
		{Name: "../x"}, {Version: "a b"}, {RegionServers: -1}, {RegionServers: 17}, {HeapMB: 3}, {Storage: "s3"},
	} {
		cfg.Home = t.TempDir()
		_, err := Up(within(t), cfg, new(bytes.Buffer))
		var input *InputError
		if !errors.As(err, &input) {
			t.Errorf("%+v: got %v", cfg, err)
		}
		if left, _ := os.ReadDir(cfg.Home); len(left) != 0 {
			t.Errorf("%+v: refused, but left %v", cfg, left)
		}
	}
}

func TestCanonicalVersion(t *testing.T) {
	for in, want := range map[string]string{
		"2.6.4": "2.6.4-hadoop3", "2.5.13": "2.5.13-hadoop3", "2.4.18": "2.4.18",
		"2.6.4-hadoop3": "2.6.4-hadoop3", "3.0.0-alpha-4": "3.0.0-alpha-4",
	} {
		if got := canonicalVersion(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzParseState(f *testing.F) {
	s := newState(Config{Version: DefaultVersion, RegionServers: 2, Storage: StorageHDFS})
	if err := assignPorts(s); err != nil {
		f.Fatal(err)
	}
	dir := f.TempDir()
	if err := s.write(dir); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseState("cluster.json", data)
		if err != nil {
			return
		}
		if s.ofRole(master)[0].Name == "" {
			t.Error("a daemon without a name")
		}
	})
}

func TestPortsDiffer(t *testing.T) {
	s := newState(Config{RegionServers: 5, Storage: StorageHDFS})
	if err := assignPorts(s); err != nil {
		t.Fatal(err)
	}
	seen := map[int]string{}
	for i := range s.Daemons {
		for _, port := range s.Daemons[i].ports() {
			if other := seen[port]; other != "" || port < lowestPort || port >= highestPort {
				t.Errorf("port %d of %s (also %q)", port, s.Daemons[i].Name, other)
			}
			seen[port] = s.Daemons[i].Name
		}
	}
}
