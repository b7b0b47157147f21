package report

import (
	"strings"

	"hbtune/analyze"
)

// command is something to type.
type command struct{ What, Line string }

// commands are those that put the recommendation on the target, show that it
// is there, and take it off.
func commands(in view) []command {
	if in.Result.Verdict != analyze.Improves {
		return nil
	}
	profile := shellQuote(strings.TrimSuffix(in.Dir, "/") + "/profile.yaml")
	return []command{
		{"Apply: writes the settings, restarts what must restart, reads the running values back", "hbtune profile apply " + profile},
		{"Verify: compares the profile with what the servers run", "hbtune profile verify " + profile},
		{"Roll back: puts the original files back, byte for byte", "hbtune profile rollback"},
	}
}

// shellQuote quotes a path that a shell would take apart.
func shellQuote(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	if path != "" && strings.TrimLeftFunc(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// again are the commands that make the report and its numbers anew.
func again(in view) []string {
	dir := strings.TrimSuffix(in.Dir, "/")
	return []string{
		"hbtune report " + shellQuote(dir),
		"hbtune analyze " + shellQuote(dir) + " --json",
		"hbtune sweep -f " + shellQuote(dir+"/spec.yaml") + " --dir " + shellQuote(dir+"-again"),
	}
}
