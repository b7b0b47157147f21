package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/hbase"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeServer answers as a server of HBase 2.6.4 did when it was recorded.
type fakeServer struct {
	URL string

	mu    sync.Mutex
	beans map[string][]map[string]any
	conf  map[string]string // in hbase-site.xml, over the recorded ones
	grow  map[string]float64
}

const (
	serverBean = "Hadoop:service=HBase,name=RegionServer,sub=Server"
	ipcBean    = "Hadoop:service=HBase,name=RegionServer,sub=IPC"
)

func newFake(t *testing.T, name, role string) *fakeServer {
	t.Helper()
	f := &fakeServer{conf: map[string]string{}, grow: map[string]float64{}}
	data, err := os.ReadFile("../metrics/testdata/2.6.4-jmx.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f.beans); err != nil {
		t.Fatal(err)
	}
	f.beans["Hadoop:service=HBase,name=JvmMetrics"] = []map[string]any{{"tag.ProcessName": role}}
	f.beans["java.lang:type=Runtime"] = []map[string]any{{"StartTime": 1_700_000_000_000, "InputArguments": []string{"-Xmx8g", "-Djavax.net.ssl.keyStorePassword=hunter2"}}}
	f.beans["java.lang:type=Memory"][0]["HeapMemoryUsage"].(map[string]any)["max"] = 8 << 30
	if role == "Master" {
		delete(f.beans, serverBean)
	} else {
		f.beans[serverBean][0]["tag.serverName"] = name
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/jmx", f.jmx)
	mux.HandleFunc("/conf", f.answerConf)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

func (f *fakeServer) jmx(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	beans := f.beans[r.URL.Query().Get("qry")]
	if beans == nil {
		beans = []map[string]any{}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"beans": beans})
}

func (f *fakeServer) answerConf(w http.ResponseWriter, _ *http.Request) {
	type property struct {
		Key      string `json:"key"`
		Value    string `json:"value"`
		Resource string `json:"resource"`
	}
	list := []property{{"hbase.defaults.for.version", "2.6.4", "hbase-default.xml"}, {"hbase.regionserver.info.port", f.URL, "hbase-site.xml"}}
	for name, value := range hbaseconf.Shipped("2.6.4").All() {
		if _, set := f.conf[name]; !set {
			list = append(list, property{name, string(value), "hbase-default.xml"})
		}
	}
	for name, value := range f.conf {
		list = append(list, property{name, value, "hbase-site.xml"})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"properties": list})
}

// tick lets counters grow as if time had passed.
func (f *fakeServer) tick(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, perS := range f.grow {
		for _, bean := range []string{serverBean, ipcBean} {
			if x, ok := f.beans[bean][0][name].(float64); ok {
				f.beans[bean][0][name] = x + perS*d.Seconds()
			}
		}
	}
}

// inspected runs an inspection with a clock of its own.
func inspected(t *testing.T, cfg Config, fakes ...*fakeServer) (*Report, error) {
	t.Helper()
	for _, f := range fakes {
		cfg.URLs = append(cfg.URLs, f.URL)
	}
	in := newInspection(cfg)
	defer in.client.CloseIdleConnections()
	now := time.Unix(1_700_000_600, 0)
	in.now = func() time.Time { return now }
	in.wait = func(ctx context.Context, d time.Duration) error {
		now = now.Add(d)
		for _, f := range fakes {
			f.tick(d)
		}
		return ctx.Err()
	}
	return in.run(t.Context())
}

