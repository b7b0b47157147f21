package analyze

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// calibration counts how often a statement about simulated data is true.
type calibration struct {
	t    *testing.T
	full bool
}

// sets is how many data sets are simulated: many for `make calibrate`, a few to
// catch a blunder in every test run.
func (c calibration) sets(full, quick int) int {
	if c.full {
		return full
	}
	return quick
}

// check compares hits of n with the allowed share. A quick run allows four
// standard errors more.
func (c calibration) check(name string, hits, n int, low, high float64) {
	c.t.Helper()
	share := float64(hits) / float64(n)
	slack := 0.0
	if !c.full {
		for _, p := range []float64{low, high} {
			slack = max(slack, 4*math.Sqrt(p*(1-p)/float64(n)))
		}
		slack = max(slack, 4*math.Sqrt(0.05*0.95/float64(n)))
	}
	c.t.Logf("%-58s %5.1f %%  of %4d  (allowed %g–%g %%)", name, 100*share, n, 100*low, 100*high)
	if share < low-slack || share > high+slack {
		c.t.Errorf("%s: %.1f %% of %d, allowed %g–%g %%", name, 100*share, n, 100*low, 100*high)
	}
}

func newCalibration(t *testing.T) calibration {
	return calibration{t: t, full: os.Getenv("HBTUNE_CALIBRATE") != ""}
}

// Shapes of noise: most intervals assume the first, none may break under the
// others.
var noises = []struct {
	name string
	draw func(*rand.Rand) float64
}{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"heavy tails", func(r *rand.Rand) float64 {
		// Student's t with 4 degrees of freedom, scaled to standard deviation 1.
		s := 0.0
		for range 4 {
			x := r.NormFloat64()
			s += x * x
		}
		return r.NormFloat64() / math.Sqrt(s/4) / math.Sqrt2
	}},
	{"skewed", func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() }}, // stalls only slow down
}

// TestCalibrateFalseAlarms: nothing differs, so "improves" is wrong.
func TestCalibrateFalseAlarms(t *testing.T) {
	c := newCalibration(t)
	for _, pairs := range []int{4, 5, 6, 8} {
		n := c.sets(1000, 20)
		wrong := 0
		for seed := range n {
			m := &simulation{seed: uint64(seed), noise: 0.03, window: 0.01, blocks: 0.03}
			m.explore(2)
			if winner, _, ok := Candidate(m.sweep(), m.records, Options{}); ok {
				m.confirm(pairs, winner)
			}
			if mustAnalyze(t, m, Options{Resamples: 1}).Verdict == Improves {
				wrong++
			}
		}
		c.check(fmt.Sprintf("A/A sweep, %d pairs: wrong \"improves\"", pairs), wrong, n, 0, 0.05)
	}
	for _, noise := range noises {
		for _, shape := range []struct{ candidates, repeats, blocks int }{{1, 4, 0}, {1, 6, 6}, {3, 5, 0}, {3, 10, 10}, {8, 6, 0}} {
			n := c.sets(1000, 30)
			wrong := 0
			for seed := range n {
				set := importedSet(uint64(seed), noise.draw, shape.candidates, shape.repeats, shape.blocks, 0, 0.05)
				got, err := set.Analyze(Options{Resamples: 1})
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict == Improves {
					wrong++
				}
			}
			c.check(fmt.Sprintf("A/A table, %s, %d candidates × %d, %d blocks", noise.name, shape.candidates, shape.repeats, shape.blocks), wrong, n, 0, 0.05)
		}
	}
}

// importedSet is a table of a baseline and candidates, repeated; blocks differ by
// between.
func importedSet(seed uint64, draw func(*rand.Rand) float64, candidates, repeats, blocks int, effect, between float64) *Set {
	random := source(seed, 2)
	set := &Set{Imported: true, Factors: []Factor{{Name: handlers, Log: true, Baseline: "0"}}}
	shift := make([]float64, blocks+1)
	for i := range shift {
		shift[i] = between * random.NormFloat64()
	}
	for a := range candidates + 1 {
		for k := range repeats {
			s := Sample{
				ID: fmt.Sprintf("%d-%d", a, k), Session: fmt.Sprintf("%d-%d", a, k), Row: a*repeats + k + 2,
				Phase: "import", Arm: fmt.Sprintf("h%d", a), Moved: handlers, Condition: "c", Metrics: noMetrics(),
				Settings: hbaseconf.FromMap(map[string]string{handlers: fmt.Sprint(a)}), Hit: unknown,
				Values: []hbaseconf.Value{hbaseconf.Value(fmt.Sprint(a))},
			}
			y := math.Log(5000) + 0.03*draw(random)
			if blocks > 0 {
				s.Block = 1 + k%blocks
				y += shift[s.Block]
			}
			if a == 0 {
				s.Arm, s.Moved, s.Settings = trial.BaselineID, "", hbaseconf.Settings{}
			} else {
				y += effect
			}
			s.Metrics[Throughput] = math.Exp(y)
			set.Samples = append(set.Samples, s)
		}
	}
	return set
}

