package hbase

import (
	"errors"
	"slices"
	"strings"
	"time"
)

func realTables(r *real) {
	r.fill(100)
	name := r.table.Name()
	err := r.admin.CreateTable(r.ctx, &TableSchema{Name: name, Families: []FamilySchema{{Name: "f"}}}, nil)
	if !isClass(err, "TableExistsException") {
		r.Errorf("creating it twice: %v", err)
	}
	if err := r.admin.DeleteTable(r.ctx, name); !isClass(err, "TableNotDisabledException") {
		r.Errorf("deleting it while enabled: %v", err)
	}

	if flushed, err := r.admin.Flush(r.ctx, name); err != nil || flushed != 1 {
		r.Errorf("%d regions were flushed, %v", flushed, err)
	}
	schema, err := r.admin.TableDescriptor(r.ctx, name)
	r.must(err)
	schema.Attributes = append(schema.Attributes, Attribute{Name: "MAX_FILESIZE", Value: "1073741824"})
	r.must(r.admin.ModifyTable(r.ctx, schema))
	schema, err = r.admin.TableDescriptor(r.ctx, name)
	r.must(err)
	if !slices.Contains(schema.Attributes, Attribute{Name: "MAX_FILESIZE", Value: "1073741824"}) || len(schema.Families) != 1 {
		r.Errorf("after modification: %+v", schema)
	}

	regions, err := r.admin.Regions(r.ctx, name)
	r.must(err)
	if len(regions) != 2 || string(regions[1].StartKey) != "m" || !regions[0].Open || regions[0].Server == "" {
		r.Errorf("regions: %+v", regions)
	}
	r.must(r.admin.Compact(r.ctx, name, true))
	getRow(r.T, r.table, "0000")
	if blocks, err := r.admin.ClearBlockCache(r.ctx, name); err != nil || blocks == 0 {
		r.Errorf("%d blocks were dropped, %v", blocks, err)
	}

	r.must(r.admin.DisableTable(r.ctx, name))
	start := time.Now()
	if err := r.table.Get(r.ctx, &Get{Row: []byte("0000")}, new(Result)); !errors.Is(err, ErrTableDisabled) {
		r.Errorf("get of a disabled table: %v", err)
	}
	if state, err := r.admin.TableState(r.ctx, name); err != nil || state.String() != "disabled" {
		r.Errorf("state %v, %v", state, err)
	}
	r.Logf("a disabled table was recognised in %v", time.Since(start))
	if err := r.admin.DisableTable(r.ctx, name); !isClass(err, "TableNotEnabledException") {
		r.Errorf("disabling it twice: %v", err)
	}
	r.must(r.admin.EnableTable(r.ctx, name))
	if v, _ := getRow(r.T, r.table, "0000"); v != "v0000" {
		r.Errorf("after enabling: %q", v)
	}
	r.must(r.admin.DisableTable(r.ctx, name))
	r.must(r.admin.TruncateTable(r.ctx, name, true))
	if _, ok := getRow(r.T, r.table, "0000"); ok {
		r.Error("after truncation a row is left")
	}
	if regions, err := r.admin.Regions(r.ctx, name); err != nil || len(regions) != 2 {
		r.Errorf("after truncation: %+v, %v", regions, err)
	}

	if err := r.client.Table("hbtune_absent").Get(r.ctx, &Get{Row: []byte("a")}, new(Result)); !errors.Is(err, ErrTableNotFound) {
		r.Errorf("get of an absent table: %v", err)
	}
	if exists, err := r.admin.TableExists(r.ctx, "hbtune_absent"); err != nil || exists {
		r.Errorf("absent table exists: %v, %v", exists, err)
	}
	if err := r.admin.DisableTable(r.ctx, "hbtune_absent"); !isClass(err, "TableNotFoundException") {
		r.Errorf("disabling an absent table: %v", err)
	}
	bad := &TableSchema{Name: "hbtune_bad", Families: []FamilySchema{{Name: "f", Attributes: []Attribute{{Name: "BLOCKSIZE", Value: "-1"}}}}}
	if err := r.admin.CreateTable(r.ctx, bad, nil); err == nil {
		r.Error("a table with a negative block size was made")
		r.dropTable("hbtune_bad")
	}
}

func realSwitches(r *real) {
	before, err := r.admin.SetBalancer(r.ctx, false)
	r.must(err)
	if now, err := r.admin.SetBalancer(r.ctx, before); err != nil || now {
		r.Errorf("the balancer, turned off, was %v, %v", now, err)
	}
	split, merge, err := r.admin.SetSplitMerge(r.ctx, false, true)
	r.must(err)
	s, m, err := r.admin.SetSplitMerge(r.ctx, split, merge)
	if err != nil || s || !m {
		r.Errorf("split and merge were %v and %v, %v", s, m, err)
	}
	r.must(r.admin.UpdateAllConfigurations(r.ctx))
	status, err := r.admin.ClusterStatus(r.ctx)
	r.must(err)
	if status.Version != r.cluster.Version() || len(status.Live) != len(r.cluster.RegionServers()) || len(status.Live[0].Regions) == 0 {
		r.Errorf("%+v", status)
	}
	if master, err := r.admin.Master(r.ctx); err != nil || master.Port != status.Master.Port {
		r.Errorf("master %v, not %v; %v", master, status.Master, err)
	}
}

func realWrongPlaces(r *real) {
	start := time.Now()
	wrong := map[string]Config{
		"unknown host":     {Quorum: "no-such-host.invalid:2181"},
		"other znode":      {Quorum: r.cluster.ZooKeeper(), ZNode: "/other"},
		"a server's port":  {Quorum: r.cluster.RegionServers()[0].Address},
		"a web page":       {Quorum: strings.TrimPrefix(r.cluster.RegionServers()[0].InfoURL, "http://")},
		"nothing is there": {Quorum: "127.0.0.1:1"},
	}
	for name, cfg := range wrong {
		_, err := Dial(r.ctx, cfg)
		if err == nil || strings.Contains(err.Error(), "\n") {
			r.Errorf("%s: %v", name, err)
		}
		r.Logf("%s: %v", name, err)
	}
	// A region on a port that speaks HTTP, or in the wrong service.
	tb := *r.table
	tb.cache = newRegionCache()
	web := strings.TrimPrefix(r.cluster.RegionServers()[0].InfoURL, "http://")
	tb.cache.put(r.client.newRegion([]byte("x,,1."), nil, nil, web))
	err := tb.Get(r.ctx, &Get{Row: []byte("a")}, new(Result))
	var e *Error
	if !errors.As(err, &e) || e.Retryable || e.Attempts != 1 {
		r.Errorf("the info port: %v", err)
	}
	r.Log(err)
	if took := time.Since(start); took > time.Minute {
		r.Errorf("all this took %v", took)
	}
}