func TestInspect(t *testing.T) {
	master, rs1, rs2 := newFake(t, "", "Master"), newFake(t, "a,16020,1", "RegionServer"), newFake(t, "b,16020,2", "RegionServer")
	for _, f := range []*fakeServer{master, rs1, rs2} {
		f.conf["hbase.regionserver.handler.count"] = "60"
		f.conf["hbase.hregion.memstore.block.multiplier"] = "32"
	}
	rs2.conf["hbase.regionserver.handler.count"] = "30"
	rs2.conf["hfile.block.cache.size"] = "0.40f" // another text, the same value
	rs1.grow["totalRequestCount"] = 9000
	rs2.grow["totalRequestCount"] = 10
	file, err := hbaseconf.ParseSite("hbase-site.xml", []byte(`<configuration>
<property><name>hbase.regionserver.handler.count</name><value>60</value></property>
<property><name>ssl.password</name><value>hunter2</value></property>
</configuration>`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := inspected(t, Config{Window: 30 * time.Second, File: file, FileTime: time.UnixMilli(1_600_000_000_000)}, rs1, master, rs2)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Servers) != 3 || r.Servers[0].Role != lint.Master || r.Servers[1].Name != "a,16020,1" || r.Servers[1].HeapBytes != 8<<30 || r.Servers[1].Version != "2.6.4" {
		t.Errorf("servers: %+v", r.Servers)
	}
	want := []Difference{{"hbase.regionserver.handler.count", []Value{
		{"60", "hbase-site.xml", []string{"a,16020,1"}}, {"30", "hbase-site.xml", []string{"b,16020,2"}},
	}}}
	if diff := cmp.Diff(want, r.Differences); diff != "" {
		t.Errorf("differences: %s", diff)
	}
	var drift []string
	for _, d := range r.Drift {
		drift = append(drift, d.Server+" "+d.Property+" "+d.Running)
		if !d.Restarted || strings.Contains(d.InFile, "hunter2") {
			t.Errorf("drift: %+v", d)
		}
	}
	slices.Sort(drift)
	if wantDrift := []string{hostOf(master.URL) + " ssl.password ", "a,16020,1 ssl.password ", "b,16020,2 hbase.regionserver.handler.count 30", "b,16020,2 ssl.password "}; !slices.Equal(drift, wantDrift) {
		t.Errorf("drift: %q", drift)
	}
	if n := len(r.Findings); n != 1 || r.Findings[0].Code != "block-line-above-memstore" || strings.Count(r.Findings[0].File, ",16020") != 2 {
		t.Errorf("findings: %+v", r.Findings)
	}
	codes := map[string]bool{}
	for _, c := range r.Conclusions {
		codes[c.Code] = true
	}
	if r.Seconds != 30 || !codes["hot-server"] || !codes["config-not-applied"] {
		t.Errorf("%v s, conclusions: %v", r.Seconds, slices.Collect(maps.Keys(codes)))
	}
	if l := r.Load[0]; l.RequestsPerS < 8999 || l.RequestsPerS > 9001 {
		t.Errorf("load: %+v", l)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, time.Unix(1_700_000_600, 0), false); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"b,16020,2", "10m0s", "8GB", "RegionServers run with different settings:\n  hbase.regionserver.handler.count\n    60: a,16020,1\n    30: b,16020,2\n",
		"hbase-site.xml:2: hbase.regionserver.handler.count=60, b,16020,2 runs with 30, from hbase-site.xml (though the server has been started since)",
		"Over 30 s:", "one server has far more to do than the others [hot-server]", "     because    9,000 requests/s, where the others have 10 on average\n",
	} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("lacks %q:\n%s", text, b.String())
		}
	}
	if strings.Contains(b.String(), "hunter2") {
		t.Error("a secret is printed")
	}
}

// fakeMaster says what the Master knows.
type fakeMaster struct {
	status *hbase.ClusterStatus
	err    error
}

func (m *fakeMaster) ClusterStatus(context.Context) (*hbase.ClusterStatus, error) {
	return m.status, m.err
}

func TestServersAreFoundThroughTheMaster(t *testing.T) {
	in := newInspection(Config{Cluster: &fakeMaster{status: &hbase.ClusterStatus{Master: hbase.ServerName{Host: "m"}, MasterInfoPort: 16010}}})
	if err := in.find(t.Context()); err != nil || len(in.servers) != 1 || in.servers[0].URL != "http://m:16010" {
		t.Errorf("%v %+v", err, in.servers)
	}
	lost := errors.New("lost")
	if _, err := Run(t.Context(), Config{Cluster: &fakeMaster{err: lost}}); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	if _, err := Run(t.Context(), Config{}); err == nil {
		t.Error("nothing to look at is no error")
	}
	if _, err := Run(t.Context(), Config{URLs: []string{"http://x"}, Window: time.Second}); err == nil || !strings.Contains(err.Error(), "at least 20s") {
		t.Errorf("got %v", err)
	}
}

func TestRegionsOf(t *testing.T) {
	load := func(reads, writes uint64) hbase.RegionLoad { return hbase.RegionLoad{Reads: reads, Writes: writes} }
	type all = map[string]map[string]hbase.RegionLoad
	before := all{"a,1": {"t,,1": load(10, 20), "gone,,2": load(1, 1), "moved,,3": load(100, 0)}}
	after := all{"a,1": {"t,,1": load(15, 40), "new,,4": load(9, 9), "moved,,3": load(5, 0)}}
	want := []diagnose.Region{{Table: "t", Name: "t,,1", Reads: 5, Writes: 20}}
	if diff := cmp.Diff(want, regionsOf("a,1,1700000000000", before, after)); diff != "" {
		t.Error(diff)
	}
}
