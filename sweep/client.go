package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"hbtune/hbaseconf"
	"hbtune/sweep/hbase"
	"hbtune/sweep/load"
	"hbtune/sweep/local"
	"hbtune/sweep/trial"
)

// Drivers of loads.
const (
	nativeDriver = "native"
	javaDriver   = "java"
)

// driver is a client, and of Java's the interface.
type driver struct{ name, api string }

// driverOf is what drives a workload.
func (s Spec) driverOf(w WorkloadSpec) driver {
	d := driver{name: cmp.Or(w.Driver, s.Driver, nativeDriver)}
	if d.name == javaDriver {
		d.api = cmp.Or(w.API, s.API, load.APITable)
	}
	return d
}

// record is the driver as trials name it; the native one needs no name.
func (d driver) record() string {
	if d.name == nativeDriver {
		return ""
	}
	return d.name + "/" + d.api
}

func (d driver) String() string {
	if d.name == javaDriver {
		return "HBase's " + d.api + " API"
	}
	return "the native client"
}

func (d driver) validate() error {
	switch {
	case d.name != nativeDriver && d.name != javaDriver:
		return fmt.Errorf("driver: %q is not known, use native or java", d.name)
	case d.name == javaDriver && d.api != load.APITable && d.api != load.APIMutator && d.api != load.APIAsync:
		return fmt.Errorf("api: %q is not known, use table, mutator or async", d.api)
	}
	return nil
}

// reads refuses a client property that changes nothing with the driver, and a
// value that it can't work with.
func (d driver) reads(property string, value hbaseconf.Value) error {
	if d.name == javaDriver {
		if len(load.JavaUnread(d.api, []string{property})) > 0 {
			return fmt.Errorf("%s is not read by %v%s", property, d, readBy(property))
		}
		return nil
	}
	_, unmodelled, err := nativeConfig(hbaseconf.NewSettings(hbaseconf.Setting{Name: property, Value: value}))
	if len(unmodelled) > 0 {
		return fmt.Errorf("%s means nothing to the native client%s", property, readBy(property))
	}
	return err
}

// readBy says with which driver a client property means something.
func readBy(property string) string {
	for _, api := range []string{load.APITable, load.APIMutator, load.APIAsync} {
		if len(load.JavaUnread(api, []string{property})) == 0 {
			return fmt.Sprintf(": set driver: %s, api: %s", javaDriver, api)
		}
	}
	return ", and neither does any other driver read it: leave it out"
}

func nativeConfig(settings hbaseconf.Settings) (hbase.Config, []string, error) {
	return hbase.ConfigFrom(hbaseconf.LoadSettings(hbaseconf.Process(), "the variant", settings))
}

// clientOnly tells whether a property is read by clients and not by
// RegionServers.
func clientOnly(catalogue *hbaseconf.Catalogue, name string) bool {
	p, known := catalogue.Lookup(name)
	return known && p.In(hbaseconf.Client) && !p.In(hbaseconf.RegionServer)
}

// divided are a variant's settings by who reads them. What both read goes to
// both.
func divided(catalogue *hbaseconf.Catalogue, all hbaseconf.Settings) (server, client hbaseconf.Settings) {
	for name, value := range all.All() {
		one := hbaseconf.Setting{Name: name, Value: value}
		if p, known := catalogue.Lookup(name); known && p.In(hbaseconf.Client) {
			client = client.With(one)
		}
		if !clientOnly(catalogue, name) {
			server = server.With(one)
		}
	}
	return server, client
}

// clientFolder of a variant holds the hbase-site.xml that its client reads.
const clientFolder = "client"

// clients opens the drivers of a session, with the variant's client properties
// in force. It holds one open at a time.
type clients struct {
	dir     string // the sweep's folder
	quorum  string
	plain   load.Cluster   // the native driver as it was opened for all else
	program *local.Program // nil without the java driver

	swept    bool // the sweep moves client properties
	settings hbaseconf.Settings
	confDir  string
	open     string // the driver that is open, as trials name it
	cluster  load.Cluster
	end      func()
}