// TestCalibrateEffects: the interval of a comparison holds the true ratio.
func TestCalibrateEffects(t *testing.T) {
	c := newCalibration(t)
	truth := math.Exp(rising(handlers, 100))
	for _, pairs := range []int{4, 5, 6, 8} {
		for _, drift := range []float64{0, 0.002} {
			n := c.sets(1000, 20)
			held := 0
			for seed := range n {
				m := &simulation{seed: uint64(seed), noise: 0.03, window: 0.01, drift: drift, effect: rising}
				m.confirm(pairs, handlerVariant("100"))
				got := mustAnalyze(t, m, Options{Resamples: 1})
				if *got.Effect.Low <= truth && truth <= *got.Effect.High {
					held++
				}
			}
			c.check(fmt.Sprintf("confirmed effect, %d pairs, drift %g", pairs, drift), held, n, 0.92, 0.985)
		}
	}
	for _, blocks := range []int{2, 3, 5} {
		n := c.sets(1000, 20)
		held, seen := 0, 0
		for seed := range n {
			m := &simulation{seed: uint64(seed), noise: 0.03, window: 0.01, blocks: 0.05, effect: rising}
			m.explore(blocks)
			got := mustAnalyze(t, m, Options{Resamples: 1})
			for _, one := range got.Comparisons {
				if one.Variant != "h100" || one.Workload != overall {
					continue
				}
				seen++
				if *one.Low <= truth && truth <= *one.High {
					held++
				}
			}
		}
		c.check(fmt.Sprintf("explored effect, %d blocks", blocks), held, seen, 0.92, 0.98)
	}
}

// TestCalibratePower: what the power statement promises is seen.
func TestCalibratePower(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{}.rules()
	if err != nil {
		t.Fatal(err)
	}
	// The equivalence band is made small, so that the test alone decides; where
	// both bounds are equally hard, about 73 % are seen.
	r.equivalence = 0.005
	for _, pairs := range []int{4, 5, 6, 7, 8, 10, 12} {
		n := c.sets(1000, 60)
		seen := 0
		ratio := r.detectable(0.03, 2*pairs-2, pairs)
		for seed := range n {
			set := importedSet(uint64(seed), noises[0].draw, 1, pairs, pairs, math.Log(ratio), 0)
			got, err := set.Analyze(Options{Resamples: 1, Equivalence: r.equivalence})
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict == Improves {
				seen++
			}
		}
		c.check(fmt.Sprintf("a gain of the detectable ratio is seen, %d pairs", pairs), seen, n, 0.76, 0.84)
	}
}

// curveCase is a law that data are drawn from and fitted by its own family.
type curveCase struct {
	name   string
	factor string
	xs     []float64
	fit    family
	truth  func(float64) float64
	params map[string]float64
	peak   float64
}

func curveCases() []curveCase {
	log5, log7 := []float64{10, 20, 40, 80, 160}, []float64{1, 2, 4, 8, 16, 32, 64}
	usl := func(l, s, k float64) func(float64) float64 {
		return func(n float64) float64 { return l * n / (1 + s*(n-1) + k*n*(n-1)) }
	}
	return []curveCase{
		{name: "flat", xs: log5, fit: family{"flat", flatModel}, truth: func(float64) float64 { return 5000 }, params: map[string]float64{"a": 5000}},
		{
			name: "linear-log", xs: log5, fit: polynomial(1, true), params: map[string]float64{"a": 4000, "b": 300},
			truth: func(x float64) float64 { return 4000 + 300*math.Log(x) },
		},
		{
			name: "quadratic-log", xs: log5, fit: polynomial(2, true), params: map[string]float64{"a": 1000, "b": 2000, "c": -250},
			truth: func(x float64) float64 { return 1000 + 2000*math.Log(x) - 250*math.Log(x)*math.Log(x) }, peak: math.Exp(4),
		},
		{
			name: "saturating", xs: log5, fit: family{"saturating", saturatingModel}, params: map[string]float64{"a": 2000, "c": 6000, "k": 30},
			truth: func(x float64) float64 { return 2000 + 6000*x/(x+30) },
		},
		{
			name: "power", xs: log5, fit: family{"power", powerModel}, params: map[string]float64{"a": 700, "b": 0.4},
			truth: func(x float64) float64 { return 700 * math.Pow(x, 0.4) },
		},
		{
			name: "usl, peak inside", factor: factorThreads, xs: log7, fit: family{"usl", uslModel}, truth: usl(600, 0.02, 0.0005),
			params: map[string]float64{"lambda": 600, "sigma": 0.02, "kappa": 0.0005}, peak: math.Sqrt(0.98 / 0.0005),
		},
		{
			name: "usl, no contention", factor: factorThreads, xs: log7, fit: family{"usl", uslModel}, truth: usl(600, 0, 0.001),
			params: map[string]float64{"lambda": 600, "sigma": 0, "kappa": 0.001}, peak: math.Sqrt(1 / 0.001),
		},
	}
}

