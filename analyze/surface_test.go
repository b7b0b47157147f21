package analyze

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

const flush = "hbase.hregion.memstore.flush.size"

// crossing measures a sweep whose variants move three properties together: handlers
// and cache matter, flush size does not, and the best lies between the levels.
func crossing(seed uint64, noise float64, repeats int) (trial.Sweep, []trial.Record) {
	random := rand.New(rand.NewPCG(seed, 1))
	base := hbaseconf.FromMap(map[string]string{handlers: "30", cache: "0.4", flush: "134217728"})
	s := trial.Sweep{
		Objective: "throughput", Baseline: base, Seed: seed,
		Parameters: []trial.Parameter{
			{Property: handlers, Log: true, Unit: "threads"},
			{Property: cache, Unit: "fraction of max heap", Complement: memstore, ComplementTotal: 0.8},
			{Property: flush, Log: true, Unit: "bytes"},
		},
	}
	w := trial.Workload{Name: "mixed", Threads: 16}
	var records []trial.Record
	add := func(id string, block, order int, v trial.Variant) {
		observed := base.Merge(v.Settings)
		x := 5000 * math.Exp(truth(observed)+noise*random.NormFloat64())
		records = append(records, trial.Record{
			Trial:    trial.Trial{ID: id, Session: id, Phase: trial.Explore, Block: block, Order: order, Variant: v, Workload: w},
			Observed: observed,
			Measurement: &trial.Measurement{
				Threads: 16, Throughput: x, Steady: true, Operations: int64(30 * x),
				Ops: map[string]trial.Latency{"read": {Count: int64(30 * x), MeanMicros: 16e6 / x, P50Micros: int64(12e6 / x), P95Micros: int64(40e6 / x), P99Micros: int64(60e6 / x), MaxMicros: int64(400e6 / x)}},
			},
		})
	}
	order := 0
	for block := 1; block <= repeats; block++ {
		for k := range 28 {
			order++
			v := trial.Variant{ID: trial.BaselineID}
			if k%9 != 0 {
				n := []string{"10", "30", "100", "250"}[k%4]
				c := 0.2 + 0.1*float64(k%5)
				f := []string{"67108864", "134217728", "268435456"}[k%3]
				v = trial.Variant{ID: fmt.Sprintf("v%02d", k), Settings: hbaseconf.FromMap(map[string]string{
					handlers: n, cache: fmt.Sprintf("%.1f", c), memstore: fmt.Sprintf("%.1f", 0.8-c), flush: f,
				})}
			}
			add(fmt.Sprintf("b%ds%02d", block, k), block, order, v)
		}
	}
	return s, records
}

// truth peaks at 60 handlers, rises with the cache up to 0.5, and has nothing to
// do with the flush size.
func truth(s hbaseconf.Settings) float64 {
	n, _ := s.Get(handlers)
	c, _ := s.Get(cache)
	x, _ := n.Number()
	y, _ := c.Number()
	return -0.08*math.Pow(math.Log(x/60), 2) - 2*math.Pow(y-0.5, 2)
}

