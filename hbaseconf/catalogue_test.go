package hbaseconf

import (
	"errors"
	"strings"
	"testing"
)

func TestBuiltinIsWellFormed(t *testing.T) {
	kinds := map[Kind]bool{Int: true, Long: true, Float: true, Double: true, Bool: true, Enum: true, Class: true, Text: true, Path: true, List: true, Size: true}
	scopes := map[Scope]bool{RegionServer: true, Master: true, Client: true, Table: true, Family: true, JVM: true, ZooKeeper: true, HDFS: true}
	effects := map[Effect]bool{RestartRegionServer: true, RestartMaster: true, RestartClient: true, RestartZooKeeper: true, Online: true, Reopen: true, Alter: true, NoEffect: true}
	all := Builtin().All()
	if len(all) != 222 {
		t.Errorf("%d properties, want 222", len(all))
	}
	for _, p := range all {
		if !kinds[p.Kind] {
			t.Errorf("%s: kind %q", p.Name, p.Kind)
		}
		for _, s := range p.Scope {
			if !scopes[s] {
				t.Errorf("%s: scope %q", p.Name, s)
			}
		}
		for _, e := range p.Effect {
			if !effects[e] {
				t.Errorf("%s: effect %q", p.Name, e)
			}
		}
		if p.Scale != Linear && p.Scale != Log {
			t.Errorf("%s: scale %q", p.Name, p.Scale)
		}
		if !strings.HasSuffix(p.Doc, ".") {
			t.Errorf("%s: description %q is no sentence", p.Name, p.Doc)
		}
		if p.Kind == Enum && len(p.Range.Words) == 0 {
			t.Errorf("%s: no words", p.Name)
		}
		if p.Default != "" {
			if value, err := Builtin().Value(p.Name, string(p.Default)); err != nil {
				t.Errorf("default: %v", err)
			} else if x, _ := value.Number(); p.Kind.Number() && string(value) != string(p.Default) && !strings.HasPrefix(string(p.Default), string(value)) {
				t.Errorf("%s: default %s is %v", p.Name, p.Default, x)
			}
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"hbase.hregion.memstore.flush.size", "128MB", "134217728"},
		{"hbase.hregion.memstore.flush.size", "64m", "67108864"},
		{"hbase.hregion.memstore.flush.size", "1.5 GiB", "1610612736"},
		{"hbase.hregion.memstore.flush.size", "134217728", "134217728"},
		{"hbase.hregion.max.filesize", "10g", "10737418240"},
		{"hbase.hregion.max.filesize", "1.073741824e+10", "10737418240"},
		{"hbase.hstore.compaction.max.size", "9223372036854775807", "9223372036854775807"},
		{"hbase.bucketcache.size", "4GB", "4096"},
		{"hbase.bucketcache.size", "4096", "4096"},
		{"hbase.regionserver.offheap.global.memstore.size", "1g", "1024"},
		{"hfile.block.cache.memory.size", "512m", "536870912"},
		{"hfile.block.cache.size", "40%", "0.4"},
		{"hfile.block.cache.size", "0.40", "0.4"},
		{"hbase.hstore.blockingWaitTime", "90s", "90000"},
		{"hbase.hregion.majorcompaction", "7d", "604800000"},
		{"hbase.hstore.compaction.throughput.lower.bound", "50MB/s", "52428800"},
		{"hbase.hstore.compaction.throughput.lower.bound", "52428800/s", "52428800"},
		{"hbase.regionserver.handler.count", " 60 ", "60"},
		{"hbase.regionserver.handler.count", "60 threads", "60"},
		{"hbase.ipc.server.callqueue.type", "CoDel", "codel"},
		{"hbase.client.ipc.pool.type", "threadlocal", "ThreadLocal"},
		{"hbase.bucketcache.ioengine", "FILE:/mnt/Cache", "file:/mnt/Cache"},
		{"hbase.wal.hsync", "TRUE", "true"},
		{"hbase.bucketcache.bucket.sizes", "5k, 9216", "5120,9216"},
		{"hbase.hstore.compactionThreshold", "4", "4"},
		{"hbase.client.pause.cqtbe", "1s", "1000"},
	} {
		got, err := Builtin().Value(c.name, c.text)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %q: %q, %v; want %q", c.name, c.text, got, err, c.want)
		}
	}
}

func TestValueRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"hbase.hregion.memstore.flush.size", "10s", `hbase.hregion.memstore.flush.size: "10s" has the unit "s"; give a whole number of bytes, or with a unit such as 128MB, at least 1048576`},
		{"hbase.hregion.memstore.flush.size", "10kB", `hbase.hregion.memstore.flush.size: "10kB" is out of range; give a whole number of bytes, or with a unit such as 128MB, at least 1048576`},
		{"hbase.regionserver.handler.count", "30.5", `hbase.regionserver.handler.count: "30.5" is not a whole number of threads; give a whole number of threads, at least 1`},
		{"hbase.regionserver.handler.count", "3000000000", `hbase.regionserver.handler.count: "3000000000" is out of range; give a whole number of threads, at least 1`},
		{"hbase.regionserver.handler.count", "", `hbase.regionserver.handler.count: "" is empty; give a whole number of threads, at least 1`},
		{"hbase.regionserver.global.memstore.size", "0.9", `hbase.regionserver.global.memstore.size: "0.9" is out of range; give a fraction of max heap such as 0.4 or 40%, more than 0 and at most 0.8`},
		{"hbase.regionserver.global.memstore.size", "half", `hbase.regionserver.global.memstore.size: "half" is not a number; give a fraction of max heap such as 0.4 or 40%, more than 0 and at most 0.8`},
		{"hbase.ipc.server.callqueue.type", "lifo", `hbase.ipc.server.callqueue.type: "lifo" is not known to HBase; give fifo, codel, deadline or pluggable`},
		{"hbase.wal.hsync", "yes", `hbase.wal.hsync: "yes" is neither true nor false; HBase would silently take the default`},
		{"base.regionserver.handler.count", "60", `unknown property "base.regionserver.handler.count"; did you mean hbase.regionserver.handler.count?`},
		{"hbase.zookeeper.quorum", "a", "hbase.zookeeper.quorum is a property of HBase, but none that is tuned; `hbtune params` lists those that are"},
		{"nothing.like.it", "60", "unknown property \"nothing.like.it\"; `hbtune params` lists those known"},
	} {
		_, err := Builtin().Value(c.name, c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %q:\n got %v\nwant %s", c.name, c.text, err, c.want)
		}
		var value *ValueError
		var unknown *UnknownError
		if !errors.As(err, &value) && !errors.As(err, &unknown) {
			t.Errorf("%s %q: untyped error %T", c.name, c.text, err)
		}
	}
}

func TestSuggest(t *testing.T) {
	for asked, want := range map[string]string{
		"base.regionserver.handler.count":                     "hbase.regionserver.handler.count",
		"HBase.RegionServer.Handler.Count":                    "hbase.regionserver.handler.count",
		"hbase.hregion.memstore.flushsize":                    "hbase.hregion.memstore.flush.size",
		"hbase.regionserver.global.memstore.size.upper.limit": "hbase.regionserver.global.memstore.size",
		"hbase.ZooKeeper.quorum":                              "hbase.zookeeper.quorum",
		"handler.cont":                                        "hbase.regionserver.handler.count",
		"handler.count":                                       "hbase.regionserver.handler.count",
		"block.cache.size":                                    "hfile.block.cache.size",
		"memstore_flushsize":                                  "MEMSTORE_FLUSHSIZE",
		"":                                                    "",
		"foo.bar":                                             "",
		"hbase.regionserver.wal.hsync":                        "hbase.wal.hsync",
		"hbase.memstore.flush.size":                           "hbase.hregion.memstore.flush.size",
		"hbase.my.own.setting":                                "",
	} {
		if got := Builtin().Suggest(asked); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}

func TestHistory(t *testing.T) {
	lookup := func(name string) Property {
		p, ok := Builtin().Lookup(name)
		if !ok {
			t.Fatalf("%s is not there", name)
		}
		return p
	}
	for _, c := range []struct{ name, version, want string }{
		{"hbase.hstore.blockingStoreFiles", "1.7.2", "10"},
		{"hbase.hstore.blockingStoreFiles", "2.6.4-hadoop3", "16"},
		{"hbase.regions.slop", "2.4.18", "0.001"},
		{"hbase.regions.slop", "2.5.0", "0.2"},
		{"hbase.hregion.split.overallfiles", "3.0.0-alpha-4", "true"},
		{"hbase.hregion.split.overallfiles", "2.6.4", "false"},
	} {
		if got, _ := lookup(c.name).DefaultIn(c.version); string(got) != c.want {
			t.Errorf("%s in %s: %s, want %s", c.name, c.version, got, c.want)
		}
	}
	free := lookup("hbase.regionserver.free.heap.min.memory.size")
	for version, want := range map[string]bool{"2.4.18": false, "2.5.13": true, "2.6.3": false, "2.6.4": true, "2.7.0": true, "3.0.0": false} {
		if free.ReadIn(version) != want {
			t.Errorf("%s read in %s: %v", free.Name, version, !want)
		}
	}
}
