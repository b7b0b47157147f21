package hbase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"hbtune/sweep/hbase/wire"
)

// rpcRegistry is the registry that masters and RegionServers keep themselves
// (hbase.masters, hbase.client.bootstrap.servers), from HBase 2.5 on: any of
// them answers.
type rpcRegistry struct {
	client  *Client
	servers []string
}

var errNoMaster = errors.New("there is no active master at the moment")

func (r *rpcRegistry) meta(ctx context.Context) (wire.ServerName, error) {
	return r.ask(ctx, "GetMetaRegionLocations", wire.ParseMetaLocation, errNoRegion)
}

func (r *rpcRegistry) master(ctx context.Context) (wire.ServerName, error) {
	return r.ask(ctx, "GetActiveMaster", wire.ParseActiveMaster, errNoMaster)
}

// ask goes through the servers, in an order of its own each time, until one
// answers.
func (r *rpcRegistry) ask(ctx context.Context, method string,
	parse func(wire.Reply) (wire.ServerName, bool, error), none error,
) (wire.ServerName, error) {
	var last error
	for _, i := range rand.Perm(len(r.servers)) {
		call := newCall()
		call.param = wire.AppendEmpty(nil)
		s := r.client.server(r.servers[i], wire.ClientMetaService)
		reply, err := r.client.send(ctx, s, anyConn, method, r.client.cfg.RPCTimeout, call)
		if err == nil {
			var name wire.ServerName
			var ok bool
			if name, ok, err = parse(reply); err == nil && ok {
				return name, nil
			}
			if err == nil {
				err = none
			}
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return wire.ServerName{}, fmt.Errorf("asking %d servers for %s: %w", len(r.servers), method, last)
}
