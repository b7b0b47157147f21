//go:build !race

// The race detector makes pools forget at random, so allocations are counted
// without it.

package hbase

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

func TestGetAllocatesNothing(t *testing.T) {
	s := newCanned(t, func() []byte { m, _ := cannedRow(); return m }(), func() []byte { _, c := cannedRow(); return c }())
	tb := s.table(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	get := Get{Row: []byte("row")}
	var result Result
	n := testing.AllocsPerRun(1000, func() {
		if err := tb.Get(ctx, &get, &result); err != nil {
			t.Fatal(err)
		}
	})
	if v, ok := result.Value(family, qualifier); !ok || len(v) != 1000 {
		t.Errorf("value of %d bytes", len(v))
	}
	if n != 0 {
		t.Errorf("%v allocations a get", n)
	}
}

func TestGatheringAllocatesNothing(t *testing.T) {
	message, cells := cannedRow()
	tb := newCanned(t, message, cells).table(t, Config{Gather: true})
	getAll(t, tb, 64, 20_000) // grows what there is to grow
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const calls = 50_000
	getAll(t, tb, 64, calls)
	runtime.ReadMemStats(&after)
	// Starting 64 threads is all that may allocate.
	if n := float64(after.Mallocs-before.Mallocs) / calls; n > 0.02 {
		t.Errorf("%.3f allocations a get", n)
	}
}

func TestPutAllocatesNothing(t *testing.T) {
	tb := newCanned(t, appendNum(nil, 2, 1), nil).table(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	row, value := []byte("row"), make([]byte, 1000)
	var put Put
	n := testing.AllocsPerRun(1000, func() {
		put.Reset(row)
		put.Add(family, qualifier, value)
		if err := tb.Put(ctx, &put); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a put", n)
	}
}

func TestMultiAllocatesNothing(t *testing.T) {
	// The answer to ten puts in one region.
	var region []byte
	for i := range 10 {
		region = appendBlob(region, 1, appendBlob(appendNum(nil, 1, uint64(i)), 2, nil))
	}
	tb := newCanned(t, appendBlob(nil, 1, region), nil).table(t, Config{})
	value := make([]byte, 100)
	puts := make([]Put, 10)
	for i := range puts {
		puts[i].Reset(fmt.Appendf(nil, "%02d", i))
		puts[i].Add(family, qualifier, value)
	}
	var b Batch
	n := testing.AllocsPerRun(1000, func() {
		b.Reset()
		for i := range puts {
			b.Put(&puts[i])
		}
		if err := tb.Multi(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
