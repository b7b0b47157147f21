package load

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"hbtune/sweep/trial"
)

func TestZetaIsTheSum(t *testing.T) {
	for _, n := range []int64{1, 2, 63, 64, 65, 1000, 100_000} {
		sum := 0.0
		for k := n; k > 0; k-- {
			sum += math.Pow(float64(k), -zipfTheta)
		}
		if got := zeta(n); math.Abs(got/sum-1) > 1e-9 {
			t.Errorf("zeta(%d) = %.12f, the sum is %.12f", n, got, sum)
		}
	}
	// The constant that YCSB has for its scrambled generator.
	if got, want := zeta(scrambledItems), 26.46902820178302; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("zeta(%d) = %.12f, want %.12f", int64(scrambledItems), got, want)
	}
}

// share of the draws that the closed form of YCSB's generator gives to ranks
// below r.
func (z *zipf) share(r int64) float64 {
	switch {
	case r <= 0:
		return 0
	case r == 1:
		return 1 / z.zeta
	case r >= z.items:
		return 1
	}
	u := 1 + (math.Pow(float64(r)/float64(z.items), 1-zipfTheta)-1)/z.eta
	return math.Max(u, z.second/z.zeta)
}

func TestZipfianRanksFollowTheLaw(t *testing.T) {
	const draws = 2_000_000
	for _, items := range []int64{1, 2, 3, 100, 100_000, scrambledItems} {
		z := newZipf(items)
		d := NewDraw(3, 1, 1)
		// Ranks are counted one by one at first, then in intervals that double.
		edges := []int64{1, 2, 3, 4, 5, 6, 8, 16, 32}
		for edges[len(edges)-1] < items {
			edges = append(edges, 2*edges[len(edges)-1])
		}
		counts := make([]float64, len(edges))
		for range draws {
			rank := z.rank(d.unit())
			if rank < 0 || rank >= items {
				t.Fatalf("%d items: rank %d", items, rank)
			}
			i, _ := slices.BinarySearch(edges, rank+1)
			counts[i]++
		}
		below := int64(0)
		for i, edge := range edges {
			edge = min(edge, items)
			want := z.share(edge) - z.share(below)
			got := counts[i] / draws
			if sd := math.Sqrt(want * (1 - want) / draws); math.Abs(got-want) > 5*sd+1e-9 {
				t.Errorf("%d items: ranks %d to %d are drawn with %.6f, want %.6f", items, below, edge-1, got, want)
			}
			below = edge
		}
		if items < 3 {
			continue
		}
		// Zipf's law itself: exactly so for the first two ranks, within what YCSB's
		// approximation leaves for shares of many.
		if p := counts[0] / draws; math.Abs(p*z.zeta-1) > 0.01 {
			t.Errorf("%d items: the first is drawn with %.5f, by the law with %.5f", items, p, 1/z.zeta)
		}
		for r := int64(4); r < items; r *= 4 {
			if law := zeta(r) / z.zeta; math.Abs(z.share(r)-law) > 0.03 {
				t.Errorf("%d items: the first %d have a share of %.4f, by the law %.4f", items, r, z.share(r), law)
			}
		}
	}
}

// choosers lists every distribution over a number of rows.
func choosers(rows int64, seed uint64) map[string]chooser {
	list := map[string]chooser{}
	for _, d := range []trial.Distribution{
		{},
		{Kind: trial.Zipfian},
		{Kind: trial.Latest},
		{Kind: trial.Hotspot, HotRows: 0.2, HotDraws: 0.8},
		{Kind: trial.Sequential},
		{Kind: trial.Exponential, Percent: 95, Within: 0.8571428571},
	} {
		common := new(common)
		common.inserts.begin(rows, 1)
		name := d.Kind
		if name == "" {
			name = trial.Uniform
		}
		list[name] = newChooser(d, seed, 1, rows, common)
	}
	return list
}

func TestEveryDrawIsARow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.Int64Range(1, 1<<rapid.IntRange(1, 39).Draw(t, "bits")).Draw(t, "rows")
		for name, c := range choosers(rows, rapid.Uint64().Draw(t, "seed")) {
			for range 50 {
				if row := c.Row(); row < 0 || row >= rows {
					t.Fatalf("%s: row %d of %d", name, row, rows)
				}
			}
		}
	})
}

