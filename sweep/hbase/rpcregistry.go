package hbase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"hbtune/sweep/hbase/wire"
)

// rpcRegistry is the registry that servers keep themselves: masters
// (hbase.masters) from HBase 2.3 on, RegionServers
// (hbase.client.bootstrap.servers) from 2.5 on. Any of them answers.
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
		if errors.Is(err, io.EOF) {
			// So a server answers the preamble of a service that it has not.
			err = fmt.Errorf("%w: it keeps no registry (masters do from HBase 2.3 on, RegionServers from 2.5 on)", err)
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return wire.ServerName{}, fmt.Errorf("asking %d servers for %s: %w", len(r.servers), method, last)
}
