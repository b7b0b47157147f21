package hbase

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestMultiAcrossServers(t *testing.T) {
	f := newFake(t, 3, "t", "20", "40", "60", "80")
	tb := f.client(Config{}).Table("t")
	var b Batch
	puts := make([]Put, 100)
	for i := range puts {
		puts[i].Reset(fmt.Appendf(nil, "%02d", (i*37)%100))
		puts[i].Add(family, qualifier, fmt.Appendf(nil, "v%02d", (i*37)%100))
		b.Put(&puts[i])
	}
	if err := tb.Multi(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	f.move(1, 2) // stale locations are tried again, they alone
	for range 3 {
		b.Reset()
		results := make([]Result, 100)
		var del Delete
		del.Reset([]byte("del"))
		del.AddFamily(family)
		for i := range results {
			b.Get(&Get{Row: fmt.Appendf(nil, "%02d", i)}, &results[i])
			if i == 50 {
				b.Delete(&del)
			}
		}
		if err := tb.Multi(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if v, _ := results[i].Value(family, qualifier); string(v) != fmt.Sprintf("v%02d", i) {
				t.Errorf("row %02d: %q", i, v)
			}
		}
	}
}

func TestMultiReportsEachFailure(t *testing.T) {
	f := newFake(t, 1, "t", "m")
	f.regions[1].closed = true
	tb := f.client(Config{Retries: 2}).Table("t")
	f.rows["a"] = "1"
	var b Batch
	var results [4]Result
	for i, row := range []string{"a", "z", "", "b"} {
		b.Get(&Get{Row: []byte(row)}, &results[i])
	}
	err := tb.Multi(context.Background(), &b)
	var be *BatchError
	if !errors.As(err, &be) || be.Failed != 2 || be.Of != 4 {
		t.Fatalf("%v", err)
	}
	for i, failed := range []bool{false, true, true, false} {
		if (b.Err(i) != nil) != failed {
			t.Errorf("action %d: %v", i, b.Err(i))
		}
	}
	if v, _ := results[0].Value(family, qualifier); string(v) != "1" {
		t.Errorf("row a: %q", v)
	}
	if !errors.Is(b.Err(2), errEmptyRow) {
		t.Errorf("empty row: %v", b.Err(2))
	}
}

func TestMultiIsCutWhenTooBig(t *testing.T) {
	f := newFake(t, 1, "t")
	f.answer = func(call *fakeCall) *fakeReply {
		if call.method == "Multi" && len(call.cells) > 10 {
			return &fakeReply{exception: "exceptions.RequestTooBigException", doNotRetry: true}
		}
		return nil
	}
	tb := f.client(Config{}).Table("t")
	var b Batch
	puts := make([]Put, 100)
	for i := range puts {
		puts[i].Reset(fmt.Appendf(nil, "%02d", i))
		puts[i].Add(family, qualifier, []byte("v"))
		b.Put(&puts[i])
	}
	if err := tb.Multi(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if len(f.rows) != 100 {
		t.Errorf("%d rows", len(f.rows))
	}
}
