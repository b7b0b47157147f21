package lint

import (
	"math"

	"hbtune/hbaseconf"
)

// callRules look at handlers, queues and time-outs.
func callRules() []Rule {
	return []Rule{
		{
			Code: "handlers-for-heap", Severity: Error, Title: "More handlers than the heap can feed",
			Doc: "Every handler may hold a request of the size in which clients send their writes (hbase.client.write.buffer, 2 MB), and each brings ten waiting calls and pooled buffers. That must fit beside memstore and block cache.",
			Bad: "heap 512m\nhbase.regionserver.handler.count=800", Good: "heap 16g\nhbase.regionserver.handler.count=60",
			check: handlersForHeap,
		},
		{
			Code: "scan-ratio-starves", Severity: Error, Title: "A scan ratio that leaves no handler for gets",
			Doc: "The handlers for scans are taken from those for reads, rounded down. Where none is left gets wait until they time out.",
			Bad: "hbase.ipc.server.callqueue.read.ratio=0.5\nhbase.ipc.server.callqueue.scan.ratio=1.0", Good: "hbase.ipc.server.callqueue.read.ratio=0.5\nhbase.ipc.server.callqueue.scan.ratio=0.3",
			check: scanRatioStarves,
		},
		{
			Code: "read-ratio-starves", Severity: Warning, Title: "A read ratio that leaves one handler for writes",
			Doc: "Writes always keep one queue and one handler, however high the ratio. All writes of the server then go one after the other.",
			Bad: "hbase.regionserver.handler.count=30\nhbase.ipc.server.callqueue.read.ratio=1.0", Good: "hbase.regionserver.handler.count=30\nhbase.ipc.server.callqueue.read.ratio=0.7",
			check: readRatioStarves,
		},
		{
			Code: "queue-for-heap", Severity: Warning, Title: "Call queues that may fill the heap",
			Doc: "Requests wait in memory. Where they may take more than half of what memstore and block cache leave, an overload ends in full garbage collections instead of refused calls.",
			Bad: "heap 4g\nhbase.ipc.server.max.callqueue.size=4294967296", Good: "heap 32g\nhbase.ipc.server.max.callqueue.size=1073741824",
			check: queueForHeap,
		},
		{
			Code: "rpc-above-operation", Severity: Warning, Title: "A call that may take longer than its operation",
			Doc: "An operation is given up after its own time-out, retries included. A call that may use all of it leaves no time to retry.",
			Bad: "hbase.rpc.timeout=120000\nhbase.client.operation.timeout=60000", Good: "hbase.rpc.timeout=10000\nhbase.client.operation.timeout=60000",
			check: rpcAboveOperation,
		},
	}
}

// handlerBuffer is what one handler may hold: the buffer in which clients send
// their writes, as it is by default.
const handlerBuffer = 2 << 20

func handlersForHeap(f *facts) []Finding {
	if f.heap <= 0 || !f.shared || f.role != RegionServer || !f.isSet(handlerCount) {
		return nil
	}
	handlers := f.long(handlerCount, 0)
	need := float64(handlers) * float64(max(f.long(writeBuffer, handlerBuffer), 1<<16))
	free := float64(f.heap) * float64(1-f.shares.Memstore-f.shares.BlockCache)
	if need <= free {
		return nil
	}
	calls := handlers * 10
	if f.isSet(queueLength) {
		calls = f.long(queueLength, calls)
	}
	x := f.at(handlerCount, "%s with a request of %s each are %s, and %s may wait in each queue: a heap of %s has %s beside memstore and block cache",
		count(handlers, "handler"), size(need/float64(handlers)), size(need), count(calls, "call"), size(float64(f.heap)), size(max(free, 0)))
	if need <= float64(f.heap) {
		x = x.as(Warning)
	}
	fits := int64(free / 2 / handlerBuffer)
	return []Finding{x.write("%s=%d, or a larger heap", handlerCount, min(max(fits, 10), handlers))}
}

// handlers is how the general handlers are divided.
type handlers struct{ read, write, scan int64 }

// divided is what HBase makes of the ratios, counting handlers.
func (f *facts) divided() handlers {
	total := max(f.long(handlerCount, 30), 1)
	readShare, scanShare := f.float(readRatio, 0), f.float(scanRatio, 0)
	if readShare <= 0 {
		return handlers{write: total}
	}
	total = max(total, 2)
	h := handlers{write: max(1, total-max(1, int64(math.Round(float64(total)*readShare))))}
	h.read = total - h.write
	h.scan = int64(math.Floor(float64(h.read) * scanShare))
	h.read -= max(h.scan, 0)
	return h
}

func scanRatioStarves(f *facts) []Finding {
	h := f.divided()
	return when(f.isSet(scanRatio) && f.float(scanRatio, 0) > 0 && h.scan > 0 && h.read <= 0, func() Finding {
		return f.at(scanRatio, "leaves no handler for gets: all %d that read are for scans, and gets wait until they time out", h.scan).
			write("%s=0.5", scanRatio)
	})
}

func readRatioStarves(f *facts) []Finding {
	h := f.divided()
	total := h.read + h.write + h.scan
	return when(f.isSet(readRatio) && h.write == 1 && total >= 8, func() Finding {
		return f.at(readRatio, "leaves 1 of %d handlers for writes, which go one after the other", total).write("%s=0.7", readRatio)
	})
}

func queueForHeap(f *facts) []Finding {
	if f.heap <= 0 || !f.shared || f.role != RegionServer {
		return nil
	}
	bytes := float64(f.long(queueBytes, 0))
	free := float64(f.heap) * float64(1-f.shares.Memstore-f.shares.BlockCache)
	return when(f.isSet(queueBytes) && bytes > free/2, func() Finding {
		return f.at(queueBytes, "%s of calls may wait, where a heap of %s has %s beside memstore and block cache", size(bytes), size(float64(f.heap)), size(max(free, 0))).
			write("%s=%d", queueBytes, max(int64(free/4)>>20, 16)<<20)
	})
}

func rpcAboveOperation(f *facts) []Finding {
	name, set := f.anySet(rpcTimeout, operationLimit)
	call, operation := f.long(rpcTimeout, 60000), f.long(operationLimit, 1200000)
	return when(set && call > operation && !hbaseconf.VersionBefore(f.version, "1.0"), func() Finding {
		return f.at(name, "one call may take %s s, its operation only %s s: there is no time to retry", figure(float64(call)/1000), figure(float64(operation)/1000)).
			write("%s well below %s", rpcTimeout, operationLimit)
	})
}
