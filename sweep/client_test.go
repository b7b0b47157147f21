package sweep

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

const (
	poolSize    = "hbase.client.ipc.pool.size"
	writeBuffer = "hbase.client.write.buffer"
	rpcTimeout  = "hbase.rpc.timeout"
)

// servers is the servers' side of a target; it notes what was put on it.
type servers struct{ applied []string }

func (s *servers) Apply(_ context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error) {
	s.applied = append(s.applied, v.ID+": "+v.Settings.String())
	return trial.Receipt{Target: "test", StartSeconds: 5}, hbaseconf.FromMap(map[string]string{handlers: "30"}), nil
}

func variantOf(id string, settings map[string]string) trial.Variant {
	return trial.Variant{ID: id, Settings: hbaseconf.FromMap(settings)}
}

func TestClientPropertiesGoToTheClientAlone(t *testing.T) {
	for _, c := range []struct {
		name        string
		clientsOnly bool
		want        string
	}{
		{"a sweep of client properties restarts once", true, "baseline: "},
		{"others restart for every session", false, "baseline: |v01: |v02: " + handlers + "=10|v03: " + rpcTimeout + "=500"},
	} {
		dir := t.TempDir()
		fake := &servers{}
		s := &sides{
			servers: fake, clients: &clients{dir: dir, swept: true}, catalogue: hbaseconf.Builtin(), clientsOnly: c.clientsOnly,
			baseline: hbaseconf.FromMap(map[string]string{handlers: "30", poolSize: "1"}),
		}
		variants := []trial.Variant{
			variantOf("baseline", nil), variantOf("v01", map[string]string{poolSize: "4"}),
		}
		if !c.clientsOnly {
			variants = append(variants, variantOf("v02", map[string]string{handlers: "10"}), variantOf("v03", map[string]string{rpcTimeout: "500"}))
		}
		for i, v := range variants {
			receipt, observed, err := s.Apply(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if restarted := receipt.StartSeconds > 0; restarted != (i == 0 || !c.clientsOnly) || receipt.Target != "test" {
				t.Errorf("%s: %s: receipt %+v", c.name, v.ID, receipt)
			}
			want := hbaseconf.Value("1")
			if v.ID == "v01" {
				want = "4"
			}
			if got, _ := observed.Get(poolSize); got != want {
				t.Errorf("%s: %s: %s observed, want %s", c.name, v.ID, got, want)
			}
			if got, _ := observed.Get(handlers); got != "30" {
				t.Errorf("%s: %s: what the servers said is lost: %s", c.name, v.ID, observed)
			}
		}
		if got := strings.Join(fake.applied, "|"); got != c.want {
			t.Errorf("%s: applied %q, want %q", c.name, got, c.want)
		}
		site, err := hbaseconf.ReadSite(filepath.Join(dir, "variants", "v01", clientFolder, "hbase-site.xml"))
		if err != nil || site.Len() != 1 || site.Settings().String() != poolSize+"=4" {
			t.Errorf("%s: the client's file: %v, %v", c.name, site, err)
		}
		if !c.clientsOnly {
			// What both sides read goes to both.
			if site, err := hbaseconf.ReadSite(filepath.Join(dir, "variants", "v03", clientFolder, "hbase-site.xml")); err != nil || site.Settings().String() != rpcTimeout+"=500" {
				t.Errorf("%s: %v, %v", c.name, site, err)
			}
			continue
		}
		// Servers that a load failed on are restarted.
		s.doubt()
		if _, _, err := s.Apply(t.Context(), variants[1]); err != nil || len(fake.applied) != 2 {
			t.Errorf("after a failure: applied %q, %v", fake.applied, err)
		}
	}
}

func readSpecText(t *testing.T, dir, text string) (Spec, error) {
	t.Helper()
	path := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := ReadSpec(path, false)
	if err == nil {
		err = spec.Validate(testRules)
	}
	return spec, err
}

const loads = `v: 1
driver: java
data: {rows: 5000, value_size: 100B, regions: 2}
workloads:
  - {name: plain, read_share: 0.5, threads: 4, driver: native}
  - {preset: get, api: async}
  - {name: wide, preset: a, threads: 3}
  - {preset: c, hits: [0.9, 0.5]}
  - {name: mine, file: load/workloadd}
  - {preset: log, threads: 6}
parameters:
  - property: hbase.regionserver.handler.count
    values: [10]
`

const workloadD = "recordcount=3000\nreadproportion=0.95\ninsertproportion=0.05\nupdateproportion=0\nrequestdistribution=latest\n"

func TestWorkloadsOfPresetsAndFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "load"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "load", "workloadd"), []byte(workloadD), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := readSpecText(t, dir, loads)
	if err != nil {
		t.Fatal(err)
	}
	check := func(spec Spec) {
		t.Helper()
		list := spec.placed()
		for i, want := range []struct {
			name, table, writes, driver string
			threads, regions            int
			rows                        int64
		}{
			{"plain", "hbtune_read", "hbtune_write", "", 4, 2, 5000},
			{"get", "hbtune_read", "", "java/async", 16, 2, 5000}, // its rows are those of the data
			{"wide", "hbtune_read_wide", "hbtune_write_wide", "java/table", 3, 2, 5000},
			{"c", "hbtune_read_wide", "", "java/table", 16, 2, 5000},
			{"mine", "hbtune_read_mine", "", "java/table", 16, 2, 3000}, // reads follow the inserts
			{"log", "hbtune_write_log", "", "java/table", 6, 6, 1},
		} {
			got := list[i]
			if got.Name != want.name || got.Table != want.table || got.WriteTable != want.writes || got.Driver != want.driver ||
				got.Threads != want.threads || got.Rows != want.rows || got.shape.Regions != want.regions {
				t.Errorf("workload %d: %+v in %v, want %+v", i, got.Workload, got.shape, want)
			}
		}
		s, err := spec.sweep(hbaseconf.Builtin())
		if err != nil || len(s.Workloads) != 7 || s.Workloads[4].HitTarget != 0.5 {
			t.Errorf("%d workloads: %v", len(s.Workloads), err)
		}
	}
	check(spec)
	// The sweep's folder is enough.
	folder := filepath.Join(t.TempDir(), "sweep")
	if _, err := create(folder, spec); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	kept, err := OpenSpec(folder, testRules)
	if err != nil {
		t.Fatal(err)
	}
	check(kept)
}

