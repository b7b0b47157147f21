package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The outputs in docs/advice.md are what the commands above them print in
// testdata/advice; -update writes them anew.
func TestAdvicePage(t *testing.T) {
	const path = "../docs/advice.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HBTUNE_HOME", t.TempDir())
	var b strings.Builder
	var command string
	inBlock := false
	commands := 0
	t.Chdir("testdata/advice")
	for line := range strings.Lines(string(page)) {
		switch {
		case strings.HasPrefix(line, "```console"):
			inBlock = true
		case inBlock && strings.HasPrefix(line, "$ hbtune "):
			command = strings.TrimSpace(strings.TrimPrefix(line, "$ hbtune "))
			b.WriteString(line)
			var out bytes.Buffer
			run(t.Context(), strings.Fields(command), Stdio{In: strings.NewReader(""), Out: &out, Err: &out})
			b.Write(out.Bytes())
			commands++
			continue
		case inBlock && strings.HasPrefix(line, "```"):
			inBlock = false
		case inBlock:
			continue // what it printed before
		}
		b.WriteString(line)
	}
	t.Chdir("../..")
	if commands < 2 {
		t.Errorf("%d commands in the page", commands)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), b.String()); diff != "" {
		t.Errorf("docs/advice.md is not what hbtune prints; run this test with -update:\n%s", diff)
	}
}