func TestDistributionsHaveTheirShapes(t *testing.T) {
	const rows, draws = 1000, 400_000
	counts := map[string][]float64{}
	for name, c := range choosers(rows, 5) {
		counts[name] = make([]float64, rows)
		for range draws {
			counts[name][c.Row()] += 1.0 / draws
		}
	}
	sum := func(name string, from, to int) (total float64) {
		for _, p := range counts[name][from:to] {
			total += p
		}
		return total
	}
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %.4f, want %.4f", what, got, want)
		}
	}
	near("the hotspot's share", sum(trial.Hotspot, 0, 200), 0.8, 0.005)
	near("inside the hotspot", sum(trial.Hotspot, 0, 100), 0.4, 0.005)
	near("outside it", sum(trial.Hotspot, 200, 600), 0.1, 0.005)
	near("sequential", slices.Max(counts[trial.Sequential]), 1.0/rows, 1e-9)
	near("the latest row", counts[trial.Latest][rows-1], 1/zeta(rows), 0.003)
	near("the one before", counts[trial.Latest][rows-2], math.Pow(2, -zipfTheta)/zeta(rows), 0.003)
	// The law cut off at the first row, as drawing again does it.
	gamma := -math.Log(0.05) / 857.142857
	within := func(n float64) float64 { return -math.Expm1(-gamma * n) }
	near("exponential, latest tenth", sum(trial.Exponential, 900, 1000), within(100)/within(1000), 0.005)
	near("exponential, older half", sum(trial.Exponential, 0, 500), 1-within(500)/within(1000), 0.005)
	// The popular rows are strewn, and as popular as YCSB has them: the ranks
	// behind the first ones fall on all rows alike.
	p := slices.Clone(counts[trial.Zipfian])
	slices.Sort(p)
	if top := p[rows-1]; top < 0.0375 || top > 0.055 {
		t.Errorf("zipfian, most popular row: %.4f, want 0.0378 and what else falls on it", top)
	}
	near("zipfian, a tenth of all rows in order", sum(trial.Zipfian, 0, 100)+sum(trial.Zipfian, 500, 600), 0.2, 0.12)
}

func TestLatestFollowsInserts(t *testing.T) {
	common := new(common)
	common.inserts.begin(100, 10)
	c := newChooser(trial.Distribution{Kind: trial.Latest}, 1, 1, 100, common)
	e := newChooser(trial.Distribution{Kind: trial.Exponential, Percent: 95, Within: 0.5}, 1, 1, 100, common)
	var calls []int64
	for range 4 {
		call, row := common.inserts.take()
		if row != 100+10*call {
			t.Errorf("call %d begins with row %d", call, row)
		}
		calls = append(calls, call)
	}
	highest := func(c chooser) (most int64) {
		for range 2000 {
			most = max(most, c.Row())
		}
		return most
	}
	// Of what is under way nothing is read, nor of what ended behind it.
	common.inserts.end(calls[1])
	common.inserts.end(calls[3])
	if a, b := highest(c), highest(e); a != 99 || b != 99 {
		t.Errorf("rows up to %d and %d are read before they are there", a, b)
	}
	common.inserts.end(calls[0])
	if a, b := highest(c), highest(e); a != 119 || b != 119 {
		t.Errorf("rows up to %d and %d are read, want 119", a, b)
	}
	// One that never ends holds up the others only so long.
	for range insertWindow + 10 {
		call, _ := common.inserts.take()
		common.inserts.end(call)
	}
	if rows := common.inserts.rows(); rows < 100+10*insertWindow {
		t.Errorf("one call that hangs keeps the rows at %d", rows)
	}
}

func TestChoosersAreSmallAndDoNotAllocate(t *testing.T) {
	for name, c := range choosers(1_000_000_000, 1) {
		if n := testing.AllocsPerRun(1000, func() { c.Row() }); n > 0 {
			t.Errorf("%s: %v allocations a draw", name, n)
		}
	}
	sizes := map[string]uintptr{
		"uniform": unsafe.Sizeof(Draw{}), "zipfian": unsafe.Sizeof(scrambled{}), "latest": unsafe.Sizeof(latest{}),
		"hotspot": unsafe.Sizeof(hotspot{}), "sequential": unsafe.Sizeof(sequential{}), "exponential": unsafe.Sizeof(exponential{}),
	}
	for name, size := range sizes {
		if size > 1024 {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
}

// BenchmarkChooser is the cost of one draw among a billion rows.
func BenchmarkChooser(b *testing.B) {
	list := choosers(1_000_000_000, 1)
	for _, name := range []string{trial.Uniform, trial.Zipfian, trial.Latest, trial.Hotspot, trial.Sequential, trial.Exponential} {
		b.Run(name, func(b *testing.B) {
			c := list[name]
			b.ReportAllocs()
			var sum int64
			for b.Loop() {
				sum += c.Row()
			}
			if sum < 0 {
				b.Fatal(fmt.Sprint(sum))
			}
		})
	}
}
