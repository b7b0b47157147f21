package hbaseconf

import "strings"

// Sizing is what the configuration of a RegionServer makes of its resources, in
// numbers: what its metrics are to be judged by.
type Sizing struct {
	HeapBytes      int64
	MemstoreBytes  float64 // of all regions together
	LowMarkBytes   float64 // at which flushes are forced
	CacheBytes     float64 // of the block cache on the heap
	BucketBytes    float64 // of the bucket cache, 0 without one
	FlushBytes     float64
	Multiplier     float64 // of the flush size, at which a region refuses writes
	Handlers       int64
	Queues         int64
	QueueCalls     int64   // that may wait in one queue
	QueueBytes     float64 // that may wait in all
	ReadRatio      float64
	ScanRatio      float64
	BlockingFiles  int64
	MaxLogs        int64 // log files, of all logs together, at which flushes are forced; 0 if HBase computes it
	SessionMillis  int64
	ThroughputLow  float64 // of compactions, bytes/s
	ThroughputHigh float64
}

// SizingOf computes it from effective values; what is missing has the default of
// the newest 2.x. heapBytes is the maximum of the heap.
func SizingOf(get func(name string) (string, bool), heapBytes int64) Sizing {
	r := &reading{get: func(name string) (string, bool) {
		if text, ok := get(name); ok {
			return text, true
		}
		p, ok := Builtin().Lookup(name)
		return string(p.Default), ok && p.Name == name && p.Default != ""
	}}
	s := Sizing{HeapBytes: heapBytes}
	if heap, err := HeapOf(get, heapBytes); err == nil {
		s.MemstoreBytes = float64(heapBytes) * float64(heap.Memstore)
		s.LowMarkBytes = s.MemstoreBytes * float64(heap.LowMark)
		s.CacheBytes = float64(heapBytes) * float64(heap.BlockCache)
	}
	if engine, ok := get(BucketEngine); ok && engine != "" {
		s.BucketBytes = float64(r.float(BucketSize, 0)) * (1 << 20)
	}
	s.FlushBytes = float64(r.long(FlushSize, 128<<20))
	s.Multiplier = float64(r.long(BlockMultiplier, 4))
	s.Handlers = max(r.long(HandlerCount, 30), 1)
	s.Queues = max(int64(float64(s.Handlers)*float64(r.float(handlerFactor, 0.1))+0.5), 1)
	s.QueueCalls = r.long(QueueLength, 10*s.Handlers)
	s.QueueBytes = float64(r.long(QueueBytes, 1<<30))
	s.ReadRatio = float64(r.float(ReadRatio, 0))
	s.ScanRatio = float64(r.float(ScanRatio, 0))
	s.BlockingFiles = r.long(BlockingFiles, 16)
	s.MaxLogs = r.long(MaxLogs, 0) * WALCount(r.get)
	s.SessionMillis = r.long(sessionTimeout, 90_000)
	s.ThroughputLow = float64(r.long(ThroughputLow, 50<<20))
	s.ThroughputHigh = float64(r.long(ThroughputHigh, 100<<20))
	return s
}

// WALCount is how many write-ahead logs a RegionServer writes side by side, each
// with its own limit of files.
func WALCount(get func(name string) (string, bool)) int64 {
	if provider, _ := get(WALProvider); !strings.EqualFold(provider, "multiwal") {
		return 1
	}
	r := &reading{get: get}
	return max(r.long(WALGroups, 2), 1)
}

// Times is the sizing of so many servers alike together. What holds for one
// region, one store or one queue stays as it is.
func (s Sizing) Times(servers int) Sizing {
	n := float64(servers)
	s.HeapBytes *= int64(servers)
	s.MemstoreBytes *= n
	s.LowMarkBytes *= n
	s.CacheBytes *= n
	s.BucketBytes *= n
	s.Handlers *= int64(servers)
	s.Queues *= int64(servers)
	s.QueueBytes *= n
	s.MaxLogs *= int64(servers)
	s.ThroughputLow *= n
	s.ThroughputHigh *= n
	return s
}
