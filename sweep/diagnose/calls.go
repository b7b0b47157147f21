package diagnose

// callRules look at calls, handlers and queues.
func callRules() []Rule {
	return []Rule{
		{"calls-stuck", each(callsStuck)},
		{"queue-bytes", each(queueBytes)},
		{"queue-count", each(queueCount)},
		{"scans-starve-gets", each(scansStarveGets)},
		{"handlers-blocked", each(handlersBlocked)},
		{"hot-server", once(hotServer)},
	}
}

// nearlyFull is the share of a limit from which on it counts as reached, since
// samples miss the peak.
const nearlyFull = 0.7

// callsStuck knows the short cut that HBase takes past the queue: an idle handler
// is handed the next call directly. A call that is queued while the only handler
// goes idle is overlooked until another one comes.
func callsStuck(o Observation, s Server) *Conclusion {
	_, known := s.atWork()
	always := min(Waiting(s.First), Waiting(s.Mean), Waiting(s.Last)) >= 1
	if !known || !always || s.BusyHandlers() > 0.1 {
		return nil
	}
	return &Conclusion{
		weight:  92,
		Message: "calls wait though the handlers are idle",
		Evidence: []string{
			evidence("%s calls waited on average, %s at first and %s at last", number(Waiting(s.Mean)), number(Waiting(s.First)), number(Waiting(s.Last))),
			evidence("%s of %d handlers at work, %s requests/s", percent(s.BusyHandlers()), s.Sizing.Handlers, number(s.Grown["requests"]/max(o.Seconds, 1))),
		},
		Advice:  "with one or two handlers raise hbase.regionserver.handler.count: an idle handler can miss a call that was queued at that moment; a thread dump shows handlers that wait for work",
		Not:     "a longer queue, or more patient clients: nobody looks at the queue",
		Refuted: "handlers that a thread dump shows at work",
	}
}

func queueBytes(o Observation, s Server) *Conclusion {
	refused := s.Grown["exceptions_call_queue_too_big"]
	full := s.Max["call_queue_bytes"] >= nearlyFull*s.Sizing.QueueBytes
	said := o.says("callqueuetoobig", "size")
	if refused == 0 && !said || !full && !said {
		return nil
	}
	return &Conclusion{
		weight:  80,
		Message: "calls are refused because the bytes that wait reach their limit",
		Evidence: []string{
			evidence("%s calls refused with CallQueueTooBigException", number(refused)),
			evidence("%s of calls waited at most, of %s allowed (hbase.ipc.server.max.callqueue.size)", size(s.Max["call_queue_bytes"]), size(s.Sizing.QueueBytes)),
			evidence("%s calls waited at most, of %s allowed in each of %d queues", number(Waiting(s.Max)), number(float64(s.Sizing.QueueCalls)), s.Sizing.Queues),
		},
		Advice:  "send smaller batches, and find out why this server is slow; hbase.ipc.server.max.callqueue.size may be raised where the heap has room for it",
		Not:     "a longer queue in calls (hbase.ipc.server.max.callqueue.length): the calls are few and large",
		Refuted: "call_queue_bytes far below its limit while calls are refused",
	}
}

func queueCount(o Observation, s Server) *Conclusion {
	refused := s.Grown["exceptions_call_queue_too_big"]
	limit := float64(s.Sizing.QueueCalls * s.Sizing.Queues)
	// One queue may be full while the others are empty.
	full := Waiting(s.Max) >= nearlyFull*float64(s.Sizing.QueueCalls)
	bytesFull := s.Max["call_queue_bytes"] >= nearlyFull*s.Sizing.QueueBytes
	said := o.says("callqueuetoobig", "items")
	if refused == 0 && !said || bytesFull && !said || !full && !said {
		return nil
	}
	return &Conclusion{
		weight:  80,
		Message: "calls are refused because as many wait as may",
		Evidence: []string{
			evidence("%s calls refused with CallQueueTooBigException", number(refused)),
			evidence("%s calls waited at most, of %s allowed (%d handlers, %d queues of %s)", number(Waiting(s.Max)), number(limit), s.Sizing.Handlers, s.Sizing.Queues, number(float64(s.Sizing.QueueCalls))),
			evidence("%s of the handlers at work", percent(s.BusyHandlers())),
		},
		Advice:  "let clients back off before they retry (hbase.client.pause.server.overloaded; before 2.5 hbase.client.pause.cqtbe), then raise hbase.regionserver.handler.count in moderation, watching p99",
		Not:     "the limit in bytes (hbase.ipc.server.max.callqueue.size): what waits is small",
		Refuted: "queues that stay nearly empty while calls are refused",
	}
}

