package cmd

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden files and transcripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hbtune": func() { os.Exit(Main(os.Args[1:], Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})) },
	})
}

// TestScript runs the transcripts of testdata/script: what a user types and
// what hbtune answers, without an HBase.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HBTUNE_HOME", e.WorkDir+"/home")
			return nil
		},
	})
}
