//go:build campaign

package load

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"hbtune/sweep/local"
	"hbtune/sweep/local/localtest"
	"hbtune/sweep/trial"
)

// TestRealJavaDriver drives every kind of operation through each API of HBase's
// own client, with every byte compared.
func TestRealJavaDriver(t *testing.T) {
	cluster := localtest.Cluster(t)
	_, c, m := realCluster(t, cluster)
	home, err := local.DefaultHome()
	if err != nil {
		t.Fatal(err)
	}
	program, err := CompileJava(t.Context(), local.Config{Home: home, Version: cluster.Version()}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	const table = "load_java"
	t.Cleanup(func() {
		if err := c.Drop(context.Background(), table); err != nil {
			t.Error(err)
		}
	})
	w := trial.Workload{
		Table: table, Rows: 2000, ValueBytes: 60, Threads: 6, Columns: 12, Lengths: trial.Uniform, MinValueBytes: 4,
		Mix:  trial.Mix{Read: 0.35, Update: 0.2, Insert: 0.1, Scan: 0.2, ReadModifyWrite: 0.15},
		Keys: trial.Distribution{Kind: trial.Zipfian}, Scan: trial.ScanRows{Min: 1, Max: 20}, ReadColumns: 5,
	}
	for _, api := range []string{APITable, APIAsync, APIMutator} {
		w := w
		if api == APIMutator {
			// What is in the buffer is not yet there to be read.
			w.Mix, w.Batch = trial.Mix{Read: 0.5, Update: 0.5}, 5
		}
		if _, err := Fill(t.Context(), c, table, ShapeOf(w, 3, 1), FillOptions{}); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJava(t.Context(), c, api, JavaCommand(t.Context(), program, "", api, cluster.ZooKeeper()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(t.Context(), j, m, Config{Workload: w, Seed: 1, Duration: 2 * time.Second, WarmupCap: 3 * time.Second, Verify: true})
		j.Close()
		if err != nil {
			t.Fatalf("%s: %v", api, err)
		}
		t.Logf("%s: %.0f operations/s, client %+v, flags %v, read %d µs, of which in the client %d µs", api, got.Throughput, got.Client,
			got.Flags, got.Ops["read"].P50Micros, got.Service["read"].P50Micros)
		if len(got.Errors) > 0 || got.NotFound > 0 || got.Driver != "java/"+api {
			t.Errorf("%s: errors %v, not found %d, driver %s", api, got.Errors, got.NotFound, got.Driver)
		}
		if slices.Contains(got.Flags, flagLittlesLaw) {
			t.Errorf("%s: %d lanes are not throughput by response: %.0f × %v", api, w.Threads, got.Throughput, got.Ops)
		}
		for kind, share := range map[string]float64{"read": w.Mix.Read, "put": w.Mix.Update, "insert": w.Mix.Insert, "scan": w.Mix.Scan, "read-modify-write": w.Mix.ReadModifyWrite} {
			if share > 0 && got.Ops[kind].Count == 0 {
				t.Errorf("%s: no %s", api, kind)
			}
		}
		if r, s := got.Ops["read"].P50Micros, got.Service["read"].P50Micros; s == 0 || s > r {
			t.Errorf("%s: a read took %d µs, of which %d in the client", api, r, s)
		}
	}
	// A worker that ends says why.
	_, err = OpenJava(t.Context(), c, "nonsense", JavaCommand(t.Context(), program, "", "nonsense", cluster.ZooKeeper()))
	if err == nil || !strings.Contains(err.Error(), "no such API: nonsense") {
		t.Errorf("an API that is none: %v", err)
	}
}
