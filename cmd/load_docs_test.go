package cmd

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/sweep/local/localtest"
)

// documentedLoads are the commands of docs/loads.md, without the program's name
// and that of the command.
func documentedLoads(t *testing.T) [][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/loads.md")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	shell := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			shell = line == "```sh"
		case shell && strings.HasPrefix(line, "hbtune load"):
			all = append(all, strings.Fields(line)[2:])
		case shell:
			t.Errorf("an example that is no load: %s", line)
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d examples were found", len(all))
	}
	return all
}

// inDocumentedFolder goes where a documented workload file lies.
func inDocumentedFolder(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../sweep/load/testdata/ycsb/workloada")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("workloada", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDocumentedLoadsAreValid(t *testing.T) {
	examples := documentedLoads(t)
	inDocumentedFolder(t)
	for _, args := range examples {
		o := &loadOptions{}
		c := newLoadWith(&env{}, o)
		c.Flags().Bool("json", false, "")
		if err := c.ParseFlags(args); err != nil {
			t.Errorf("%v: %v", args, err)
			continue
		}
		if err := o.complete(c.Flags().Changed); err != nil && !o.list {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestRealDocumentedLoads runs the examples, small and short. Those about a hit
// rate want more rows than a test loads, and are run by tests of sweep/load.
func TestRealDocumentedLoads(t *testing.T) {
	cluster := localtest.Cluster(t)
	examples := documentedLoads(t)
	inDocumentedFolder(t)
	for _, args := range examples {
		line := strings.Join(args, " ")
		if strings.Contains(line, "--suite") || strings.Contains(line, "--working-set") || strings.Contains(line, "--hit ") || strings.Contains(line, "java") {
			continue
		}
		// The last one of a flag counts.
		short := append([]string{"load"}, args...)
		short = append(short, "--zk", cluster.ZooKeeper(), "--table", "load_docs", "--records", "2000", "--duration", "1s", "--warmup-cap", "2s")
		var out, errs bytes.Buffer
		if code := run(t.Context(), short, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs}); code != exitDone {
			t.Errorf("%s: exit code %d: %s", line, code, errs.String())
		}
		if out.Len() == 0 {
			t.Errorf("%s: no output", line)
		}
	}
	if text, err := os.ReadFile("a.hlog"); err != nil || !bytes.Contains(text, []byte("Tag=read,")) {
		t.Errorf("a.hlog: %v: %.300s", err, text)
	}
	dropTables(t, cluster.ZooKeeper(), "load_docs", "load_docs_w")
}

// TestRealWorkloadFiles runs YCSB's six core workloads from their files, and has
// hbtune read what it printed of them.
func TestRealWorkloadFiles(t *testing.T) {
	cluster := localtest.Cluster(t)
	for _, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{
			"load", "--workload", "../sweep/load/testdata/ycsb/workload" + letter, "--zk", cluster.ZooKeeper(), "--table", "load_ycsb",
			"--records", "3000", "--threads", "4", "--duration", "1s", "--warmup-cap", "2s", "--verify", "--format", "ycsb",
		}, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
		if code != exitDone {
			t.Fatalf("workload%s: exit code %d: %s", letter, code, errs.String())
		}
		if strings.Contains(out.String(), "[ERROR]") || strings.Contains(out.String(), "NOT_FOUND") || !strings.Contains(errs.String(), "operationcount does nothing here") {
			t.Errorf("workload%s: %s, %s", letter, out.String(), errs.String())
		}
		file := filepath.Join(t.TempDir(), "workload"+letter+".txt")
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		code = run(t.Context(), []string{"analyze", "--import", "ycsb", file}, Stdio{In: strings.NewReader(""), Out: io.Discard, Err: &errs})
		if code != exitDone && code != exitFound {
			t.Errorf("workload%s: not understood by hbtune analyze: %d: %s", letter, code, errs.String())
		}
	}
	dropTables(t, cluster.ZooKeeper(), "load_ycsb")
}