func TestFaultsOfWorkloadsAndClientsAreNamed(t *testing.T) {
	const head = "v: 1\nworkloads:\n  - "
	const handlersToo = "\nparameters: [{property: hbase.regionserver.handler.count, values: [10]}]\n"
	client := func(workload, property, value string) string {
		return head + workload + "\nparameters: [{property: " + property + ", values: [" + value + "]}]\n"
	}
	for text, want := range map[string]string{
		head + "{preset: nonsense}" + handlersToo:                               "workloads[0].preset: \"nonsense\" is unknown: use one of a, c, e",
		head + "{file: nowhere}" + handlersToo:                                  "workloads[0].file: stat ",
		head + "{preset: get, file: x}" + handlersToo:                           "preset and file both",
		head + "{preset: scan, read_share: 0.5}" + handlersToo:                  "workloads[0].read_share: it divides gets and puts, and scan does",
		head + "{preset: put, hits: [0.5]}" + handlersToo:                       "a load without reads",
		head + "{preset: get, driver: jdbc}" + handlersToo:                      `driver: "jdbc" is not known, use native or java`,
		head + "{preset: get, driver: java, api: thrift}" + handlersToo:         `api: "thrift" is not known`,
		head + "{preset: get, api: async}" + handlersToo:                        "add driver: java",
		head + "{preset: read-at-hit}" + handlersToo:                            "",
		client("{preset: put}", poolSize, "4"):                                  "",
		client("{preset: put, driver: java}", poolSize, "4"):                    "",
		client("{preset: put}", writeBuffer, "4MB"):                             "parameters[0]: workload put: " + writeBuffer + " means nothing to the native client: set driver: java, api: mutator",
		client("{preset: put, driver: java}", writeBuffer, "4MB"):               writeBuffer + " is not read by HBase's table API: set driver: java, api: mutator",
		client("{preset: put, driver: java, api: mutator}", writeBuffer, "4MB"): "",
	} {
		_, err := readSpecText(t, t.TempDir(), text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", text, err, want)
		case want != "" && strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: more than a line: %v", text, err)
		}
	}
}

// The specs that docs/spec.md shows are sound.
func TestDocumentedSpecs(t *testing.T) {
	page, err := os.ReadFile("../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) < 2 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "workloada"), []byte("recordcount=1000\nreadproportion=0.5\nupdateproportion=0.5\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readSpecText(t, dir, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A workload file's dataintegrity holds in a sweep too.
func TestVerifies(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"careful": "readproportion=1\ndataintegrity=true\n", "plain": "readproportion=1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spec := Spec{Workloads: []WorkloadSpec{{File: "careful"}, {File: "plain"}, {Name: "own"}}}
	if err := spec.readWorkloads(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"careful": true, "plain": false, "own": false} {
		if got := spec.verifies(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
