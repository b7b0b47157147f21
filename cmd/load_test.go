package cmd

import (
	"io"
	"strings"
	"testing"
)

func TestLoadRefusesBadInputWithItsCode(t *testing.T) {
	t.Setenv("HBTUNE_HOME", t.TempDir())
	for _, args := range []string{
		"load --records 0", "load --preset scam", "load --hit 1", "load --value-bytes -1",
		"load --duration 3", "load --table=", "load", "load --zk ,",
	} {
		code := run(t.Context(), strings.Fields(args), Stdio{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
		if code != exitBadInput {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}
