package report

import (
	"math"
	"slices"

	"hbtune/analyze"
	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// resultOf makes a Result of the right shape by the simplest arithmetic. The
// golden files rest on it, so that they change with the report only, not with
// every refinement of the analysis.
func resultOf(s trial.Sweep, records []trial.Record, verdict analyze.Verdict) *analyze.Result {
	set := analyze.FromSweep(s, records)
	r := &analyze.Result{
		Verdict: verdict, Objective: s.Objective, Constraints: s.Constraints, Equivalence: s.Equivalence,
		Baseline: s.Baseline, Excluded: set.Excluded, Samples: len(set.Samples),
		Noise: analyze.Noise{
			WithinRestart: pointer(0.006), BetweenRestarts: pointer(0.012), DetectableRatio: pointer(1.035),
			Pairs: s.Confirm, Freedom: 24, Statement: "with 4 pairs of restarts a gain under 3.5 % can't be seen",
		},
		Audit: []analyze.Finding{
			{Trial: "b1s05-mixed-h0.9", Code: "not-steady", Severity: "warning", Message: "warm-up ended by its cap of 25 s"},
			{Trial: "b2s03-mixed-h0.3", Code: "outlier", Severity: "info", Message: "4.1 standard deviations from its block's fit"},
		},
	}
	conditions := map[string]analyze.Condition{}
	for _, one := range set.Samples {
		c, known := conditions[one.Condition]
		if !known {
			c = analyze.Condition{Name: one.Condition, Workload: one.Workload, Target: one.Target}
			r.Conditions = append(r.Conditions, c)
		}
		conditions[one.Condition] = c
	}
	for i, p := range s.Parameters {
		base, _ := s.Baseline.Get(p.Property)
		r.Factors = append(r.Factors, analyze.Factor{Name: p.Property, Unit: p.Unit, Log: p.Log, Baseline: base, Levels: len(p.Values)})
		for _, c := range r.Conditions {
			r.Curves = append(r.Curves, curveOf(set, i, c.Name))
		}
	}
	for _, c := range append(r.Conditions, analyze.Condition{Name: overall}) {
		r.Comparisons = append(r.Comparisons, compared(set, trial.Explore, c.Name)...)
		r.Comparisons = append(r.Comparisons, compared(set, trial.Confirm, c.Name)...)
	}
	r.HitRate = []analyze.HitChart{hitOf(set)}
	r.Tradeoffs = tradeoffsOf(r)
	r.Surface = surfaceOf(s)
	for block := 1; block <= s.Blocks; block++ {
		r.Drift = append(r.Drift, analyze.Drift{Block: block, Workload: r.Conditions[0].Name, Ratio: 1 + 0.01*float64(block), Trials: []string{"b1s01-mixed-h0.3", "b1s15-mixed-h0.3"}})
	}
	finish(r)
	return r
}

func finish(r *analyze.Result) {
	switch r.Verdict {
	case analyze.Improves:
		r.Summary = "hbase.regionserver.handler.count=64 raises throughput by 12 % (95 % interval +10 % to +15 %), confirmed on fresh restarts"
		r.Settings = hbaseconf.FromMap(map[string]string{handlers: "64", flushSize: "268435456"})
		r.Effect = &analyze.Effect{Ratio: 1.124, Low: pointer(1.098), High: pointer(1.151), Confirmed: true, Trials: []string{"b3s01-mixed-h0.3", "b3s02-mixed-h0.3", "b4s01-mixed-h0.3", "b4s02-mixed-h0.3"}}
		r.Warnings = []string{"the best value of hfile.block.cache.size lies at an end of its range"}
	case analyze.NoDetectableGain:
		r.Summary = "no configuration beats the baseline detectably"
		r.Effect = &analyze.Effect{Ratio: 1.004, Low: pointer(0.985), High: pointer(1.023), Confirmed: true, Trials: []string{"b3s01-mixed-h0.3", "b3s02-mixed-h0.3"}}
		r.Unconfirmed = &analyze.Unconfirmed{
			Variant: "v02", Settings: hbaseconf.FromMap(map[string]string{handlers: "64"}), Ratio: 1.011,
			Low: pointer(0.98), High: pointer(1.04), Reason: "its confirmation did not leave the band of equivalence",
		}
	default:
		r.Summary = "too few restarts to say anything"
	}
}

func curveOf(set *analyze.Set, factor int, condition string) analyze.Curve {
	f := set.Factors[factor]
	c := analyze.Curve{Factor: f.Name, Unit: f.Unit, Workload: condition, Response: "throughput", Log: f.Log, Model: "quadratic-log", LOOError: pointer(0.0213)}
	if x, ok := f.Baseline.Number(); ok {
		c.Baseline = &x
	}
	for _, s := range set.Samples {
		x, _ := s.Values[factor].Number()
		if s.Condition != condition || s.Phase != trial.Explore || s.Arm != trial.BaselineID && s.Moved != f.Name {
			continue
		}
		y := s.Metrics[analyze.Throughput]
		c.Points = append(c.Points, analyze.Point{Trial: s.ID, X: x, Y: y, Adjusted: math.Round(y*(1.005-0.005*float64(s.Block))*10) / 10, Block: s.Block})
	}
	byX := map[float64][]float64{}
	for _, p := range c.Points {
		byX[p.X] = append(byX[p.X], p.Adjusted)
	}
	var xs []float64
	for x := range byX {
		xs = append(xs, x)
	}
	slices.Sort(xs)
	for _, x := range xs {
		y := geometric(byX[x])
		c.Band = append(c.Band, [4]float64{x, y, y * 0.985, y * 1.015})
	}
	if len(xs) > 0 {
		c.Optimum = &analyze.Optimum{X: xs[len(xs)-1], Low: pointer(xs[len(xs)/2]), High: pointer(xs[len(xs)-1])}
	}
	return c
}

func compared(set *analyze.Set, phase trial.Phase, condition string) []analyze.Comparison {
	values := map[string][]float64{}
	trials := map[string][]string{}
	var arms []analyze.Sample
	for _, s := range set.Samples {
		if s.Phase != phase || condition != overall && s.Condition != condition {
			continue
		}
		if values[s.Arm] == nil {
			arms = append(arms, s)
		}
		values[s.Arm] = append(values[s.Arm], s.Metrics[analyze.Throughput])
		trials[s.Arm] = append(trials[s.Arm], s.ID)
	}
	slices.SortFunc(arms, func(a, b analyze.Sample) int {
		if a.Arm < b.Arm {
			return -1
		}
		return 1
	})
	base := geometric(values[trial.BaselineID])
	var out []analyze.Comparison
	for _, s := range arms {
		if s.Arm == trial.BaselineID {
			continue
		}
		y := geometric(values[s.Arm])
		ratio := y / base
		c := analyze.Comparison{
			Variant: s.Arm, Settings: s.Settings, Factor: s.Moved, Workload: condition, Phase: string(phase),
			N: len(values[s.Arm]), BaselineN: len(values[trial.BaselineID]), Ratio: ratio,
			Low: pointer(ratio * 0.97), High: pointer(ratio * 1.03), P: pointer(0.012), Holm: pointer(0.048),
			Method: "pooled-t", Verdict: "not-detectable", Trials: trials[s.Arm],
			Ratios: map[string]float64{"mean_us": 1 / ratio, "p50_us": 1 / ratio, "p95_us": 1 / ratio, "p99_us": 1.031},
		}
		if condition != overall {
			c.Value, c.BaselineValue = &y, &base
		}
		switch {
		case ratio > 1.06:
			c.Verdict = "better"
		case ratio < 0.94:
			c.Verdict, c.Breaks = "worse", []string{"p99_us<=20000"}
		case math.Abs(ratio-1) < 0.01:
			c.Verdict = "equivalent"
		}
		out = append(out, c)
	}
	return out
}

// tradeoffsOf holds the explored variants against the baseline.
func tradeoffsOf(r *analyze.Result) []analyze.Tradeoff {
	list := []analyze.Tradeoff{{Variant: trial.BaselineID, Label: "baseline", Ratios: map[string]float64{"throughput": 1, "mean_us": 1, "p99_us": 1}, Front: true}}
	for i, c := range r.Comparisons {
		if c.Workload != overall || c.Phase != string(trial.Explore) {
			continue
		}
		list = append(list, analyze.Tradeoff{
			Variant: c.Variant, Settings: c.Settings, Label: c.Settings.String(),
			Ratios: map[string]float64{"throughput": c.Ratio, "mean_us": 1 / c.Ratio, "p99_us": 1 + 0.04*float64(i%5)},
			Front:  i%2 == 0, Chosen: c.Verdict == "better", Breaks: c.Breaks,
		})
	}
	return list
}

// surfaceOf is a surface of the right shape.
func surfaceOf(s trial.Sweep) *analyze.Surface {
	u := &analyze.Surface{
		Model: "gaussian-process", LOOError: pointer(0.013), Settings: 14, Restarts: 30, Failed: 1,
		Interactions: []analyze.Interaction{{A: handlers, B: cacheSize, Ratio: 1.06, Low: 1.02, High: 1.1}},
		Proposal: &analyze.Proposal{
			Settings: hbaseconf.FromMap(map[string]string{handlers: "64"}), Ratio: 1.12, Low: 1.08, High: 1.16,
			Kept: []string{flushSize}, Reason: "+12 % of throughput by the Gaussian process, at least +8.6 % with 95 % confidence; measured",
		},
	}
	for i, p := range s.Parameters {
		e := analyze.MainEffect{Factor: p.Property, Unit: p.Unit, Log: p.Log}
		low, _ := p.Values[1].Number()
		e.Baseline, _ = p.Values[0].Number()
		for k := range 5 {
			ratio := 1 + 0.02*float64(k)/float64(i+1)
			e.Points = append(e.Points, [4]float64{low + (e.Baseline-low)*float64(k)/2, ratio, ratio - 0.02, ratio + 0.02})
		}
		u.Effects = append(u.Effects, e)
	}
	return u
}

func hitOf(set *analyze.Set) analyze.HitChart {
	h := analyze.HitChart{Workload: "mixed", HitMicros: pointer(118.0), MissMicros: pointer(254.0), Error: pointer(0.041)}
	for _, s := range set.Samples {
		h.Points = append(h.Points, analyze.HitPoint{
			Trial: s.ID, Variant: s.Arm, Hit: s.Hit, Throughput: s.Metrics[analyze.Throughput], P99Micros: s.Metrics[analyze.P99], Target: s.Target,
		})
	}
	for hit := 0.1; hit < 1; hit += 0.05 {
		x := 1e6 / (118*hit + 254*(1-hit))
		h.Band = append(h.Band, [4]float64{hit, x, x * 0.97, x * 1.03})
	}
	return h
}

func geometric(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

func pointer(x float64) *float64 { return &x }
