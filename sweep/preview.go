package sweep

import (
	"errors"
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
	// About is the time that it takes if every warm-up runs into its cap, from when
	// HBase serves, its table is filled and the working sets are calibrated. It is
	// no bound: a server may take longer to come back than it is reckoned with here.
	About  time.Duration `json:"about_ns"`
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

// checkBudget refuses a budget that not even the smallest plan fits into which
// can say anything: the baseline and one variant, the pairs of the confirmation,
// and of each the restart and the measured windows alone.
func (s Spec) checkBudget() error {
	trials := 0
	for _, w := range s.Workloads {
		trials += max(len(w.Hits), 1)
	}
	sessions := 2 + 2*s.Design.Confirm
	least := time.Duration(sessions) * (restartTime + time.Duration(trials)*s.Measure.Window)
	if s.Budget >= least {
		return nil
	}
	return fmt.Errorf("budget: %v is too short: the smallest plan is %d restarts of %d trials, which take at least %v: give more, or ask for fewer (design.confirm)", s.Budget, sessions, trials, least.Round(time.Second))
}

// NewPreview plans a sweep against HBase's defaults.
func NewPreview(spec Spec, catalogue *hbaseconf.Catalogue) (Preview, error) {
	s, err := spec.sweep(catalogue)
	if err := errors.Join(err, spec.checkBudget()); err != nil {
		return Preview{}, err
	}
	for _, p := range s.Parameters {
		property, _ := catalogue.Lookup(p.Property)
		if value, ok := property.DefaultIn(spec.Target.Version); ok {
			s.Baseline = s.Baseline.With(hbaseconf.Setting{Name: p.Property, Value: value})
		}
	}
	explore := plan(s, spec.Design)
	if comparesNothing(explore) {
		return Preview{}, errors.New("parameters: every value is HBase's default, so there is nothing to compare: give other values")
	}
	list := append(explore, confirmation(s, trial.Variant{}, len(explore))...)
	preview := Preview{Restarts: len(list), Budget: spec.Budget}
	if len(spec.observedOf(catalogue, false)) == 0 {
		preview.Restarts = 1 // the clients alone change
	}
	for _, one := range list {
		shown := PreviewSession{ID: one.ID, Phase: one.Phase, Variant: one.Variant.ID, Settings: one.Variant.Settings}
		preview.About += restartTime + spec.Measure.WarmupCap
		for i, t := range one.Trials {
			shown.Trials = append(shown.Trials, t.ID)
			preview.About += spec.Measure.Window
			if i > 0 {
				preview.About += spec.Measure.SettleCap
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
	_, err := fmt.Fprintf(w, "%s\n\n%d sessions, %d restarts of the servers, %d trials: about %v if every warm-up runs into its cap, once HBase\nserves and its table is filled. The budget is %v; what does not fit is left out. Nothing was touched.\n",
		t.Render(), len(p.Sessions), p.Restarts, p.Trials, p.About.Round(time.Minute), p.Budget)
	return err
}

func plainTable() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = 0
	return style
}
