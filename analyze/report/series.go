package report

import (
	"fmt"
	"html/template"

	"hbtune/sweep/trial"
)

// mostPanels bounds the time series shown: each is a picture of its own, and a
// reader looks at those that matter.
const mostPanels = 72

// series draws the time series, of every trial or of those that matter most
// and an even sample of the others.
func (p *page) series(s *styles, in view) {
	var all []trial.Record
	for _, r := range in.ordered {
		if r.Measurement != nil && len(r.Measurement.Series) > 1 {
			all = append(all, r)
		}
	}
	shown := chosen(all, in)
	tops := map[string]float64{}
	for _, r := range shown {
		c := condition(in.Result, r.Workload)
		tops[c] = max(tops[c], highest(r.Measurement.Series, perSecond))
	}
	for _, r := range shown {
		p.Series = append(p.Series, figure{
			Title:   breakable(r.ID),
			SVG:     seriesPanel(s, r.Measurement, tops[condition(in.Result, r.Workload)]),
			Caption: template.HTML(escape(panelCaption(in, r))),
		})
	}
	p.SeriesSummary = plural(len(shown), "trial", "trials")
	if len(shown) < len(all) {
		p.SeriesSummary = fmt.Sprintf("%d of %s trials", len(shown), grouped(int64(len(all))))
		p.SeriesNote = fmt.Sprintf("Of %s trials with a series %d are shown: those that the effect rests on, flagged ones, and others evenly spread over the sweep. The journal has them all.", grouped(int64(len(all))), len(shown))
	}
}

func panelCaption(in view, r trial.Record) string {
	text := fmt.Sprintf("%s, %s, %s", r.Variant.ID, condition(in.Result, r.Workload), r.Phase)
	if !r.Measurement.Steady {
		text += "; not steady when measuring began"
	}
	return text
}

// chosen picks at most mostPanels records: evidence first, then flagged ones,
// then an even spread; in the order of the plan.
func chosen(all []trial.Record, in view) []trial.Record {
	if len(all) <= mostPanels {
		return all
	}
	evidence := map[string]bool{}
	if e := in.Result.Effect; e != nil {
		for _, id := range e.Trials {
			evidence[id] = true
		}
	}
	taken := map[int]bool{}
	take := func(wanted func(trial.Record) bool, most int) {
		for i, r := range all {
			if len(taken) < most && wanted(r) {
				taken[i] = true
			}
		}
	}
	take(func(r trial.Record) bool { return evidence[r.ID] }, mostPanels/3)
	take(func(r trial.Record) bool { return len(r.Measurement.Flags) > 0 }, mostPanels*2/3)
	var others []int
	for i := range all {
		if !taken[i] {
			others = append(others, i)
		}
	}
	for step, free := 0, mostPanels-len(taken); step < free; step++ {
		taken[others[step*len(others)/free]] = true
	}
	var out []trial.Record
	for i, r := range all {
		if taken[i] {
			out = append(out, r)
		}
	}
	return out
}