// source is a generator whose streams for neighbouring seeds have nothing in
// common, which plain PCG seeds do not promise.
func source(seed, purpose uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], purpose)
	return rand.New(rand.NewChaCha8(key))
}

// observe draws a series of a law: every level once a block.
func (k curveCase) observe(seed uint64, blocks int, noise, between float64, draw func(*rand.Rand) float64) series {
	random := source(seed, 3)
	factor := k.factor
	if factor == "" {
		factor = handlers
	}
	g := series{factor: Factor{Name: factor, Log: true}, condition: "c", workload: "c", blocks: blocks}
	for b := range blocks {
		shift := between * random.NormFloat64()
		for _, x := range k.xs {
			id := fmt.Sprintf("%d-%g", b, x)
			g.list = append(g.list, observation{
				x: x, block: b, y: math.Log(k.truth(x)) + shift + noise*draw(random),
				source: unit{session: id, block: b, trials: []string{id}},
			})
		}
	}
	return g
}

// TestCalibrateParameters: every parameter's interval holds the true value.
// With blocks, the level of a curve is that of the blocks at hand, so only one
// block can be compared with the law.
func TestCalibrateParameters(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{Resamples: c.sets(400, 100)}.rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range curveCases() {
		n := c.sets(1000, 40)
		held, seen := map[string]int{}, map[string]int{}
		for seed := range n {
			r.seed = uint64(seed)
			g := k.observe(uint64(seed), 1, 0.02, 0, noises[0].draw)
			for range 2 { // three repeats of each level in one block
				more := k.observe(uint64(seed)+uint64(len(g.list))*1_000_003, 1, 0.02, 0, noises[0].draw)
				g.list = append(g.list, more.list...)
			}
			g.only = []family{k.fit}
			got := r.curve(g)
			for name, want := range k.params {
				if in, ok := got.Intervals[name]; ok {
					seen[name]++
					if in[0] <= want && want <= in[1] {
						held[name]++
					}
				}
			}
			if k.peak > 0 && got.Optimum != nil && got.Optimum.Low != nil {
				seen["peak"]++
				high := math.Inf(1) // no upper end
				if got.Optimum.High != nil {
					high = *got.Optimum.High
				}
				if *got.Optimum.Low <= k.peak && k.peak <= high {
					held["peak"]++
				}
			}
			if got.Knee != nil && got.Knee.Low != nil && got.Knee.High != nil {
				seen["knee"]++
				if want := uslKnee(k.params); *got.Knee.Low <= want && want <= *got.Knee.High {
					held["knee"]++
				}
			}
		}
		for _, name := range []string{"a", "b", "c", "k", "lambda", "sigma", "kappa", "peak", "knee"} {
			if seen[name] > 0 {
				c.check(k.name+": "+name, held[name], seen[name], 0.92, 0.99)
			}
		}
	}
}

// TestCalibrateBlocks: what does not depend on the level is recovered from
// blocks that differ, and from blocks that do not.
func TestCalibrateBlocks(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{Resamples: c.sets(400, 100)}.rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range curveCases() {
		truth, ok := map[string]float64{"power": k.params["b"], "saturating": k.params["k"]}[k.name]
		if !ok {
			continue
		}
		name := map[string]string{"power": "b", "saturating": "k"}[k.name]
		for _, between := range []float64{0, 0.05} {
			n := c.sets(500, 20)
			held, seen := 0, 0
			for seed := range n {
				r.seed = uint64(seed)
				g := k.observe(uint64(seed), 3, 0.02, between, noises[0].draw)
				g.only = []family{k.fit}
				if in, ok := r.curve(g).Intervals[name]; ok {
					seen++
					if in[0] <= truth && truth <= in[1] {
						held++
					}
				}
			}
			c.check(fmt.Sprintf("%s: %s, blocks that differ by %g %%", k.name, name, 100*between), held, seen, 0.92, 0.99)
		}
	}
}

