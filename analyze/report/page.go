package report

import (
	"fmt"
	"html/template"
	"slices"

	"hbtune/analyze"
	"hbtune/sweep/trial"
)

// page is what the HTML templates show.
type page struct {
	content
	Style, ChartStyle template.CSS
	Sections          []section

	CurveLegend []legendEntry
	Curves      []curveGroup
	HitLegend   []legendEntry
	Hit         []figure

	ObjectiveHead string // heads the column of the objective, with its unit
	ForestAxis    template.HTML
	ForestGround  template.CSS
	ConfirmGround template.CSS
	ForestLegend  []legendEntry
	ForestTables  []forestTable
	ConfirmForest []forestRow
	ConfirmAxis   template.HTML
	ConfirmLegend []legendEntry
	Confirm       []figure

	Tradeoff       []figure
	TradeoffLegend []legendEntry
	Effects        []figure

	Series                    []figure
	SeriesSummary, SeriesNote string

	Dir      string
	Imported bool // measurements of another tool: no sweep, no trials
}

// section is a place to jump to.
type section struct{ ID, Name string }

// forestTable is a comparison table whose rows are drawn as well.
type forestTable struct {
	Name   string
	Values bool // conditions apart have values of the objective, all together has none
	Rows   []forestRow
}

type forestRow struct {
	comparisonRow
	Forest template.HTML
}

func newPage(in view) (*page, error) {
	css, err := templates.ReadFile("templates/style.css")
	if err != nil {
		return nil, fmt.Errorf("report templates: %w", err)
	}
	s := newStyles()
	objective := metricLabel(in.Result.Objective)
	if unit := responseUnit(in.Result.Objective); unit != "" {
		objective += ", " + unit
	}
	p := &page{content: newContent(in), Style: template.CSS(css), Dir: in.Dir, ObjectiveHead: objective}
	p.Curves = curveGroups(s, in)
	p.CurveLegend = curveLegend(s, in)
	p.Hit = hitFigures(s, in.Result)
	p.HitLegend = hitLegend(s, in.Result)
	p.forests(s, in)
	p.Confirm = confirmFigures(s, in, analyze.FromSweep(in.Sweep, in.Records).Samples)
	p.ConfirmLegend = []legendEntry{
		{dotSwatch(s, baselineInk, true), "baseline"}, {dotSwatch(s, curveInk, false), "candidate"},
	}
	p.Tradeoff = tradeoffFigure(s, in)
	p.TradeoffLegend = tradeoffLegend(s)
	p.Effects = effectFigures(s, in)
	p.series(s, in)
	p.Sections = p.sections()
	p.ChartStyle = s.css()
	return p, nil
}

func (p *page) sections() []section {
	var list []section
	add := func(is bool, id, name string) {
		if is {
			list = append(list, section{id, name})
		}
	}
	add(len(p.Commands) > 0, "apply", "Apply, verify, roll back")
	add(len(p.Curves) > 0, "curves", "Curves")
	add(len(p.Hit) > 0, "hit", "Hit rate")
	add(len(p.ForestTables) > 0, "comparison", "Comparison")
	add(len(p.Front) > 0, "tradeoff", "Trade-off")
	add(len(p.Surface) > 0, "surface", "Surface")
	add(len(p.ConfirmForest) > 0, "confirmation", "Confirmation")
	add(!p.Imported, "trials", "All trials")
	add(len(p.Series) > 0, "series", "Time series")
	if p.Imported {
		add(true, "method", "Method and audit")
		return list
	}
	add(true, "method", "Method and environment")
	return list
}

func (p *page) forests(s *styles, in view) {
	band := in.Result.Equivalence
	var explored, confirmed []analyze.Comparison
	for _, c := range in.Result.Comparisons {
		if c.Phase == string(trial.Confirm) {
			confirmed = append(confirmed, c)
		} else {
			explored = append(explored, c)
		}
	}
	axis := newForestAxis(explored, band)
	p.ForestAxis, p.ForestGround = axis.axis(s), axis.ground(band)
	for _, t := range p.Compared {
		table := forestTable{Name: t.Name, Values: t.Values}
		for _, row := range t.Rows {
			table.Rows = append(table.Rows, forestRow{row, axis.row(s, row.comparison)})
		}
		p.ForestTables = append(p.ForestTables, table)
	}
	axis = newForestAxis(confirmed, band)
	p.ConfirmAxis, p.ConfirmGround = axis.axis(s), axis.ground(band)
	for _, row := range p.Confirmed {
		p.ConfirmForest = append(p.ConfirmForest, forestRow{row, axis.row(s, row.comparison)})
	}
	p.ForestLegend = []legendEntry{
		{dotSwatch(s, goodInk, false), "better"},
		{dotSwatch(s, badInk, false), "worse"},
		{dotSwatch(s, ink, false), "equivalent"},
		{dotSwatch(s, muted, false), "nothing detectable, or too few restarts"},
		{boxSwatch(s, bandInk), "band of equivalence, ±" + percent(band)},
	}
}

func curveLegend(s *styles, in view) []legendEntry {
	var list []legendEntry
	blocks, failed, fitted := map[int]bool{}, false, false
	for _, c := range in.Result.Curves {
		for _, p := range c.Points {
			blocks[p.Block] = true
		}
		failed, fitted = failed || len(failures(in, c)) > 0, fitted || len(c.Band) > 0
	}
	var numbers []int
	for b := range blocks {
		numbers = append(numbers, b)
	}
	slices.Sort(numbers)
	for _, b := range numbers[:min(len(numbers), blockColours)] {
		name := fmt.Sprintf("block %d", b)
		if b == 0 { // an imported table without blocks
			name = "measured"
		}
		if b == numbers[0]+blockColours-1 && len(numbers) > blockColours {
			name += ", and so on in turn"
		}
		list = append(list, legendEntry{dotSwatch(s, blockColour(b), false), name})
	}
	if fitted {
		list = append(
			list,
			legendEntry{lineSwatch(s, line(curveInk, 2)), "fitted curve"},
			legendEntry{boxSwatch(s, bandInk), "95 % bootstrap band"},
		)
	}
	list = append(list, legendEntry{lineSwatch(s, line(baselineInk, 1.4, 4, 3)), "baseline's value"})
	if failed {
		list = append(list, legendEntry{swatch(func(d *drawing) {
			d.StrokeLine2(line(badInk, 1.8), 7, 2, 15, 10)
			d.StrokeLine2(line(badInk, 1.8), 7, 10, 15, 2)
		}, s), "did not serve with this value"})
	}
	return list
}

func hitLegend(s *styles, r *analyze.Result) []legendEntry {
	var list []legendEntry
	for i, target := range hitTargets(r) {
		name := "no hit level asked for"
		if target > 0 {
			name = fmt.Sprintf("asked for %.3g %%", target*100)
		}
		list = append(list, legendEntry{dotSwatch(s, blockColour(i+1), false), name})
	}
	return append(
		list,
		legendEntry{dotSwatch(s, muted, false), "filled: baseline"},
		legendEntry{dotSwatch(s, muted, true), "ring: other variants"},
		legendEntry{lineSwatch(s, line(curveInk, 2)), "two-cost line"},
		legendEntry{lineSwatch(s, line(curveInk, 1.2, 5, 3)), "free fit"},
	)
}
