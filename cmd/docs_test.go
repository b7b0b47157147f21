package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentedAnalyses runs every console example of docs/decides.md where the
// published tables are: each line shown has to come out, in that order. A line
// "…" stands for whatever lies between.
func TestDocumentedAnalyses(t *testing.T) {
	page, err := os.ReadFile("../docs/decides.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", "analyze", "testdata"))
	blocks := strings.Split(string(page), "```console\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no example")
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		var shown []string
		command := ""
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if rest, ok := strings.CutPrefix(line, "$ hbtune "); ok {
				command = rest
			} else if line != "…" && line != "" {
				shown = append(shown, line)
			}
		}
		var out, errs bytes.Buffer
		if code := Main(words(command), Stdio{Out: &out, Err: &errs}); code != 0 {
			t.Errorf("hbtune %s: exit %d, %s", command, code, errs.String())
			continue
		}
		rest := out.String()
		for _, line := range shown {
			_, after, found := strings.Cut(rest, line)
			if !found {
				t.Errorf("hbtune %s does not print (or not there) %q; it prints\n%s", command, line, out.String())
				break
			}
			rest = after
		}
	}
}

// words splits a command line; single quotes keep blanks.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
