package local

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each log under testdata/logs is a daemon's that ended at its start; beside it
// stands the reason that is to be found in it.
func TestReason(t *testing.T) {
	logs, err := filepath.Glob("testdata/logs/*.log")
	if err != nil || len(logs) == 0 {
		t.Fatal("no logs", err)
	}
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := reason(string(text)) + "\n"
			golden := strings.TrimSuffix(path, ".log") + ".reason"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got  %swant %s", got, want)
			}
		})
	}
}

func TestReasonOfOddLogs(t *testing.T) {
	for log, want := range map[string]string{
		"":                                      "no word",
		"something\n":                           "something",
		"Unrecognized VM option 'UseFoo'\nmore": "Unrecognized VM option 'UseFoo'",
		"Error: Could not find or load main class X\n": "main class X",
	} {
		if got := reason(log); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: %q", log, got)
		}
	}
}

func FuzzReason(f *testing.F) {
	logs, _ := filepath.Glob("testdata/logs/*.log")
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, log string) {
		if got := reason(log); got == "" || strings.ContainsAny(got, "\n") {
			t.Errorf("%q", got)
		}
	})
}
