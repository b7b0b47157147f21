package hbaseconf

import "testing"

func TestSizing(t *testing.T) {
	of := func(pairs ...string) Sizing {
		s := settings(pairs...)
		return SizingOf(func(name string) (string, bool) { v, ok := s.Get(name); return string(v), ok }, 10<<30)
	}
	s := of()
	if s.Handlers != 30 || s.Queues != 3 || s.QueueCalls != 300 || s.FlushBytes != 128<<20 || s.BlockingFiles != 16 || s.MaxLogs != 0 || s.BucketBytes != 0 {
		t.Errorf("defaults: %+v", s)
	}
	if x := s.MemstoreBytes / (4 << 30); x < 0.999 || x > 1.001 {
		t.Errorf("memstore: %v", s.MemstoreBytes)
	}
	s = of(HandlerCount, "100", QueueLength, "50", BucketEngine, "offheap", BucketSize, "2048", FlushSize, "268435456", ReadRatio, "0.5")
	if s.Handlers != 100 || s.Queues != 10 || s.QueueCalls != 50 || s.BucketBytes != 2<<30 || s.FlushBytes != 256<<20 || s.ReadRatio != 0.5 {
		t.Errorf("set: %+v", s)
	}
	if n := of(MaxLogs, "8", WALProvider, "multiwal", WALGroups, "4").MaxLogs; n != 32 {
		t.Errorf("four logs of 8 files: %d", n)
	}
	twice := s.Times(2)
	if twice.Handlers != 200 || twice.Queues != 20 || twice.QueueCalls != 50 || twice.FlushBytes != s.FlushBytes || twice.MemstoreBytes != 2*s.MemstoreBytes || s.Times(1) != s {
		t.Errorf("of two servers: %+v", twice)
	}
}
