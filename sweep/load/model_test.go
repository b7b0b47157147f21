package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// model is a small database in memory: tables of rows, one block cache with
// random replacement, counters that are refreshed at intervals as HBase does it.
// It waits on the clock, so tests run it inside a synctest bubble.
type model struct {
	latency   time.Duration
	cacheSize int           // blocks
	blockRows int64         // rows a block
	refresh   time.Duration // of the counters
	// slow makes everything take that much longer at a time since the start.
	slow func(since time.Duration) float64
	// fail, if set, may fail an operation.
	fail func() error
	// hangs, if set, says when an operation does not return until it is cancelled.
	hangs func(since time.Duration) bool

	mu      sync.Mutex
	start   time.Time
	tables  map[string]*modelTable
	cached  map[string]int // block → place in order
	order   []string
	rng     *rand.Rand
	now     Reading // the true counters
	shown   Reading // as last refreshed
	shownAt time.Time
	calls   []string // of the administration
}

type modelTable struct {
	attributes map[string]string
	splits     int
	keys       []string          // of rows, in order
	rows       map[string][]byte // by key, one slash and column where there are several
}

func newModel() *model {
	return &model{
		latency:   time.Millisecond,
		cacheSize: 200,
		blockRows: 4,
		refresh:   time.Second,
		start:     time.Now(),
		tables:    map[string]*modelTable{},
		cached:    map[string]int{},
		rng:       rand.New(rand.NewPCG(1, 1)),
	}
}

func (m *model) Driver() string { return "model" }

func (m *model) Table(name string, columns, _ int) Table {
	return &modelHandle{m: m, name: name, columns: columns}
}

func (m *model) Describe(_ context.Context, table string) (map[string]string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tables[table]
	if !ok {
		return nil, false, nil
	}
	return maps.Clone(t.attributes), true, nil
}

func (m *model) Create(_ context.Context, table string, attributes map[string]string, splits [][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tables[table] != nil {
		return errors.New("table exists")
	}
	m.calls = append(m.calls, "create "+table)
	m.tables[table] = &modelTable{attributes: attributes, splits: len(splits), rows: map[string][]byte{}}
	return nil
}

func (m *model) Drop(_ context.Context, table string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, "drop "+table)
	delete(m.tables, table)
	return nil
}

func (m *model) Regions(_ context.Context, table string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tables[table]
	if !ok {
		return nil, errors.New("no such table")
	}
	var names []string
	for i := range t.splits + 1 {
		names = append(names, fmt.Sprintf("%s,%d", table, i))
	}
	return names, nil
}

func (m *model) Settle(_ context.Context, table string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, "settle "+table)
	return nil
}

func (m *model) ClearCache(_ context.Context, table string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, "clear "+table)
	m.cached, m.order = map[string]int{}, nil
	return nil
}

func (m *model) Read(context.Context) (Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shownAt.IsZero() || time.Since(m.shownAt) >= m.refresh {
		m.shown, m.shownAt = m.now, time.Now()
		m.shown.Counters = maps.Clone(m.now.Counters)
	}
	r := m.shown
	r.At, r.CacheBytes, r.CacheBlocks = time.Now(), int64(m.cacheSize)*m.blockRows*int64(100+cellOverhead), int64(m.cacheSize)
	return r, nil
}

// touch looks a block up, and puts it in if it was not there.
func (m *model) touch(block string) {
	if _, ok := m.cached[block]; ok {
		m.now.DataHits++
		m.now.Hits += 2 // its index block too
		return
	}
	m.now.DataMisses++
	m.now.Misses++
	m.now.Hits++
	if m.cacheSize == 0 {
		return
	}
	if len(m.order) < m.cacheSize {
		m.cached[block] = len(m.order)
		m.order = append(m.order, block)
		return
	}
	place := m.rng.IntN(len(m.order))
	delete(m.cached, m.order[place])
	m.cached[block], m.order[place] = place, block
}

func (m *model) count(name string) {
	if m.now.Counters == nil {
		m.now.Counters = map[string]float64{}
	}
	m.now.Counters[name]++
	m.now.Requests++
}

type modelHandle struct {
	m       *model
	name    string
	columns int
	row     string // that Value speaks of
}

// cell is where the model keeps a column of a row.
func (h *modelHandle) cell(key string, column int) string {
	if h.columns <= 1 {
		return key
	}
	return fmt.Sprintf("%s/%d", key, column)
}

func (h *modelHandle) wait(ctx context.Context) error {
	m := h.m
	if m.hangs != nil && m.hangs(time.Since(m.start)) {
		<-ctx.Done()
		return ctx.Err()
	}
	d := m.latency
	if m.slow != nil {
		d = time.Duration(float64(d) * m.slow(time.Since(m.start)))
	}
	time.Sleep(d)
	if m.fail != nil {
		return m.fail()
	}
	return nil
}

func (h *modelHandle) Get(ctx context.Context, key []byte, c Columns) (found bool, err error) {
	err = h.GetAll(ctx, [][]byte{key}, c, func(_ int, f bool) { found = f })
	return found, err
}

func (h *modelHandle) GetAll(ctx context.Context, keys [][]byte, c Columns, row func(int, bool)) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	for i, key := range keys {
		h.m.mu.Lock()
		h.m.count("gets")
		var offset int64
		fmt.Sscanf(string(key[min(prefixLen, len(key)):]), "%x", &offset)
		h.m.touch(fmt.Sprintf("%s %s %d", h.name, key[:prefixLen], offset/h.m.blockRows))
		h.row = string(key)
		_, found := h.m.tables[h.name].rows[h.cell(h.row, c.First)]
		h.m.mu.Unlock()
		row(i, found)
	}
	return nil
}

func (h *modelHandle) Scan(ctx context.Context, start []byte, limit int, _ Columns, row func([]byte)) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	h.m.mu.Lock()
	all := h.m.tables[h.name].keys
	from, _ := slices.BinarySearch(all, string(start))
	to, _ := slices.BinarySearch(all, string(sentinel))
	keys := slices.Clone(all[from:min(from+limit, max(from, to))])
	h.m.count("scans")
	h.m.mu.Unlock()
	for _, key := range keys {
		h.row = key
		row([]byte(key))
	}
	return nil
}

func (h *modelHandle) Value(column int) ([]byte, bool) {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	value, ok := h.m.tables[h.name].rows[h.cell(h.row, column)]
	return value, ok
}

func (h *modelHandle) Put(ctx context.Context, row Row) error {
	return h.PutAll(ctx, []Row{row})
}

func (h *modelHandle) PutAll(ctx context.Context, rows []Row) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	for _, row := range rows {
		h.m.count("puts")
		t := h.m.tables[h.name]
		if at, found := slices.BinarySearch(t.keys, string(row.Key)); !found {
			t.keys = slices.Insert(t.keys, at, string(row.Key))
		}
		for i, value := range row.Values {
			t.rows[h.cell(string(row.Key), row.First+i)] = bytes.Clone(value)
		}
	}
	return nil
}
