package analyze

import (
	"math"
	"slices"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Tradeoff is one variant held against every objective, as ratios to the
// baseline over all conditions. The front is what no other variant beats: what
// lies behind it gives something away for nothing.
type Tradeoff struct {
	Variant  string             `json:"variant"`
	Settings hbaseconf.Settings `json:"settings"`
	// Label names the variant by what it sets.
	Label  string             `json:"label"`
	Ratios map[string]float64 `json:"ratios"`
	Front  bool               `json:"front"`
	// BeatenBy labels the variant of the front that is better, for one that is
	// not on it.
	BeatenBy string `json:"beaten_by,omitempty"`
	// Chosen marks the point to take under the operator's bounds: the one
	// recommended, else the baseline.
	Chosen bool     `json:"chosen"`
	Breaks []string `json:"breaks,omitempty"`
}

// TradeoffMetrics are the objectives that a front is made over.
func TradeoffMetrics() []Metric { return []Metric{Throughput, Mean, P99, ServerCPUPerOp} }

// tradeoffs takes the baseline, the variants of the exploration or the imported
// ones, and what only the confirmation has measured.
func (r rules) tradeoffs(out *Result) []Tradeoff {
	var list []Tradeoff
	for i := range out.Comparisons {
		c := &out.Comparisons[i]
		if c.Workload != overall {
			continue
		}
		known := func(t Tradeoff) bool { return t.Settings.Equal(c.Settings) }
		if c.Phase == string(trial.Confirm) && slices.ContainsFunc(list, known) {
			continue // explored already, beside the others
		}
		t := Tradeoff{
			Variant: c.Variant, Settings: c.Settings, Label: c.title(), Ratios: map[string]float64{},
			Breaks: c.Breaks,
		}
		for _, m := range TradeoffMetrics() {
			if x, ok := c.Ratios[m.String()]; ok {
				t.Ratios[m.String()] = x
			}
		}
		t.Ratios[r.objective.String()] = c.Ratio
		list = append(list, t)
	}
	if len(list) == 0 {
		return nil
	}
	// A variant is held against the others in what all were measured in.
	var common []Metric
	for _, m := range TradeoffMetrics() {
		if !slices.ContainsFunc(list, func(t Tradeoff) bool { _, has := t.Ratios[m.String()]; return !has }) {
			common = append(common, m)
		}
	}
	if len(common) < 2 {
		return nil
	}
	base := Tradeoff{Variant: trial.BaselineID, Label: "baseline", Ratios: map[string]float64{}}
	for _, m := range common {
		base.Ratios[m.String()] = 1
	}
	list = append([]Tradeoff{base}, list...)
	r.front(list, common)
	r.choose(list, out)
	return list
}

// front marks what nothing beats, and names for the rest what does.
func (r rules) front(list []Tradeoff, common []Metric) {
	gains := make([][]float64, len(list)) // logarithms, larger is better
	for i := range list {
		gains[i] = make([]float64, len(common))
		for k, m := range common {
			gains[i][k] = math.Log(list[i].Ratios[m.String()])
			if !m.HigherIsBetter() {
				gains[i][k] = -gains[i][k]
			}
		}
	}
	band := math.Log1p(r.equivalence)
	for i := range list {
		list[i].Front = !slices.ContainsFunc(gains, func(a []float64) bool { return beats(a, gains[i], band) })
	}
	for i := range list {
		if list[i].Front {
			continue
		}
		for k := range list {
			if list[k].Front && beats(gains[k], gains[i], band) {
				list[i].BeatenBy = list[k].Label
				break
			}
		}
	}
}

// beats tells whether a is nowhere worse than b and somewhere better by more
// than the band of equivalence.
func beats(a, b []float64, band float64) bool {
	better := false
	for k := range a {
		if a[k] < b[k] {
			return false
		}
		better = better || a[k]-b[k] > band
	}
	return better
}

// choose marks what to take: what was recommended, where one of the variants is
// just that; without a recommendation the baseline stays.
func (r rules) choose(list []Tradeoff, out *Result) {
	at := 0
	if out.Verdict == Improves {
		at = slices.IndexFunc(list, func(t Tradeoff) bool { return t.Variant != trial.BaselineID && t.Settings.Equal(out.Settings) })
	}
	if at >= 0 {
		list[at].Chosen = true
	}
}
