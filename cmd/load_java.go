package cmd

import (
	"context"
	"fmt"
	"os"

	"hbtune/sweep/load"
	"hbtune/sweep/local"
)

// startJava compiles the worker around HBase's own client and starts it.
func (p *loadPlace) startJava(ctx context.Context, e *env, s *loadSession) error {
	cfg := local.Config{Home: e.home}
	quorum := p.quorum
	folder := p.conf
	if folder == "" && quorum == "" {
		folder = os.Getenv("HBASE_CONF_DIR")
	}
	if cluster, err := local.Open(e.home); err == nil {
		cfg.Version = cluster.Version()
		if quorum == "" && folder == "" {
			quorum = cluster.ZooKeeper()
		}
	}
	program, err := load.CompileJava(ctx, cfg, e.Err)
	if err != nil {
		return localError(err)
	}
	// The worker must not end with ctx: it is told to when its input ends.
	java, err := load.OpenJava(ctx, s.tables, p.api, load.JavaCommand(context.WithoutCancel(ctx), program, folder, p.api, quorum))
	if err != nil {
		return loadError(fmt.Errorf("--driver java: %w", err))
	}
	s.java, s.tables = java, java
	return nil
}
