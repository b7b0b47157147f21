package hbase

import (
	"bytes"
	"context"
	"fmt"

	"hbtune/sweep/hbase/wire"
)

const (
	metaTable  = "hbase:meta"
	metaRegion = "hbase:meta,,1"
)

// locate returns the region that holds the row: from the cache, else from
// hbase:meta, which one caller asks while the others wait.
func (t *Table) locate(ctx context.Context, row []byte) (*region, error) {
	if r := t.cache.find(row); r != nil {
		return r, nil
	}
	return t.lookUp(ctx, func() *region { return t.cache.find(row) }, func() (*region, error) {
		return t.askMeta(ctx, metaKey(t.name, row, true), func(r *region) bool { return r.contains(row) })
	})
}

// locateBefore returns the region that ends where row begins, for reversed
// scans; an empty row stands for the table's end.
func (t *Table) locateBefore(ctx context.Context, row []byte) (*region, error) {
	if r := t.cache.findBefore(row); r != nil {
		return r, nil
	}
	return t.lookUp(ctx, func() *region { return t.cache.findBefore(row) }, func() (*region, error) {
		key := metaKey(t.name, row, false)
		if len(row) == 0 {
			key = afterTable(t.name)
		}
		return t.askMeta(ctx, key, func(r *region) bool { return bytes.Equal(r.end, row) })
	})
}

func (t *Table) lookUp(ctx context.Context, again func() *region, ask func() (*region, error)) (*region, error) {
	select {
	case t.cache.lookup <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.cache.lookup }()
	if r := again(); r != nil {
		return r, nil
	}
	if t.name == metaTable {
		return t.locateMeta(ctx)
	}
	if len(*t.cache.regions.Load()) == 0 {
		// Nothing is known of the table: learn all of it in one go.
		if err := t.loadRegions(ctx); err != nil {
			return nil, err
		}
		if r := again(); r != nil {
			return r, nil
		}
	}
	return ask()
}

func (t *Table) locateMeta(ctx context.Context) (*region, error) {
	name, err := t.client.registry.meta(ctx)
	if err != nil {
		return nil, err
	}
	r := t.client.newRegion([]byte(metaRegion), nil, nil, name.Addr())
	t.cache.put(r)
	return r, nil
}

// metaKey is a key of hbase:meta between the regions of the table that start at
// or before the row and the rest. Region ids are digits; the colon is above.
func metaKey(table string, row []byte, inclusive bool) []byte {
	key := append([]byte(table), ',')
	key = append(key, row...)
	key = append(key, ',')
	if inclusive {
		key = append(key, ':')
	}
	return key
}

// afterTable is a key of hbase:meta above all regions of the table and below
// those of any other: '-' follows ','.
func afterTable(table string) []byte { return append([]byte(table), '-') }

// metaRows is how many rows to read back from a key: split parents stand
// between a row and its region.
const metaRows = 8

// askMeta reads hbase:meta backwards from key until a region fits.
func (t *Table) askMeta(ctx context.Context, key []byte, fits func(*region) bool) (*region, error) {
	scan := Scan{StartRow: key, Reversed: true, Limit: metaRows, Columns: metaColumns}
	scanner := t.client.meta.Scan(ctx, &scan)
	defer scanner.Close()
	exists := false
	for scanner.Next() {
		info, ok, err := parseMetaRow(scanner.Result())
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if info.Table != t.name {
			break
		}
		exists = true
		if !info.open() {
			continue
		}
		if r := t.newRegion(info); fits(r) {
			t.cache.put(r)
			return r, nil
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("looking up a region: %w", err)
	}
	if !exists {
		return nil, ErrTableNotFound
	}
	return nil, t.whyNoRegion(ctx)
}

// loadRegions reads all regions of the table.
func (t *Table) loadRegions(ctx context.Context) error {
	infos, err := t.regionInfos(ctx)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return ErrTableNotFound
	}
	all := make([]*region, 0, len(infos))
	for _, info := range infos {
		if !info.open() {
			continue
		}
		r := t.newRegion(info)
		if n := len(all); n > 0 && overlap(all[n-1], r) {
			all = all[:n-1] // a split or merge went on between the two reads
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return t.whyNoRegion(ctx)
	}
	t.cache.replace(all)
	return nil
}

// regionInfos lists the table's regions as hbase:meta has them, split parents
// left out.
func (t *Table) regionInfos(ctx context.Context) ([]metaRow, error) {
	if err := CheckTable(t.name); err != nil {
		return nil, err
	}
	scan := Scan{StartRow: metaKey(t.name, nil, false), StopRow: afterTable(t.name), Columns: metaColumns}
	scanner := t.client.meta.Scan(ctx, &scan)
	defer scanner.Close()
	var infos []metaRow
	for scanner.Next() {
		info, ok, err := parseMetaRow(scanner.Result())
		if err != nil {
			return nil, err
		}
		if ok && info.Table == t.name && !info.Split && info.Replica == 0 {
			infos = append(infos, info)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("listing regions of table %s: %w", t.name, err)
	}
	return infos, nil
}

func (t *Table) newRegion(info metaRow) *region {
	return t.client.newRegion(info.name, info.StartKey, info.EndKey, info.server)
}

// whyNoRegion finds out whether the table is disabled, which a client else
// never learns.
func (t *Table) whyNoRegion(ctx context.Context) error {
	get := Get{Row: []byte(t.name), Columns: []Column{{Family: []byte("table"), Qualifier: []byte("state")}}}
	var result Result
	if err := t.client.meta.Get(ctx, &get, &result); err != nil {
		return fmt.Errorf("reading the state of table %s: %w", t.name, err)
	}
	if len(result.Cells) == 0 {
		return errNoRegion
	}
	state, err := wire.ParseTableState(result.Cells[0].Value())
	if err != nil {
		return err
	}
	if state == wire.TableDisabled || state == wire.TableDisabling {
		return ErrTableDisabled
	}
	return errNoRegion
}

var metaColumns = []Column{{Family: []byte("info")}}

// metaRow is what a row of hbase:meta says.
type metaRow struct {
	wire.RegionInfo
	name   []byte
	server string // host:port
	state  string
}

// open reports whether the region is being served, as far as meta knows.
func (m *metaRow) open() bool {
	return !m.Offline && !m.Split && m.server != "" && (m.state == "" || m.state == "OPEN")
}

// parseMetaRow reads a region's row; false means that the row is about
// something else.
func parseMetaRow(result *Result) (m metaRow, ok bool, err error) {
	for _, cell := range result.Cells {
		switch string(cell.Qualifier()) {
		case "regioninfo":
			if m.RegionInfo, err = wire.ParseRegionInfo(cell.Value()); err != nil {
				return m, false, fmt.Errorf("row %q of hbase:meta: %w", cell.Row(), err)
			}
			m.name, ok = bytes.Clone(cell.Row()), true
		case "server":
			m.server = string(cell.Value())
		case "state":
			m.state = string(cell.Value())
		}
	}
	return m, ok, nil
}