func TestSurfaceProposal(t *testing.T) {
	s, records := crossing(1, 0.01, 2)
	got, err := Analyze(s, records, Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := got.Surface
	if u == nil || u.Model != "gaussian-process" || u.Proposal == nil {
		t.Fatalf("surface %+v", u)
	}
	n, _ := u.Proposal.Settings.Get(handlers)
	c, _ := u.Proposal.Settings.Get(cache)
	m, _ := u.Proposal.Settings.Get(memstore)
	handlersAt, _ := n.Number()
	cacheAt, _ := c.Number()
	memstoreAt, _ := m.Number()
	if handlersAt < 40 || handlersAt > 90 || math.Mod(handlersAt, 1) != 0 {
		t.Errorf("handlers %s, the truth is 60", n)
	}
	if math.Abs(cacheAt-0.5) > 0.051 || math.Abs(cacheAt+memstoreAt-0.8) > 1e-9 {
		t.Errorf("cache %s and memstore %s, the truth is 0.5 and 0.3", c, m)
	}
	if _, moved := u.Proposal.Settings.Get(flush); moved {
		t.Errorf("the flush size does nothing and was moved: %s", u.Proposal.Settings)
	}
	want := math.Exp(truth(s.Baseline.Merge(u.Proposal.Settings)) - truth(s.Baseline))
	if want < u.Proposal.Low || want > u.Proposal.High {
		t.Errorf("ratio %v (%v to %v), the truth is %v", u.Proposal.Ratio, u.Proposal.Low, u.Proposal.High, want)
	}
	if len(got.Importance) != 3 || got.Importance[2].Property != flush || got.Importance[2].Share > 0.1 {
		t.Errorf("importance %+v", got.Importance)
	}
	variant, reason, ok := Candidate(s, records, Options{})
	if !ok || !variant.Settings.Equal(u.Proposal.Settings) {
		t.Errorf("candidate %v, %s", variant, reason)
	}
	if got.Verdict == Improves {
		t.Error("a surface alone decided")
	}
}

// A surface keeps to what the server takes, to the bounds and away from what
// did not start.
func TestSurfaceIsBounded(t *testing.T) {
	s, records := crossing(2, 0.01, 2)
	propose := func(o Options, more ...trial.Record) hbaseconf.Settings {
		t.Helper()
		got, err := Analyze(s, append(records[:len(records):len(records)], more...), o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Surface == nil || got.Surface.Proposal == nil {
			return hbaseconf.Settings{}
		}
		return got.Surface.Proposal.Settings
	}
	number := func(s hbaseconf.Settings, name string) float64 {
		v, ok := s.Get(name)
		if !ok {
			v, _ = hbaseconf.FromMap(map[string]string{handlers: "30", cache: "0.4"}).Get(name)
		}
		x, _ := v.Number()
		return x
	}
	feasible := propose(Options{Feasible: func(s hbaseconf.Settings) error {
		if number(s, handlers) > 40 {
			return errors.New("no")
		}
		return nil
	}})
	if n := number(feasible, handlers); n > 40 {
		t.Errorf("infeasible: %s", feasible)
	}
	// p99 is 60e6/x µs: a bound below what any setting reaches leaves nothing.
	if p := propose(Options{Constraints: []string{"p99_us<=9000"}}); p.Len() != 0 {
		t.Errorf("proposed %s, which breaks the bound", p)
	}
	if p := propose(Options{Constraints: []string{"p99_us<=13000"}}); p.Len() == 0 {
		t.Error("a bound that everything keeps left nothing")
	}
	var crashes []trial.Record
	for i, n := range []string{"50", "60", "70", "80"} {
		for k, c := range []string{"0.4", "0.5", "0.6"} {
			v := trial.Variant{ID: fmt.Sprintf("f%d%d", i, k), Settings: hbaseconf.FromMap(map[string]string{handlers: n, cache: c, memstore: "0.2"})}
			crashes = append(crashes, trial.Record{
				Trial: trial.Trial{ID: v.ID, Session: v.ID, Phase: trial.Explore, Block: 1, Variant: v},
				Fault: &trial.Fault{Code: trial.FaultStart, Message: "heap"},
			})
		}
	}
	if p := propose(Options{}, crashes...); number(p, handlers) >= 45 && number(p, handlers) <= 90 {
		t.Errorf("proposed %s among settings that did not start", p)
	}
}

func TestOneAtATimeHasNoSurface(t *testing.T) {
	m := &simulation{seed: 7, noise: 0.01, effect: rising}
	m.explore(2)
	if got := mustAnalyze(t, m, Options{}); got.Surface != nil {
		t.Errorf("surface %+v", got.Surface)
	}
}

func TestUsualValues(t *testing.T) {
	for _, test := range []struct {
		a    axis
		unit string
		x    float64
		want string
	}{
		{axis{low: 10, high: 200, log: true, whole: true, measured: []float64{10, 200}}, "threads", 61.37, "60"},
		{axis{low: 32 << 20, high: 1 << 30, log: true, whole: true, measured: []float64{32 << 20, 1 << 30}}, "bytes", 261_883_904, "268435456"},
		{axis{low: 0.1, high: 0.7, measured: []float64{0.1, 0.7}}, "fraction of max heap", 0.4387, "0.45"},
		{axis{low: 100, high: 10000, log: true, whole: true, measured: []float64{100, 10000, 333}}, "ms", 340, "333"},
	} {
		list := test.a.usual(test.x, test.unit)
		if got := test.a.text(test.a.in(list[0])); string(got) != test.want {
			t.Errorf("%v: %s, want %s", test.x, got, test.want)
		}
	}
}

func TestTradeoffs(t *testing.T) {
	r, err := Options{}.rules()
	if err != nil {
		t.Fatal(err)
	}
	one := func(name string, x, p99 float64) Comparison {
		return Comparison{
			Variant: name, Workload: overall, Phase: "explore", Ratio: x, Ratios: map[string]float64{"p99_us": p99},
			Settings: hbaseconf.FromMap(map[string]string{handlers: name}),
		}
	}
	out := &Result{Verdict: Improves, Settings: hbaseconf.FromMap(map[string]string{handlers: "60"}), Comparisons: []Comparison{
		one("60", 1.2, 1.0), one("100", 1.3, 1.5), one("10", 0.9, 1.2), one("300", 1.19, 1.4),
	}}
	var said []string
	for _, t := range r.tradeoffs(out) {
		said = append(said, fmt.Sprintf("%s front=%v chosen=%v %s", t.Variant, t.Front, t.Chosen, t.BeatenBy))
	}
	want := []string{
		"baseline front=false chosen=false " + handlers + "=60", "60 front=true chosen=true ", "100 front=true chosen=false ",
		"10 front=false chosen=false " + handlers + "=60", "300 front=false chosen=false " + handlers + "=60",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

// The closed form of the knee against a search.
func TestKnee(t *testing.T) {
	params := map[string]float64{"lambda": 600, "sigma": 0.03, "kappa": 0.0004}
	power := func(n float64) float64 {
		x := 600 * n / (1 + 0.03*(n-1) + 0.0004*n*(n-1))
		return x * x / n
	}
	at, best := 1.0, 0.0
	for n := 1.0; n < 200; n += 0.01 {
		if p := power(n); p > best {
			at, best = n, p
		}
	}
	if got := uslKnee(params); math.Abs(got-at) > 0.02 {
		t.Errorf("knee %v, by search %v", got, at)
	}
	if !math.IsInf(uslKnee(map[string]float64{"sigma": 0, "kappa": 0}), 1) {
		t.Error("linear scaling has a knee")
	}
}
