package sweep

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// Preview is what a sweep would do: the answer to --dry-run. The baseline is
// taken from HBase's defaults, for the target is not asked.
type Preview struct {
	Sessions []PreviewSession `json:"sessions"`
	Restarts int              `json:"restarts"` // the confirmation included
	Trials   int              `json:"trials"`
	// AtMost is the time that it takes if every warm-up runs into its cap.
	AtMost time.Duration `json:"at_most_ns"`
	Budget time.Duration `json:"budget_ns"`
}

// PreviewSession is one session of the plan.
type PreviewSession struct {
	ID       string             `json:"id"`
	Phase    trial.Phase        `json:"phase"`
	Variant  string             `json:"variant"`
	Settings hbaseconf.Settings `json:"settings"`
	Trials   []string           `json:"trials"`
}

// restartTime is what a restart of a small cluster takes until all regions
// serve.
const restartTime = 15 * time.Second

// NewPreview plans a sweep against HBase's defaults.
func NewPreview(spec Spec, catalogue *hbaseconf.Catalogue) (Preview, error) {
	s, err := spec.sweep(catalogue)
	if err != nil {
		return Preview{}, err
	}
	for _, p := range s.Parameters {
		property, _ := catalogue.Lookup(p.Property)
		if value, ok := property.DefaultIn(spec.Target.Version); ok {
			s.Baseline = s.Baseline.With(hbaseconf.Setting{Name: p.Property, Value: value})
		}
	}
	explore := plan(s, spec.Design)
	list := append(explore, confirmation(s, trial.Variant{}, len(explore))...)
	preview := Preview{Restarts: len(list), Budget: spec.Budget}
	if len(spec.observedOf(catalogue, false)) == 0 {
		preview.Restarts = 1 // the clients alone change
	}
	for _, one := range list {
		shown := PreviewSession{ID: one.ID, Phase: one.Phase, Variant: one.Variant.ID, Settings: one.Variant.Settings}
		preview.AtMost += restartTime + spec.Measure.WarmupCap
		for i, t := range one.Trials {
			shown.Trials = append(shown.Trials, t.ID)
			preview.AtMost += spec.Measure.Window
			if i > 0 {
				preview.AtMost += spec.Measure.SettleCap
			}
		}
		preview.Trials += len(shown.Trials)
		preview.Sessions = append(preview.Sessions, shown)
	}
	return preview, nil
}

// Write prints the preview for a person.
func (p Preview) Write(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(plainTable())
	t.AppendHeader(table.Row{"session", "phase", "variant", "settings", "trials"})
	for _, s := range p.Sessions {
		settings := s.Settings.String()
		switch {
		case s.Variant == WinnerID:
			settings = "(what the exploration finds best)"
		case s.Settings.Len() == 0:
			settings = "(as the target is)"
		}
		t.AppendRow(table.Row{s.ID, s.Phase, s.Variant, settings, len(s.Trials)})
	}
	_, err := fmt.Fprintf(w, "%s\n\n%d sessions, %d restarts of the servers, %d trials, at most %v; the budget is %v. Nothing was touched.\n",
		t.Render(), len(p.Sessions), p.Restarts, p.Trials, p.AtMost.Round(time.Minute), p.Budget)
	return err
}

func plainTable() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = 0
	return style
}
