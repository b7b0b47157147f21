//go:build campaign

package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	type loaded struct {
		code      int
		out, errs string
	}
	measuring, done := make(chan struct{}), make(chan loaded, 1)
	go func() {
		var out, errs bytes.Buffer
		tell := &onLine{Writer: &errs, word: "measuring", then: sync.OnceFunc(func() { close(measuring) })}
		code := run(t.Context(), []string{
			"load", "--zk", cluster.ZooKeeper(), "--preset", "scan", "--records", "1000", "--threads", "8", "--table", "inspected",
			"--duration", "21s", "--warmup-cap", "1s", "--json",
		}, Stdio{In: strings.NewReader(""), Out: &out, Err: tell})
		done <- loaded{code, out.String(), errs.String()}
	}()
	select {
	case <-measuring:
	case driven := <-done:
		t.Fatalf("load: exit code %d: %s", driven.code, driven.errs)
	}
	var out, progress bytes.Buffer
	code := run(t.Context(), []string{"inspect", "--zk", cluster.ZooKeeper(), "--window", "20s", "--json"}, Stdio{In: strings.NewReader(""), Out: &out, Err: &progress})
	driven := <-done
	if driven.code != exitDone {
		t.Fatalf("load: exit code %d: %s", driven.code, driven.errs)
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
	if len(report.Load) == 1 && report.Load[0].HandlersBusy < diagnose.FullHandlers {
		// A machine that is busy with other things does not bring the load up to it.
		t.Logf("the handler was at work for %.2f of the time only, which is no limit", report.Load[0].HandlersBusy)
		return
	}
	namesHandlers(t, "inspect", report.Conclusions)

	var document struct{ Diagnosis []diagnose.Conclusion }
	if err := json.Unmarshal([]byte(driven.out), &document); err != nil {
		t.Fatalf("%v: %s", err, driven.out)
	}
	namesHandlers(t, "load", document.Diagnosis)
}

// onLine calls then at the first line that has the word.
type onLine struct {
	io.Writer
	word string
	then func()
}

func (w *onLine) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(w.word)) {
		w.then()
	}
	return w.Writer.Write(text)
}

// starve gives the RegionServer a single handler, and a queue from which it takes
// calls in the plain way: the hand-over past the queue, which other types have,
// was seen to leave all calls waiting beside an idle handler where there is one
// alone and the processors are full.
func starve(t *testing.T, cluster *local.Cluster) {
	t.Helper()
	node := cluster.RegionServers()[0]
	path := filepath.Join(node.ConfDir, "hbase-site.xml")
	site, err := hbaseconf.ReadSite(path)
	if err != nil {
		t.Fatal(err)
	}
	if site, err = site.With(hbaseconf.NewSettings(
		hbaseconf.Setting{Name: hbaseconf.HandlerCount, Value: "1"},
		hbaseconf.Setting{Name: "hbase.ipc.server.callqueue.type", Value: "deadline"},
	)); err != nil {
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
