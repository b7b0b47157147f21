package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"hbtune/sweep/hbase"
	"hbtune/sweep/load"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

func TestLoadRefusesBadInputWithItsCode(t *testing.T) {
	t.Setenv("HBTUNE_HOME", t.TempDir())
	t.Setenv("HBASE_CONF_DIR", "")
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

func TestRealLoadCommand(t *testing.T) {
	cluster := localtest.Cluster(t)
	const table = "load_command"
	zk := cluster.ZooKeeper()
	tidy := func() { dropTables(t, zk, table, table+"_w", "load_theirs") }
	tidy()
	defer tidy()
	command := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		args = append([]string{"load", "--zk", cluster.ZooKeeper(), "--records", "5000", "--value-bytes", "100", "--threads", "4", "--duration", "3s", "--warmup-cap", "5s"}, args...)
		code = run(t.Context(), args, Stdio{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
		return code, stdout.String(), stderr.String()
	}

	code, out, errs := command("--table", table, "--preset", "mixed", "--read-share", "0.7", "--verify", "--json")
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var m trial.Measurement
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("not one JSON document: %v: %s", err, out)
	}
	if m.Operations == 0 || m.Throughput == 0 || m.Ops["read"].Count == 0 || m.Ops["put"].Count == 0 || len(m.Errors) > 0 || m.NotFound > 0 || m.Hit.Lookups == 0 {
		t.Errorf("measurement %+v", m)
	}
	code, out, errs = command("--table", table, "--preset", "get")
	if code != exitDone || !strings.Contains(out, "operations/s") || !strings.Contains(errs, "holds 5000 rows already") {
		t.Errorf("exit code %d: %s, %s", code, out, errs)
	}
	if code, _, errs = command("--table", table, "--preset", "get", "--hit", "0.5"); code != exitBadInput || !strings.Contains(errs, "load at least") {
		t.Errorf("a hit rate out of reach: exit code %d: %s", code, errs)
	}

	// A table of somebody else's is refused.
	client, err := hbase.Dial(t.Context(), hbase.Config{Quorum: zk})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	tables, _ := load.OpenHBase(client, nil)
	if err := tables.Create(t.Context(), "load_theirs", nil, nil); err != nil {
		t.Fatal(err)
	}
	if code, _, errs = command("--table", "load_theirs", "--preset", "get"); code != exitBadInput || !strings.Contains(errs, "not made by hbtune") {
		t.Errorf("a foreign table: exit code %d: %s", code, errs)
	}
}

// dropTables drops those of the tables that are there.
func dropTables(t *testing.T, zk string, names ...string) {
	t.Helper()
	ctx := context.Background() // the test's own may have ended
	client, err := hbase.Dial(ctx, hbase.Config{Quorum: zk})
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	tables, _ := load.OpenHBase(client, nil)
	for _, name := range names {
		if _, found, err := tables.Describe(ctx, name); err != nil {
			t.Error(err)
		} else if found {
			if err := tables.Drop(ctx, name); err != nil {
				t.Error(err)
			}
		}
	}
}
