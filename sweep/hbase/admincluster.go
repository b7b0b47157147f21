package hbase

import (
	"context"
	"fmt"

	"hbtune/sweep/hbase/wire"
)

// ClusterStatus asks the master for all it knows.
func (a *Admin) ClusterStatus(ctx context.Context) (*ClusterStatus, error) {
	const method = "GetClusterStatus"
	reply, err := a.master(ctx, method, "", wire.AppendClusterStatus)
	if err != nil {
		return nil, err
	}
	status, err := wire.ParseClusterStatus(reply)
	return status, wrapReply(method, "", err)
}

// SetBalancer turns the balancer on or off, waits for what it is doing, and
// returns what it was before.
func (a *Admin) SetBalancer(ctx context.Context, on bool) (before bool, err error) {
	return a.flip(ctx, "SetBalancerRunning", func(b []byte) []byte { return wire.AppendSwitch(b, on, true) })
}

// SetSplitMerge lets regions be split and merged, or not, and returns what was
// allowed before.
func (a *Admin) SetSplitMerge(ctx context.Context, split, merge bool) (splitBefore, mergeBefore bool, err error) {
	const method = "SetSplitOrMergeEnabled"
	splitBefore, err = a.flip(ctx, method, func(b []byte) []byte {
		return wire.AppendSplitOrMerge(b, split, wire.SplitSwitch)
	})
	if err != nil {
		return false, false, err
	}
	mergeBefore, err = a.flip(ctx, method, func(b []byte) []byte {
		return wire.AppendSplitOrMerge(b, merge, wire.MergeSwitch)
	})
	return splitBefore, mergeBefore, err
}

func (a *Admin) flip(ctx context.Context, method string, param func([]byte) []byte) (before bool, err error) {
	reply, err := a.master(ctx, method, "", param)
	if err != nil {
		return false, err
	}
	values, err := wire.ParseBools(reply)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("%w: %d previous values", wire.ErrMalformed, len(values))
	}
	if err != nil {
		return false, wrapReply(method, "", err)
	}
	return values[0], nil
}

// UpdateConfiguration makes a server (a RegionServer or a master, host:port)
// read its configuration files again; properties that may change online do.
func (a *Admin) UpdateConfiguration(ctx context.Context, server string) error {
	_, err := a.at(ctx, server, "UpdateConfiguration", "", wire.AppendEmpty)
	return err
}

// UpdateAllConfigurations does so on every live RegionServer and the master.
func (a *Admin) UpdateAllConfigurations(ctx context.Context) error {
	status, err := a.ClusterStatus(ctx)
	if err != nil {
		return err
	}
	for _, load := range status.Live {
		if err := a.UpdateConfiguration(ctx, load.Server.Addr()); err != nil {
			return err
		}
	}
	return a.UpdateConfiguration(ctx, status.Master.Addr())
}

// MoveRegion moves a region to a server, or where the master likes.
func (a *Admin) MoveRegion(ctx context.Context, region Region, to *ServerName) error {
	_, err := a.master(ctx, "MoveRegion", region.Table, func(b []byte) []byte {
		return wire.AppendMoveRegion(b, []byte(region.Name), to)
	})
	return err
}

// SplitRegion splits a region at a key; without one the server chooses.
func (a *Admin) SplitRegion(ctx context.Context, region Region, at []byte) error {
	return a.procedure(ctx, "SplitRegion", region.Table, func(b []byte, nonce wire.Nonce) []byte {
		return wire.AppendSplitRegion(b, &region.info, at, nonce)
	})
}

// MergeRegions makes one region of two or more neighbours.
func (a *Admin) MergeRegions(ctx context.Context, regions ...Region) error {
	names := make([][]byte, len(regions))
	table := ""
	for i, r := range regions {
		names[i], table = []byte(r.Name), r.Table
	}
	return a.procedure(ctx, "MergeTableRegions", table, func(b []byte, nonce wire.Nonce) []byte {
		return wire.AppendMergeRegions(b, names, nonce)
	})
}
