package lint

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFlagsAreThoseOfTheJDK asks the installed JDK about every flag of the list.
func TestFlagsAreThoseOfTheJDK(t *testing.T) {
	if os.Getenv("HBTUNE_REAL") == "" {
		t.Skip("needs a JDK: set HBTUNE_REAL=1 to run this test")
	}
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip(err)
	}
	version, err := exec.CommandContext(t.Context(), java, "-version").CombinedOutput()
	found := regexp.MustCompile(`version "(\d+)`).FindSubmatch(version)
	if err != nil || found == nil {
		t.Fatalf("%v: %s", err, version)
	}
	major, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	for name, flag := range jvmFlags() {
		text := "-XX:+" + name
		switch {
		case name == "-Xlog":
			text = "-Xlog:gc"
		case strings.HasPrefix(name, "--"):
			text = name + "=java.base/java.lang=ALL-UNNAMED"
			if name == "--add-modules" {
				text = name + "=java.base"
			}
			if name == "--illegal-access" {
				text = name + "=permit"
			}
		case strings.HasPrefix(name, "-D"):
			text = name + "=/none"
		case strings.HasPrefix(name, "-"):
			text = name
		}
		out, _ := exec.CommandContext(t.Context(), java, text, "-version").CombinedOutput()
		unknown := strings.Contains(string(out), "Unrecognized") || strings.Contains(string(out), "is not supported")
		want := flag.until != 0 && major >= flag.until || major < flag.since
		if unknown != want {
			t.Errorf("JDK %d and %s: unknown %v, the list says %v\n%s", major, text, unknown, want, out)
		}
		if locked := strings.Contains(string(out), "UnlockExperimentalVMOptions"); locked != flag.experimental {
			t.Errorf("JDK %d and %s: experimental %v, the list says %v", major, text, locked, flag.experimental)
		}
	}
}