func scansStarveGets(o Observation, s Server) *Conclusion {
	split := s.Sizing.ReadRatio > 0 && s.Sizing.ScanRatio > 0
	scans, gets := s.Grown["rpc_scans"], s.Grown["rpc_gets"]+s.Grown["rpc_multis"]
	// A call's own time is not counted by kind; the blocks that were read tell
	// which kind has kept the handlers busy.
	wide := s.Grown["block_bytes_scanned"] > 16*65536*max(gets, 1) || s.Grown["row_actions"] > 20*max(s.Grown["requests"], 1)
	waits := Waiting(s.Max) > float64(s.Sizing.Handlers) || s.Grown["exceptions_call_timed_out"] > 0
	// Where nearly all calls are scans there is nothing to starve.
	if split || scans == 0 || gets < scans/10 || !wide || !waits || s.BusyHandlers() < 0.5 {
		return nil
	}
	return &Conclusion{
		weight:  70,
		Message: "wide scans hold the handlers, and gets wait behind them",
		Evidence: []string{
			evidence("%s scan calls and %s gets or batches in one queue (read.ratio %s, scan.ratio %s)", number(scans), number(gets), number(s.Sizing.ReadRatio), number(s.Sizing.ScanRatio)),
			evidence("%s of blocks read, %s a call", size(s.Grown["block_bytes_scanned"]), size(s.Grown["block_bytes_scanned"]/max(scans+gets, 1))),
			evidence("%s of %d handlers at work, %s calls waited at most", percent(s.BusyHandlers()), s.Sizing.Handlers, number(Waiting(s.Max))),
		},
		Advice:  "split the queue: hbase.ipc.server.callqueue.read.ratio and scan.ratio together, or limit how many regions a scan asks at once",
		Not:     "more handlers: the next scans take them too",
		Refuted: "gets as slow in minutes without scans",
	}
}

func handlersBlocked(o Observation, s Server) *Conclusion {
	cpu, known := s.fullestCPU(o.Seconds)
	growing := Waiting(s.Last) > Waiting(s.First) || Waiting(s.Mean) >= 1
	// Few samples of few handlers miss moments; as many calls that wait as there
	// are handlers say the same.
	full := s.BusyHandlers() >= FullHandlers || Waiting(s.Mean) >= float64(s.Sizing.Handlers)
	if !full || !growing || known && cpu > FreeCPU || s.writesRefused() || s.Grown["exceptions_call_queue_too_big"] > 0 && s.Sizing.QueueCalls < s.Sizing.Handlers {
		return nil
	}
	if scansStarveGets(o, s) != nil || queueBytes(o, s) != nil || callsStuck(o, s) != nil {
		return nil
	}
	c := &Conclusion{
		weight:  60,
		Message: "all handlers wait for something while processors are free: the handlers are the limit",
		Evidence: []string{
			evidence("%s of %d handlers at work on average", percent(s.BusyHandlers()), s.Sizing.Handlers),
			evidence("%s calls waited on average, %s at first and %s at last", number(Waiting(s.Mean)), number(Waiting(s.First)), number(Waiting(s.Last))),
		},
		Advice:  "raise hbase.regionserver.handler.count until the queue stays empty, and watch p99; hbtune sweep measures where that is",
		Not:     "a longer queue: calls would only wait longer",
		Refuted: "processors or disks that are full; a thread dump in which the handlers wait for one lock or one flush",
	}
	if known {
		c.Evidence = append(c.Evidence, evidence("%s of the processors in use, by all that runs there", percent(cpu)))
	}
	return c
}

// hotTwice is how far above the mean of the others a server is hot.
const hotTwice = 2

func hotServer(o Observation) *Conclusion {
	if len(o.Servers) < 2 {
		return nil
	}
	total := 0.0
	hot := o.Servers[0]
	for _, s := range o.Servers {
		total += s.Grown["requests"]
		if s.Grown["requests"] > hot.Grown["requests"] {
			hot = s
		}
	}
	others := (total - hot.Grown["requests"]) / float64(len(o.Servers)-1)
	if total/max(o.Seconds, 1) < 100 || hot.Grown["requests"] < hotTwice*max(others, 1) {
		return nil
	}
	c := &Conclusion{
		weight:  75,
		Servers: []string{hot.Name},
		Message: "one server has far more to do than the others",
		Evidence: []string{
			evidence("%s requests/s, where the others have %s on average", number(hot.Grown["requests"]/o.Seconds), number(others/o.Seconds)),
		},
		Advice:  "split or move its hot regions; salted keys need at least one bucket a server, split beforehand at the bytes of the buckets",
		Not:     "handlers on the hot server: the others would stay idle",
		Refuted: "the same spread after the balancer ran, with other servers in front",
	}
	if table, regions, ok := busyTable(o); ok && regions < len(o.Servers) {
		c.Evidence = append(c.Evidence, evidence("table %s takes most of the load and has %d regions for %d servers", table, regions, len(o.Servers)))
	}
	for i, r := range hottest(hot) {
		if i == 3 {
			break
		}
		c.Evidence = append(c.Evidence, evidence("region %s: %s reads/s, %s writes/s", r.Name, number(r.Reads/o.Seconds), number(r.Writes/o.Seconds)))
	}
	return c
}
