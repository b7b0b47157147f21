package diagnose

// Codes of what may be wrong with a load.
const (
	ThreadsNotSet       = "threads-not-set"
	ClientBound         = "client-bound"
	ReadsNotFound       = "reads-not-found"
	TargetAboveCapacity = "target-above-capacity"
)

// clientRules look at what made the load: what is wrong there says nothing of
// the servers.
func clientRules() []Rule {
	return []Rule{
		{ThreadsNotSet, once(threadsNotSet)},
		{ClientBound, once(clientBound)},
		{ReadsNotFound, once(readsNotFound)},
		{TargetAboveCapacity, once(targetAboveCapacity)},
		{"one-socket", once(oneSocket)},
		{"connection-per-thread", once(connectionPerThread)},
	}
}

func threadsNotSet(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.Threads < 2 || c.MeanSeconds <= 0 || c.Target > 0 {
		return nil
	}
	running := c.Throughput * c.MeanSeconds
	if running > 0.5*float64(c.Threads) {
		return nil
	}
	return &Conclusion{
		weight:  99,
		Message: "the load had far fewer threads at work than were asked for",
		Evidence: []string{
			evidence("%s operations/s × %s ms = %s threads (Little's law), where %d were asked for", number(c.Throughput), number(c.MeanSeconds*1000), number(running), c.Threads),
		},
		Advice:  "check how the number of threads is given: YCSB reads threadcount or -threads, and passes over -p threads=N",
		Not:     "any parameter of the servers",
		Refuted: "threads that wait outside of the measured operation, by a pause or a limit of the load generator",
	}
}

func clientBound(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.CPUShare < FullClient {
		return nil
	}
	busiest, told := 0.0, "servers' processors unknown"
	for _, s := range o.Servers {
		if cpu, known := s.CPUShare(o.Seconds); known {
			busiest = max(busiest, cpu)
			told = "servers at most " + percent(busiest)
		}
	}
	if busiest > FreeCPU {
		return nil
	}
	return &Conclusion{
		weight:  98,
		Message: "the load generator is the limit",
		Evidence: []string{
			evidence("client %s of its processors, %s", percent(c.CPUShare), told),
			evidence("%s operations/s with %d threads", number(c.Throughput), c.Threads),
		},
		Advice:  "spread the load over more client machines; nothing can be said of the servers from this",
		Not:     "raising hbase.regionserver.handler.count",
		Refuted: "the same throughput from twice the client machines",
	}
}

func readsNotFound(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.NotFoundShare < 0.01 {
		return nil
	}
	return &Conclusion{
		weight:  97,
		Message: "reads ask for rows that are not there: the measurement is void",
		Evidence: []string{
			evidence("%s of the reads found nothing", percent(c.NotFoundShare)),
		},
		Advice:  "load as many rows as the run reads from (recordcount), with the same order and hashing of keys",
		Not:     "reporting the latency of reads: a miss reads a bloom filter at most",
		Refuted: "a workload that is meant to miss",
	}
}

func targetAboveCapacity(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.Target <= 0 || c.Throughput >= (RateReached-c.Shortfall)*c.Target {
		return nil
	}
	return &Conclusion{
		weight:  96,
		Message: "the target is above what this system can do, so that the backlog grows as long as the run lasts",
		Evidence: []string{
			evidence("%s operations/s of %s asked for", number(c.Throughput), number(c.Target)),
		},
		Advice:  "lower the target below the capacity and measure the latency there",
		Not:     "reporting p99 of this run: it is the length of the run, not a property of the servers",
		Refuted: "a rate that is reached once the warm-up is over",
	}
}

func oneSocket(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.ThreadsBy < 2 || c.SlowerBy < 0.5*c.ThreadsBy || c.Connections > 2 || !o.idle() {
		return nil
	}
	return &Conclusion{
		weight:  94,
		Message: "answers wait for each other on one connection while the servers are idle",
		Evidence: []string{
			evidence("%s times the threads, %s times the latency", number(c.ThreadsBy), number(c.SlowerBy)),
			evidence("%d connections to a server; handlers, queues and processors have room", max(c.Connections, 1)),
		},
		Advice:  "hbase.client.ipc.pool.size above 1, in the client's file",
		Not:     "handlers of the server",
		Refuted: "latency that stays with several client processes of one thread each",
	}
}

func connectionPerThread(o Observation) *Conclusion {
	c := o.Client
	if c == nil || c.Workers == 0 || c.RunningThreads < 50*c.Workers {
		return nil
	}
	return &Conclusion{
		weight:  93,
		Message: "the client opens a connection for each worker, and each brings its own pool of threads",
		Evidence: []string{
			evidence("%s threads for %d workers", number(float64(c.RunningThreads)), c.Workers),
		},
		Advice:  "share one connection, or a few: they are made for use by many threads",
		Not:     "a larger heap for the client",
		Refuted: "threads that belong to something else than connections (a thread dump names them)",
	}
}
