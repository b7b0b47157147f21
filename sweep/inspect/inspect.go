package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/hbase"
	"hbtune/sweep/metrics"
)

// Cluster tells what the Master knows.
type Cluster interface {
	ClusterStatus(ctx context.Context) (*hbase.ClusterStatus, error)
}

// Config says what to look at.
type Config struct {
	// URLs are the roots of the servers' web servers, such as http://rs1:16030;
	// without any they are asked of Cluster.
	URLs []string
	// Cluster may be nil where there are URLs: then nothing is known of single
	// regions.
	Cluster Cluster
	// File is what the servers are meant to run with, written at FileTime; nil
	// where that is not to be compared.
	File     *hbaseconf.Site
	FileTime time.Time
	// Window is how long the servers are watched; 0 only looks at what they run
	// with.
	Window time.Duration
	// Progress is told what goes on; nil for nobody.
	Progress func(text string)
}

// LeastWindow is two periods of HBase's metrics, which move once in 10 s.
const LeastWindow = 20 * time.Second

// Server is one server that was looked at.
type Server struct {
	Name      string    `json:"name"`
	Role      lint.Role `json:"role"`
	URL       string    `json:"url"`
	Version   string    `json:"version"`
	Start     time.Time `json:"start"`
	HeapBytes int64     `json:"heap_bytes"`
	Regions   int       `json:"regions"`

	conf  map[string]metrics.ConfEntry
	flags []string
}

// Report is what was found.
type Report struct {
	Servers     []Server              `json:"servers"`
	Differences []Difference          `json:"differences"`
	Drift       []diagnose.Drift      `json:"drift"`
	Findings    []lint.Finding        `json:"findings"`
	Seconds     float64               `json:"window_seconds"`
	Load        []Load                `json:"load"`
	Conclusions []diagnose.Conclusion `json:"conclusions"`
}

// Run looks at a cluster.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if cfg.Window != 0 && cfg.Window < LeastWindow {
		return nil, fmt.Errorf("a window of %v is too short: figures of HBase move once in 10 s; watch for at least %v", cfg.Window, LeastWindow)
	}
	in := newInspection(cfg)
	defer in.client.CloseIdleConnections()
	return in.run(ctx)
}

// Sizing is what the settings that a RegionServer runs with make of its
// resources, and how many RegionServers there are. Where they differ it is that
// of the first.
func Sizing(ctx context.Context, cfg Config) (sizing hbaseconf.Sizing, servers int, err error) {
	in := newInspection(cfg)
	defer in.client.CloseIdleConnections()
	if err := in.find(ctx); err != nil {
		return sizing, 0, err
	}
	if err := in.read(ctx); err != nil {
		return sizing, 0, err
	}
	list := in.regionServers()
	if len(list) == 0 {
		return sizing, 0, errors.New("no RegionServer is among the servers")
	}
	return list[0].sizing(), len(list), nil
}

func (in *inspection) run(ctx context.Context) (*Report, error) {
	if err := in.find(ctx); err != nil {
		return nil, err
	}
	if err := in.read(ctx); err != nil {
		return nil, err
	}
	report := &Report{Servers: in.servers, Differences: in.differences(), Drift: in.drift(), Findings: in.findings()}
	if in.cfg.Window > 0 {
		o, err := in.watch(ctx)
		if err != nil {
			return nil, err
		}
		o.Drift = report.Drift
		report.Seconds, report.Load = o.Seconds, loads(o)
		report.Conclusions = diagnose.Diagnose(o)
	}
	return report, nil
}

type inspection struct {
	cfg       Config
	client    *http.Client
	http      *metrics.Client
	catalogue *hbaseconf.Catalogue
	servers   []Server
	// now and wait are the clock; tests have their own.
	now  func() time.Time
	wait func(ctx context.Context, d time.Duration) error
}

func newInspection(cfg Config) *inspection {
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2}}
	return &inspection{cfg: cfg, client: client, http: metrics.New(client), catalogue: hbaseconf.Builtin(), now: time.Now, wait: wait}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (in *inspection) tell(format string, args ...any) {
	if in.cfg.Progress != nil {
		in.cfg.Progress(fmt.Sprintf(format, args...))
	}
}

// find lists the servers.
func (in *inspection) find(ctx context.Context) error {
	for _, url := range in.cfg.URLs {
		in.servers = append(in.servers, Server{URL: url})
	}
	if in.servers != nil {
		return nil
	}
	if in.cfg.Cluster == nil {
		return errors.New("no server is named and no cluster to ask for them")
	}
	status, err := in.cfg.Cluster.ClusterStatus(ctx)
	if err != nil {
		return fmt.Errorf("ask the Master for its servers: %w", err)
	}
	if status.MasterInfoPort > 0 {
		in.servers = append(in.servers, Server{URL: webURL(status.Master.Host, status.MasterInfoPort)})
	}
	for _, live := range status.Live {
		if live.InfoPort <= 0 {
			return fmt.Errorf("RegionServer %s has no web server (hbase.regionserver.info.port is -1), so nothing can be read from it", live.Server.Host)
		}
		in.servers = append(in.servers, Server{URL: webURL(live.Server.Host, live.InfoPort)})
	}
	return nil
}

// read asks every server what it is and what it runs with.
func (in *inspection) read(ctx context.Context) error {
	in.tell("reading %d servers", len(in.servers))
	group, ctx := errgroup.WithContext(ctx)
	for i := range in.servers {
		group.Go(func() error { return in.readServer(ctx, &in.servers[i]) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortStableFunc(in.servers, func(a, b Server) int {
		if a.Role != b.Role && (a.Role == lint.Master || b.Role == lint.Master) {
			if a.Role == lint.Master {
				return -1
			}
			return 1
		}
		return 0
	})
	return nil
}

func (in *inspection) readServer(ctx context.Context, s *Server) error {
	process, err := in.http.Process(ctx, s.URL)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.URL, err)
	}
	if s.conf, err = in.http.Conf(ctx, s.URL); err != nil {
		return fmt.Errorf("read %s: %w", s.URL, err)
	}
	s.Name, s.Start, s.HeapBytes, s.flags = hostOf(s.URL), process.Start, process.HeapMaxBytes, process.Arguments
	s.Version = s.conf["hbase.defaults.for.version"].Value
	s.Role = lint.RegionServer
	if process.Role == "Master" || process.Role == "HMaster" {
		s.Role = lint.Master
		return nil
	}
	figures, err := in.http.RegionServer(ctx, s.URL)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.URL, err)
	}
	for name := range figures.Servers {
		s.Name = name
	}
	s.Regions = int(figures.Gauges["regions"])
	return nil
}
