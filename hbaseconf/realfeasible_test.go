package hbaseconf_test

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hbtune/hbaseconf"
	"hbtune/sweep/local"
)

// choices are values that HBase takes and values that it does not.
var choices = map[string][]string{
	hbaseconf.MemstoreSize:                         {"0.4", "0.3", "0.5", "0.1", "0.404", "0.53"},
	hbaseconf.BlockCacheSize:                       {"0.4", "0.2", "0.25", "0", "0.0001", "0.41", "0.6", "40%", "0.3f"},
	"hfile.block.cache.memory.size":                {"64m", "0", "128m", "1", " 64m", "67108864"},
	"hbase.regionserver.free.heap.min.memory.size": {"0", "32m", "128m", "-1", "x"},
	"hfile.block.cache.policy":                     {"LRU", "lru", "TinyLFU", "AdaptiveLRU", "IndexOnlyLRU", "lfu", ""},
	"hbase.lru.blockcache.min.factor":              {"0.95", "0.5", "0.99", "1.5", "0.9"},
	"hbase.lru.blockcache.acceptable.factor":       {"0.99", "0.6", "1", "0.97"},
	"hbase.lru.blockcache.single.percentage":       {"0.25", "0.3", "-0.25"},
	"hbase.lru.blockcache.memory.percentage":       {"0.25", "0.2", "0.75"},
	"hbase.bucketcache.ioengine":                   {"offheap", "offheap", "offheap", "heap", "", "OFFHEAP", "tape:x"},
	"hbase.bucketcache.size":                       {"32", "32", "29", "28", "28.5", "0.5", "1", "64", "x"},
	"hbase.bucketcache.bucket.sizes":               {"5120,9216", "5120", "5000", "0", "5120, 9216 ", "-256", "", "5120,,9216", "262144,1048576"},
	"hbase.bucketcache.acceptfactor":               {"0.95", "0.8", "1", "1.1"},
	"hbase.bucketcache.minfactor":                  {"0.85", "0.97", "-0.1"},
	"hbase.bucketcache.extrafreefactor":            {"0.1", "-1"},
	"hbase.bucketcache.single.factor":              {"0.25", "0.2", "0.5"},
	"hbase.bucketcache.memory.factor":              {"0.25", "0.3", "0"},
}

// TestRefusesAsHBaseDoes lets HBase check its heap rule and make its block
// cache with generated settings: it refuses those that Feasible refuses.
func TestRefusesAsHBaseDoes(t *testing.T) {
	lib := library(t, local.DefaultVersion)
	const count = 400
	conf := t.TempDir()
	g := rand.New(rand.NewPCG(seed(t), 1))
	empty, err := hbaseconf.ParseSite("hbase-site.xml", []byte("<configuration/>"))
	if err != nil {
		t.Fatal(err)
	}
	files, all := make([]string, count), make([]hbaseconf.Settings, count)
	for i := range files {
		m := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(choices)) { // the seed decides, not the map
			values := choices[name]
			value := values[0]
			if g.IntN(100) < 12 {
				value = values[g.IntN(len(values))]
			}
			if value != "" && g.IntN(100) < 60 {
				m[name] = value
			}
		}
		all[i] = hbaseconf.FromMap(m)
		site, err := empty.With(all[i])
		if err != nil {
			t.Fatal(err)
		}
		files[i] = filepath.Join(conf, fmt.Sprintf("site%d.xml", i))
		if err := os.WriteFile(files[i], site.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, heap, answers := ask(t, lib, conf, files, "caches")
	refusals := 0
	for i, a := range answers {
		err := hbaseconf.Feasible(all[i], heap)
		if a.Error != "" {
			refusals++
		}
		if (err == nil) != (a.Error == "") {
			t.Errorf("%v:\n    Feasible: %v\n    HBase: %s", all[i], err, a.Error)
		}
	}
	t.Logf("%d of %d refused", refusals, count)
	if refusals < count/10 || refusals > count*9/10 {
		t.Error("the settings are out of balance")
	}
}

// TestShippedIsWhatTheJarsHold compares the embedded defaults with those of
// every HBase that is installed and whose defaults are embedded.
func TestShippedIsWhatTheJarsHold(t *testing.T) {
	for _, jar := range installed(t, "hbase-common-*[0-9].jar") {
		version := versionOf(jar)
		site, err := hbaseconf.ParseSite(jar+"/hbase-default.xml", inJar(t, jar, "hbase-default.xml"))
		if err != nil {
			t.Fatal(err)
		}
		want := site.Settings().Map()
		delete(want, "hbase.defaults.for.version")
		if diff := cmp.Diff(want, hbaseconf.Shipped(version).Map()); diff != "" {
			t.Errorf("%s (-jar +embedded):\n%s", version, diff)
		}
		t.Logf("%s: %d properties", version, len(want))
	}
}

func inJar(t *testing.T, jar, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
