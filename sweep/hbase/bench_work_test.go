package hbase

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// What the benchmarks do, as PerformanceEvaluation does it: the same rows, the
// same columns asked for, values made anew for each put.

type gets struct {
	tb     *Table
	rows   int
	random *rand.Rand
	get    Get
	result Result
}

func newGets(tb *Table, rows, worker int) *gets {
	return &gets{tb: tb, rows: rows, random: newRandom(worker), get: Get{Columns: []Column{{Family: benchFamily, Qualifier: benchQualifier}}}}
}

func newRandom(worker int) *rand.Rand { return rand.New(rand.NewPCG(uint64(worker), 1)) }

func (g *gets) do() (int, error) {
	g.get.Row = benchRow(g.get.Row, g.random.IntN(g.rows))
	if err := g.tb.Get(context.Background(), &g.get, &g.result); err != nil {
		return 0, err
	}
	if v, _ := g.result.Value(benchFamily, benchQualifier); len(v) != benchValue {
		return 0, fmt.Errorf("row %s has %d bytes", g.get.Row, len(v))
	}
	return 1, nil
}

type puts struct {
	tb     *Table
	rows   int
	random *rand.Rand
	put    Put
	value  []byte
}

func newPuts(tb *Table, rows, worker int) *puts {
	return &puts{tb: tb, rows: rows, random: newRandom(worker), value: make([]byte, benchValue)}
}

func (p *puts) do() (int, error) {
	p.put.Reset(benchRow(p.put.Row, p.random.IntN(p.rows)))
	fillValue(p.value, p.random)
	p.put.Add(benchFamily, benchQualifier, p.value)
	return 1, p.tb.Put(context.Background(), &p.put)
}

// fillValue draws a letter for every eight bytes.
func fillValue(value []byte, random *rand.Rand) {
	for i := 0; i < len(value); i += 8 {
		letter := byte('A' + random.IntN(26))
		for j := i; j < min(i+8, len(value)); j++ {
			value[j] = letter
		}
	}
}

// bufferedPuts are many rows a call.
type bufferedPuts struct {
	tb     *Table
	random *rand.Rand
	next   func() int // the next row's number
	batch  Batch
	puts   []Put
	keys   [][]byte
	values [][]byte
}

func newBufferedPuts(tb *Table, rows, size, worker int) *bufferedPuts {
	p := &bufferedPuts{tb: tb, random: newRandom(worker), puts: make([]Put, size), keys: make([][]byte, size), values: make([][]byte, size)}
	p.next = func() int { return p.random.IntN(rows) }
	for i := range p.values {
		p.values[i] = make([]byte, benchValue)
	}
	return p
}

func (p *bufferedPuts) do() (int, error) {
	p.batch.Reset()
	for i := range p.puts {
		p.keys[i] = benchRow(p.keys[i], p.next())
		fillValue(p.values[i], p.random)
		p.puts[i].Reset(p.keys[i])
		p.puts[i].Add(benchFamily, benchQualifier, p.values[i])
		p.batch.Put(&p.puts[i])
	}
	return len(p.puts), p.tb.Multi(context.Background(), &p.batch)
}

type scans struct {
	tb       *Table
	rows     int
	random   *rand.Rand
	scan     Scan
	scanner  Scanner
	expected int
}

func newScans(tb *Table, rows, size, worker int) *scans {
	return &scans{
		tb: tb, rows: rows, random: newRandom(worker), expected: size,
		scan: Scan{Columns: []Column{{Family: benchFamily, Qualifier: benchQualifier}}},
	}
}

func (s *scans) do() (int, error) {
	from := s.random.IntN(s.rows - s.expected)
	s.scan.StartRow = benchRow(s.scan.StartRow, from)
	s.scan.StopRow = benchRow(s.scan.StopRow, from+s.expected)
	s.scanner.Start(context.Background(), s.tb, &s.scan)
	n := 0
	for s.scanner.Next() {
		n++
	}
	if err := s.scanner.Err(); err != nil {
		return 0, err
	}
	if n != s.expected {
		return 0, fmt.Errorf("%d rows from %s on", n, s.scan.StartRow)
	}
	return n, nil
}
