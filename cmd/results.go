package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"hbtune/analyze"
	"hbtune/analyze/report"
	"hbtune/hbaseconf"
	"hbtune/profiles"
	"hbtune/sweep"
	"hbtune/sweep/journal"
	"hbtune/sweep/trial"
)

// Names of the results in a sweep's folder.
const (
	recommendationName = "recommendation.json"
	profileName        = "profile.yaml"
	reportName         = "report.html"
)

// analyst lets the engine ask package analyze, which it does not know.
type analyst struct {
	catalogue *hbaseconf.Catalogue
	heap      hbaseconf.Bytes
}

func (a analyst) options() analyze.Options {
	return analyze.Options{
		Feasible: func(s hbaseconf.Settings) error { return hbaseconf.Feasible(s, int64(a.heap)) },
		Default: func(name string) (hbaseconf.Value, bool) {
			p, ok := a.catalogue.Lookup(name)
			return p.Default, ok
		},
	}
}

// sweepRules lets the engine judge a spec by what package analyze, which it does
// not know, will make of it.
func sweepRules(catalogue *hbaseconf.Catalogue) sweep.Rules {
	return sweep.Rules{
		Catalogue:  catalogue,
		Objective:  func(text string) error { _, err := analyze.ParseObjective(text); return err },
		Constraint: func(text string) error { _, err := analyze.ParseConstraint(text); return err },
	}
}

// Winner names the variant that the confirmation measures.
func (a analyst) Winner(s trial.Sweep, records []trial.Record) (trial.Variant, string, bool) {
	return analyze.Candidate(s, records, a.options())
}

// results is what a sweep's folder amounts to.
type results struct {
	content *journal.Content
	result  *analyze.Result
	profile profiles.Profile
}

// readResults analyses the journal in a sweep's folder.
func readResults(dir string, a analyst) (results, error) {
	content, err := journal.Read(dir)
	if err != nil {
		return results{}, badInput(err)
	}
	result, err := analyze.Analyze(content.Sweep, content.Records, a.options())
	if err != nil {
		return results{}, fmt.Errorf("analyse the sweep: %w", err)
	}
	r := results{content: content, result: result}
	r.profile = r.newProfile(dir, a.heap)
	return r, nil
}

// newProfile makes the profile of the recommendation. Where nothing better was
// found, that is the baseline, so that what was measured can still be pinned,
// compared and kept.
func (r results) newProfile(dir string, heap hbaseconf.Bytes) profiles.Profile {
	outcome := profiles.Outcome{
		Settings: r.result.Settings, Summary: r.result.Summary, Verdict: string(r.result.Verdict),
		HeapBytes: int64(heap), Source: dir, Notes: r.result.Warnings,
	}
	switch e := r.result.Effect; {
	case outcome.Settings.Len() == 0:
		outcome.Settings = r.content.Sweep.Baseline
	case e != nil:
		outcome.Effect = &profiles.Effect{Ratio: e.Ratio, Low: e.Low, High: e.High, Confirmed: e.Confirmed, Trials: e.Trials}
	}
	return profiles.FromSweep("sweep-"+r.content.Sweep.ID, r.content.Sweep, outcome)
}

// input is the report's.
func (r results) input(dir string, catalogue *hbaseconf.Catalogue) report.Input {
	return report.Input{
		Sweep: r.content.Sweep, Records: r.content.Records, Events: r.content.Events,
		Result: r.result, Dir: dir, Version: Version,
		TakesEffect: func(name string) string {
			p, _ := catalogue.Lookup(name)
			return p.EffectText()
		},
	}
}

// write puts recommendation, profile and report into the sweep's folder.
func (r results) write(dir string, catalogue *hbaseconf.Catalogue) error {
	recommendation, err := json.MarshalIndent(r.result, "", "  ")
	if err != nil {
		return fmt.Errorf("write the recommendation: %w", err)
	}
	var page bytes.Buffer
	if err := report.HTML(&page, r.input(dir, catalogue)); err != nil {
		return err
	}
	if err := profiles.WriteFile(filepath.Join(dir, profileName), r.profile); err != nil {
		return err
	}
	if err := writeText(filepath.Join(dir, recommendationName), append(recommendation, '\n')); err != nil {
		return err
	}
	return writeText(filepath.Join(dir, reportName), page.Bytes())
}

// firstFault is why the first trial that failed did, as the end of a sentence.
func (r results) firstFault() string {
	for _, record := range r.content.Records {
		if record.Fault != nil {
			return fmt.Sprintf("; %s failed: %s", record.ID, record.Fault.Message)
		}
	}
	if len(r.content.Records) == 0 {
		return ": the budget was spent before the first"
	}
	return ""
}

// print says in a few lines what came out.
func (r results) print(w io.Writer, dir string) error {
	fmt.Fprintln(w, r.result.Summary)
	for name, value := range r.result.Settings.All() {
		before, _ := r.result.Baseline.Get(name)
		fmt.Fprintf(w, "  %s: %s → %s\n", name, before, value)
	}
	for _, warning := range r.result.Warnings {
		fmt.Fprintf(w, "note: %s\n", warning)
	}
	path := filepath.Join(dir, profileName)
	fmt.Fprintf(w, "\nreport   %s\nprofile  %s\nThe target is as it was.", filepath.Join(dir, reportName), path)
	if r.result.Settings.Len() == 0 {
		_, err := fmt.Fprintln(w, " There is nothing to apply.")
		return err
	}
	_, err := fmt.Fprintf(w, ` To put the profile on it, check it and take it off:
  hbtune profile apply %s
  hbtune profile verify %s
  hbtune profile rollback
`, path, path)
	return err
}

// newAnalyst is the analyst for a sweep's spec.
func newAnalyst(spec sweep.Spec, catalogue *hbaseconf.Catalogue) analyst {
	return analyst{catalogue: catalogue, heap: hbaseconf.Bytes(spec.Target.Heap)}
}
