package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/inspect"
	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
)

// TestRealInspectUnderLoad looks at a RegionServer that has one handler for eight
// threads of scans: inspect, and the load itself, must say that calls wait.
func TestRealInspectUnderLoad(t *testing.T) {
	cluster := localtest.Private(t, local.Config{HeapMB: 384})
	starve(t, cluster)
	load := func(errs *bytes.Buffer, args ...string) (int, string) {
		var out bytes.Buffer
		args = append([]string{"load", "--zk", cluster.ZooKeeper(), "--preset", "scan", "--records", "3000", "--threads", "8", "--table", "inspected", "--json"}, args...)
		return run(t.Context(), args, Stdio{In: strings.NewReader(""), Out: &out, Err: errs}), out.String()
	}
	var errs bytes.Buffer
	if code, _ := load(&errs, "--duration", "1s", "--warmup-cap", "1s"); code != exitDone { // fills the table
		t.Fatalf("exit code %d: %s", code, errs.String())
	}

	type loaded struct {
		code int
		out  string
	}
	done := make(chan loaded, 1)
	go func() {
		code, out := load(&errs, "--duration", "24s", "--warmup-cap", "2s")
		done <- loaded{code, out}
	}()
	var out, progress bytes.Buffer
	code := run(t.Context(), []string{"inspect", "--zk", cluster.ZooKeeper(), "--window", "20s", "--json"}, Stdio{In: strings.NewReader(""), Out: &out, Err: &progress})
	driven := <-done
	if driven.code != exitDone {
		t.Fatalf("load: exit code %d: %s", driven.code, errs.String())
	}
	if code != exitDone && code != exitFound {
		t.Fatalf("inspect: exit code %d: %s", code, progress.String())
	}
	var report inspect.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if len(report.Load) != 1 || report.Load[0].HandlersBusy < 0.5 || report.Load[0].CallsWaiting < 1 || report.Load[0].RequestsPerS < 1 {
		t.Errorf("load: %+v", report.Load)
	}
	namesHandlers(t, "inspect", report.Conclusions)

	var document struct{ Diagnosis []diagnose.Conclusion }
	if err := json.Unmarshal([]byte(driven.out), &document); err != nil {
		t.Fatalf("%v: %s", err, driven.out)
	}
	namesHandlers(t, "load", document.Diagnosis)
}

// starve gives the RegionServer a single handler.
func starve(t *testing.T, cluster *local.Cluster) {
	t.Helper()
	node := cluster.RegionServers()[0]
	path := filepath.Join(node.ConfDir, "hbase-site.xml")
	site, err := hbaseconf.ReadSite(path)
	if err != nil {
		t.Fatal(err)
	}
	if site, err = site.With(hbaseconf.NewSettings(hbaseconf.Setting{Name: hbaseconf.HandlerCount, Value: "1"})); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, site.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.RestartNode(t.Context(), node.Name); err != nil {
		t.Fatal(err)
	}
}

// namesHandlers wants the handlers among the conclusions: as the limit, or on a
// machine that is busy with other things too, as waiting for its processors.
func namesHandlers(t *testing.T, who string, list []diagnose.Conclusion) {
	t.Helper()
	var b strings.Builder
	if err := diagnose.WriteText(&b, list); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s:%s", who, b.String())
	for _, code := range []string{"handlers-blocked", "scans-starve-gets", "cpu-full"} {
		if c, ok := diagnose.ByCode(list, code); ok && strings.Contains(strings.Join(c.Evidence, "\n"), "of 1 handlers at work") {
			return
		}
	}
	t.Errorf("%s does not name the handlers", who)
}