// begin has the following drivers work with a variant's client properties.
func (c *clients) begin(variant string, settings hbaseconf.Settings) error {
	c.close()
	c.settings = settings
	c.confDir = filepath.Join(c.dir, "variants", variant, clientFolder)
	if c.program == nil && !c.swept {
		return nil
	}
	path := filepath.Join(c.confDir, "hbase-site.xml")
	site, err := hbaseconf.ParseSite(path, []byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n</configuration>\n"))
	if err != nil {
		return err
	}
	if site, err = site.With(settings); err != nil {
		return err
	}
	if err := os.MkdirAll(c.confDir, 0o755); err != nil {
		return fmt.Errorf("write the client's configuration: %w", err)
	}
	if err := renameio.WriteFile(path, site.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the client's configuration: %w", err)
	}
	return nil
}

// of is the driver of a trial, opened for the session unless it is already.
func (c *clients) of(ctx context.Context, name string) (load.Cluster, error) {
	if name == "" && !c.swept {
		return c.plain, nil
	}
	if c.cluster != nil && c.open == name {
		return c.cluster, nil
	}
	c.close()
	var err error
	if name == "" {
		err = c.openNative(ctx)
	} else {
		err = c.openJava(ctx, name)
	}
	c.open = name
	return c.cluster, err
}

func (c *clients) openNative(ctx context.Context) error {
	cfg, _, err := nativeConfig(c.settings)
	if err != nil {
		return err
	}
	cfg.Quorum, cfg.Servers = c.quorum, ""
	client, err := hbase.Dial(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect with the variant's client properties: %w", err)
	}
	c.cluster, _ = load.OpenHBase(client, nil)
	c.end = func() { client.Close() }
	return nil
}

func (c *clients) openJava(ctx context.Context, name string) error {
	api := name[len(javaDriver)+1:]
	// The worker must not end with ctx: it is told to when its input ends.
	cmd := load.JavaCommand(context.WithoutCancel(ctx), c.program, c.confDir, api, c.quorum)
	return c.startJava(ctx, api, cmd)
}

// startJava opens the worker and has it say what it runs with.
func (c *clients) startJava(ctx context.Context, api string, cmd *exec.Cmd) error {
	java, err := load.OpenJava(ctx, c.plain, api, cmd)
	if err != nil {
		return err
	}
	running, err := java.Conf(ctx, c.settings.Names())
	if err != nil {
		java.Close()
		return fmt.Errorf("read the Java client's configuration back: %w", err)
	}
	for property, want := range c.settings.All() {
		if have := running[property]; have != string(want) {
			java.Close()
			return fmt.Errorf("the Java client runs with %s=%s instead of %s", property, have, want)
		}
	}
	c.cluster, c.end = java, java.Close
	return nil
}

func (c *clients) close() {
	if c.end != nil {
		c.end()
	}
	c.cluster, c.end, c.open = nil, nil, ""
}

// sides is a target whose variants have a server's side and a client's.
type sides struct {
	servers Target
	clients interface {
		begin(string, hbaseconf.Settings) error
	}
	catalogue *hbaseconf.Catalogue
	// baseline has the values of properties that a variant does not move.
	baseline hbaseconf.Settings
	// clientsOnly says that no parameter is a server's: one restart then serves
	// all variants. In other sweeps every session has a restart of its own, so that
	// none is measured on a warmer server than those that it is compared with.
	clientsOnly bool

	// running says that servers which no load has failed on were restarted for
	// this run.
	running  bool
	receipt  trial.Receipt
	observed hbaseconf.Settings
}

// doubt has the next variant restart the servers, whatever it changes.
func (s *sides) doubt() { s.running = false }

// Apply puts both sides of a variant in force.
func (s *sides) Apply(ctx context.Context, v trial.Variant) (trial.Receipt, hbaseconf.Settings, error) {
	server, client := divided(s.catalogue, v.Settings)
	if err := s.clients.begin(v.ID, client); err != nil {
		return trial.Receipt{}, hbaseconf.Settings{}, err
	}
	receipt := trial.Receipt{Target: s.receipt.Target, ServerStart: s.receipt.ServerStart}
	if !s.running || !s.clientsOnly {
		part := v
		part.Settings = server
		var err error
		if receipt, s.observed, err = s.servers.Apply(ctx, part); err != nil {
			return receipt, s.observed, err
		}
		s.running, s.receipt = true, receipt
	}
	observed := s.observed
	for name, value := range s.baseline.All() {
		if clientOnly(s.catalogue, name) {
			observed = observed.With(hbaseconf.Setting{Name: name, Value: value})
		}
	}
	for name, value := range client.All() {
		if clientOnly(s.catalogue, name) {
			observed = observed.With(hbaseconf.Setting{Name: name, Value: value})
		}
	}
	return receipt, observed, nil
}

// compileJava makes the java driver's program where a workload wants it.
func (r *rig) compileJava(ctx context.Context) (*local.Program, error) {
	if !slices.ContainsFunc(r.spec.Workloads, func(w WorkloadSpec) bool { return r.spec.driverOf(w).name == javaDriver }) {
		return nil, nil
	}
	r.options.Events.Stage("HBase's own client: compile the worker unless it is there")
	program, err := load.CompileJava(ctx, local.Config{Home: r.options.Home, Version: r.spec.Target.Version}, io.Discard)
	if err != nil {
		return nil, fmt.Errorf("driver java: %w", err)
	}
	return program, nil
}

// sameDriver refuses an interface where there is no choice of one.
func (s Spec) sameDriver(w WorkloadSpec) error {
	if cmp.Or(w.Driver, s.Driver, nativeDriver) != javaDriver && (w.API != "" || w.Driver == "" && s.API != "") {
		return errors.New("api: it is one of HBase's own client: add driver: java")
	}
	return nil
}
