package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbtune/sweep/journal"
)

// clientSpec moves a property that only clients read, with both drivers. Puts
// go to a buffer, so that it takes reads for the servers to see something.
const clientSpec = `v: 1
target: {heap: 256MB}
data: {rows: 5000, value_size: 100B, regions: 2}
workloads:
  - {name: native, preset: get, threads: 8}
  - {name: java, preset: get, threads: 8, driver: java}
  - {name: buffered, file: half, threads: 4, driver: java, api: mutator}
parameters:
  - property: hbase.client.ipc.pool.size
    values: [4]
design: {blocks: 1, levels: all, sentinels: 1, confirm: 0}
measure: {warmup_cap: 3s, settle_cap: 3s, window: 3s}
`

// TestRealClientSweep sweeps a client's property on a real HBase: both values
// are measured on one start of the servers, whose files stay as they are.
func TestRealClientSweep(t *testing.T) {
	r := newRealRun(t)
	folder := filepath.Dir(r.dir)
	for name, text := range map[string]string{
		"spec.yaml": clientSpec, "half": "readproportion=0.5\nupdateproportion=0.5\nfieldcount=2\nrecordcount=3000\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.run(exitDone, "sweep", "-f", filepath.Join(folder, "spec.yaml"), "--yes", "--dir", r.dir)
	r.asItWas()
	content, err := journal.Read(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(content.Records) != 6 {
		t.Fatalf("%d records, want two sessions of three", len(content.Records))
	}
	const property = "hbase.client.ipc.pool.size"
	starts := map[string]bool{}
	for _, rec := range content.Records {
		m := rec.Measurement
		if m == nil || m.Operations == 0 || len(m.Errors) > 0 || m.NotFound > 0 {
			t.Fatalf("%s: fault %+v, measurement %+v", rec.ID, rec.Fault, m)
		}
		want := "1"
		if !rec.Variant.IsBaseline() {
			want = "4"
		}
		if got, _ := rec.Observed.Get(property); string(got) != want {
			t.Errorf("%s: %s=%s observed, want %s", rec.ID, property, got, want)
		}
		driver := map[string]string{"native": "native", "java": "java/table", "buffered": "java/mutator"}[rec.Workload.Name]
		if m.Driver != driver {
			t.Errorf("%s: driven by %s", rec.ID, m.Driver)
		}
		for _, at := range rec.Receipt.ServerStart {
			starts[at.String()] = true
		}
		for kind, l := range m.Ops {
			t.Logf("%s (%s=%s): %.0f operations/s, %s %.0f µs, of which %.0f in the client, flags %v", rec.ID, property, want, m.Throughput, kind,
				l.MeanMicros, m.Service[kind].MeanMicros, m.Flags)
		}
	}
	if len(starts) != 1 {
		t.Errorf("the server was started at %v: once is enough", starts)
	}
	file, err := os.ReadFile(filepath.Join(r.dir, "variants", "v01", "client", "hbase-site.xml"))
	if err != nil || !strings.Contains(string(file), property) {
		t.Errorf("the client's file: %s, %v", file, err)
	}
}