// TestCalibrateBands: at a point of x, the band holds the law that the data
// came from, the family being chosen from the data.
func TestCalibrateBands(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{Resamples: c.sets(400, 100)}.rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range curveCases() {
		for _, noise := range []float64{0.005, 0.03} {
			n := c.sets(300, 5)
			held, seen := 0, 0
			for seed := range n {
				r.seed = uint64(seed)
				g := k.observe(uint64(seed), 1, noise, 0, noises[0].draw)
				for range 2 {
					more := k.observe(uint64(seed)+uint64(len(g.list))*1_000_003, 1, noise, 0, noises[0].draw)
					g.list = append(g.list, more.list...)
				}
				got := r.curve(g)
				for i := 0; i < len(got.Band); i += 10 {
					row := got.Band[i]
					seen++
					if y := k.truth(row[0]); row[2] <= y && y <= row[3] {
						held++
					}
				}
			}
			c.check(fmt.Sprintf("band, %s, noise %g %%", k.name, 100*noise), held, seen, 0.91, 0.98)
		}
	}
}

// TestCalibrateTwoCosts: the costs of a hit and of a miss are recovered.
func TestCalibrateTwoCosts(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{Resamples: c.sets(400, 100)}.rules()
	if err != nil {
		t.Fatal(err)
	}
	n := c.sets(500, 40)
	hit, miss := 0, 0
	for seed := range n {
		random := source(uint64(seed), 4)
		r.seed = uint64(seed)
		chart := HitChart{Workload: "w"}
		for _, h := range []float64{0.2, 0.4, 0.6, 0.8, 0.9, 0.95} {
			for range 2 {
				x := 1e6 / (h*70 + (1-h)*400) * math.Exp(0.02*random.NormFloat64())
				chart.Points = append(chart.Points, HitPoint{Hit: h, Throughput: x})
			}
		}
		r.twoCost(&chart)
		if in := chart.HitRange; in != nil && in[0] <= 70 && 70 <= in[1] {
			hit++
		}
		if in := chart.MissRange; in != nil && in[0] <= 400 && 400 <= in[1] {
			miss++
		}
	}
	c.check("two-cost model: a hit", hit, n, 0.92, 0.98)
	c.check("two-cost model: a miss", miss, n, 0.92, 0.98)
}

// TestCalibrateImportance: the interval of a property's share holds the share
// that the true effects have.
func TestCalibrateImportance(t *testing.T) {
	c := newCalibration(t)
	r, err := Options{Resamples: 200}.rules()
	if err != nil {
		t.Fatal(err)
	}
	effect := func(name string, x float64) float64 {
		if name == handlers {
			return rising(name, x)
		}
		if name == cache {
			return -3 * (x - 0.4) * (x - 0.4)
		}
		return 0
	}
	spread := func(list ...float64) float64 { // the baseline's 0 among them
		sum, squares, n := 0.0, 0.0, float64(len(list)+1)
		for _, x := range list {
			sum, squares = sum+x, squares+x*x
		}
		return squares/n - sum*sum/n/n
	}
	a := spread(effect(handlers, 10), effect(handlers, 60), effect(handlers, 100))
	b := spread(effect(cache, 0.2), effect(cache, 0.6))
	truth := map[string]float64{handlers: a / (a + b), cache: b / (a + b)}
	for _, blocks := range []int{3, 5} {
		n := c.sets(1000, 30)
		held, seen := 0, 0
		for seed := range n {
			m := &simulation{seed: uint64(seed), noise: 0.03, window: 0.01, blocks: 0.05, effect: effect}
			m.explore(blocks)
			set := FromSweep(m.sweep(), m.records)
			r.seed = uint64(seed)
			for _, one := range set.importance(r, set.exploring()) {
				seen++
				if *one.Low <= truth[one.Property] && truth[one.Property] <= *one.High {
					held++
				}
			}
		}
		c.check(fmt.Sprintf("importance, %d blocks", blocks), held, seen, 0.92, 0.98)
	}
}
