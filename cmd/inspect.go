package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/hbase"
	"hbtune/sweep/inspect"
	"hbtune/sweep/local"
)

type inspectOptions struct {
	quorum string
	name   string
	file   string
	window time.Duration
}

func newInspect(e *env) *cobra.Command {
	var o inspectOptions
	c := &cobra.Command{
		Use:   "inspect [URL…]",
		Short: "Look at a running cluster: settings, differences, advice; changes nothing",
		Long: `Reads what the Master and every RegionServer run with and how they are doing,
from /conf and /jmx of their web servers, and changes nothing: where they differ
from each other and from a file, what lint says of that with their real heap and
regions, and, over a window, what they suffer from. Every conclusion prints the
numbers that it rests on and what would refute it.

The servers are those of the local HBase, of the cluster at --zk, or those whose
web servers are named (http://host:16030).

Exit status: 0 done, 1 lint found errors in what is running, 2 bad usage,
3 a server could not be read, 4 interrupted.`,
		Example: `  hbtune inspect
  hbtune inspect --zk zk1:2181,zk2:2181 --window 60s
  hbtune inspect --file /etc/hbase/conf/hbase-site.xml http://rs1:16030 http://rs2:16030`,
		RunE: func(c *cobra.Command, args []string) error { return runInspect(c.Context(), e, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.quorum, "zk", "", "ZooKeeper of the cluster, host:port[,host:port…]")
	f.StringVar(&o.name, "name", local.DefaultName, "which local cluster, if there are several")
	f.StringVar(&o.file, "file", "", "an hbase-site.xml that the servers are meant to run with")
	f.DurationVar(&o.window, "window", 30*time.Second, "how long to watch, at least 20s; 0 only looks at settings")
	return c
}

func runInspect(ctx context.Context, e *env, o inspectOptions, urls []string) error {
	cfg := inspect.Config{URLs: urls, Window: o.window, Progress: func(text string) { fmt.Fprintln(e.Err, text) }}
	if o.window != 0 && o.window < inspect.LeastWindow {
		return badInput(fmt.Errorf("--window %v is too short: figures of HBase move once in 10 s; give at least %v, or 0", o.window, inspect.LeastWindow))
	}
	for _, address := range urls {
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return badInput(fmt.Errorf("%s is no URL of a server's web page, such as http://rs1:16030", address))
		}
	}
	if err := o.readFile(&cfg); err != nil {
		return badInput(err)
	}
	if len(urls) == 0 || o.quorum != "" {
		client, err := o.dial(ctx, e)
		if err != nil {
			return err
		}
		defer client.Close()
		cfg.Cluster = client.Admin()
	}
	report, err := inspect.Run(ctx, cfg)
	switch {
	case ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted; nothing was changed"))
	case err != nil:
		return targetError(err)
	}
	if e.json {
		err = e.printJSON(report)
	} else {
		err = report.WriteText(e.Out, time.Now(), e.color())
	}
	if err != nil {
		return err
	}
	if (lint.Report{Findings: report.Findings}).Count(lint.Error) > 0 {
		return &exitError{code: exitFound}
	}
	return nil
}

// readFile reads the file to compare with.
func (o inspectOptions) readFile(cfg *inspect.Config) error {
	if o.file == "" {
		return nil
	}
	site, err := hbaseconf.ReadSite(o.file)
	if err != nil {
		return fmt.Errorf("--file: %w", err)
	}
	info, err := os.Stat(o.file)
	if err != nil {
		return fmt.Errorf("--file: %w", err)
	}
	cfg.File, cfg.FileTime = site, info.ModTime()
	return nil
}

// dial opens the cluster that is to be asked for its servers.
func (o inspectOptions) dial(ctx context.Context, e *env) (*hbase.Client, error) {
	quorum := o.quorum
	if quorum == "" {
		cluster, err := local.OpenNamed(local.Config{Home: e.home, Name: o.name})
		if err != nil {
			return nil, localError(fmt.Errorf("%w (or name a cluster with --zk, or servers by URL)", err))
		}
		quorum = cluster.ZooKeeper()
	}
	cfg := hbase.Config{Quorum: quorum}
	if err := cfg.Validate(); err != nil {
		return nil, badInput(fmt.Errorf("--zk: %w", err))
	}
	client, err := hbase.Dial(ctx, cfg)
	if err != nil {
		return nil, targetError(err)
	}
	return client, nil
}
