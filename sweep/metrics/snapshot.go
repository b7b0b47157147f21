package metrics

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Snapshot is what one RegionServer, or several together, said at one moment.
type Snapshot struct {
	// Time is when the reading was complete.
	Time time.Time `json:"time"`
	// Servers tells who is in it: when each says that it started, by its name
	// ("localhost,16020,1700000000000").
	Servers map[string]time.Time `json:"servers"`
	// Counters grow since the start of the server; Gauges are the present.
	Counters map[string]float64 `json:"counters"`
	Gauges   map[string]float64 `json:"gauges"`
}

// ServerStart is when the server of a snapshot started; of several, the last.
func (s Snapshot) ServerStart() time.Time {
	var last time.Time
	for _, start := range s.Servers {
		if start.After(last) {
			last = start
		}
	}
	return last
}

// gapError says which figure is missing.
type gapError struct{ url, bean, attribute string }

func (e *gapError) Error() string {
	if e.attribute == "" {
		return fmt.Sprintf("%s/jmx: no bean %s", e.url, e.bean)
	}
	return fmt.Sprintf("%s/jmx: %s has no %s", e.url, e.bean, e.attribute)
}

// RegionServer reads the figures of one RegionServer, at the root URL of its web
// server ("http://host:16030"). It waits until they are complete, or ctx ends.
func (c *Client) RegionServer(ctx context.Context, baseURL string) (Snapshot, error) {
	baseURL = strings.TrimRight(baseURL, "/")
	return retry(ctx, func(ctx context.Context) (Snapshot, error) { return c.read(ctx, baseURL) })
}

// RegionServers reads several at once and returns their sum.
func (c *Client) RegionServers(ctx context.Context, baseURLs []string) (Snapshot, error) {
	group, ctx := errgroup.WithContext(ctx)
	list := make([]Snapshot, len(baseURLs))
	for i, url := range baseURLs {
		group.Go(func() (err error) {
			list[i], err = c.RegionServer(ctx, url)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Snapshot{}, err
	}
	return Sum(list...), nil
}

func newSnapshot() Snapshot {
	return Snapshot{Servers: map[string]time.Time{}, Counters: map[string]float64{}, Gauges: map[string]float64{}}
}

// read takes one snapshot, or says what is missing.
func (c *Client) read(ctx context.Context, baseURL string) (Snapshot, error) {
	s := newSnapshot()
	for i, source := range sources() {
		beans, err := c.getBeans(ctx, baseURL, source.pattern)
		if err != nil {
			return s, err
		}
		if len(beans) == 0 {
			if len(source.essential) == 0 {
				continue
			}
			return s, &gapError{baseURL, source.pattern, ""}
		}
		if err := s.take(baseURL, source, beans[0]); err != nil {
			return s, err
		}
		if i == 0 {
			if err := s.identify(baseURL, beans[0]); err != nil {
				return s, err
			}
		}
	}
	if err := c.readJVM(ctx, baseURL, &s); err != nil {
		return s, err
	}
	s.Time = time.Now()
	return s, nil
}

func (s *Snapshot) take(url string, source source, b bean) error {
	for _, f := range source.essential {
		x, found := b.number(f.attribute)
		if !found {
			return &gapError{url, source.pattern, f.attribute}
		}
		s.set(f, x)
	}
	for _, f := range source.further {
		if x, found := b.number(f.attribute); found {
			s.set(f, x)
		}
	}
	return nil
}

func (s *Snapshot) set(f figure, x float64) {
	if f.kind == counter {
		s.Counters[f.name] = x
	} else {
		s.Gauges[f.name] = x
	}
}

func (s *Snapshot) identify(url string, b bean) error {
	const name, start = "tag.serverName", "regionServerStartTime"
	millis, found := b.number(start)
	if !found || millis <= 0 {
		return &gapError{url, "sub=Server", start}
	}
	server := b.text(name)
	if server == "" {
		return &gapError{url, "sub=Server", name}
	}
	s.Servers[server] = time.UnixMilli(int64(millis))
	return nil
}

// readJVM adds what the Java machine knows of itself, which is always fresh.
func (c *Client) readJVM(ctx context.Context, baseURL string, s *Snapshot) error {
	one := func(pattern string) (bean, error) {
		beans, err := c.getBeans(ctx, baseURL, pattern)
		if err != nil {
			return nil, err
		}
		if len(beans) != 1 {
			return nil, &gapError{baseURL, pattern, ""}
		}
		return beans[0], nil
	}
	const system, memory = "java.lang:type=OperatingSystem", "java.lang:type=Memory"
	if err := c.readMachineCPU(ctx, baseURL, system, s); err != nil {
		return err
	}
	b, err := one(system)
	if err != nil {
		return err
	}
	nanos, found := b.number("ProcessCpuTime")
	if !found {
		return &gapError{baseURL, system, "ProcessCpuTime"}
	}
	s.Counters["cpu_seconds"] = nanos / 1e9
	if cpus, found := b.number("AvailableProcessors"); found {
		s.Gauges["cpus"] = cpus
	}
	if b, err = one(memory); err != nil {
		return err
	}
	heap := b.within("HeapMemoryUsage")
	for name, member := range map[string]string{"heap_used_bytes": "used", "heap_committed_bytes": "committed", "heap_max_bytes": "max"} {
		x, found := heap.number(member)
		if !found {
			return &gapError{baseURL, memory, "HeapMemoryUsage." + member}
		}
		s.Gauges[name] = x
	}
	collectors, err := c.getBeans(ctx, baseURL, "java.lang:type=GarbageCollector,*")
	if err != nil {
		return err
	}
	for _, b := range collectors {
		count, _ := b.number("CollectionCount")
		millis, _ := b.number("CollectionTime")
		s.Counters["gc_count"] += count
		s.Counters["gc_ms"] += millis
	}
	return nil
}

// readMachineCPU asks for the load of the machine alone; see processorLoad.
func (c *Client) readMachineCPU(ctx context.Context, baseURL, bean string, s *Snapshot) error {
	for _, attribute := range processorLoad() {
		beans, err := c.getAttribute(ctx, baseURL, bean, attribute)
		if err != nil {
			return err
		}
		if len(beans) != 1 {
			continue
		}
		if share, found := beans[0].number(attribute); found {
			if share >= 0 {
				s.Gauges[machineCPU] = share
			}
			return nil
		}
	}
	return nil
}
