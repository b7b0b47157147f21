package profiles

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"hbtune/hbaseconf"
)

// WriteList writes a list of profiles for people.
func WriteList(w io.Writer, list []Listed) error {
	t := table(w)
	fmt.Fprintln(t, "NAME\tORIGIN\tSETTINGS\tEFFECT\tSUMMARY")
	for _, one := range list {
		p := one.Profile
		if one.Error != "" {
			fmt.Fprintf(t, "%s\t\t\t\tunreadable: %s\n", p.Name, one.Error)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", p.Name, p.Evidence.Origin, p.Settings.Len(), effect(p.Evidence), p.Summary)
	}
	return t.Flush()
}

// Write writes a profile for people: settings beside what they were before,
// then the evidence.
func (p Profile) Write(w io.Writer) error {
	t := table(w)
	fmt.Fprintf(t, "profile\t%s\n", p.Name)
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", label, value)
		}
	}
	e := p.Evidence
	line("summary", p.Summary)
	line("origin", e.Origin)
	line("source", e.Source)
	line("sweep", e.Sweep)
	line("target", e.Target)
	if !e.Created.IsZero() {
		line("measured", e.Created.UTC().Format(time.DateTime)+" UTC")
	}
	line("HBase", e.HBaseVersion)
	if e.HeapBytes > 0 {
		line("heap", bytesText(e.HeapBytes))
	}
	if h := e.Host; h != nil {
		line("host", fmt.Sprintf("%s, %d cores, %s", h.OS, h.Cores, bytesText(h.MemoryBytes)))
	}
	line("objective", strings.TrimSpace(e.Objective+" "+strings.Join(e.Constraints, " ")))
	line("verdict", e.Verdict)
	line("effect", effect(e))
	if e.Effect != nil {
		line("trials", strings.Join(e.Effect.Trials, " "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := p.writeSettings(w); err != nil {
		return err
	}
	for i, load := range e.Workloads {
		if i == 0 {
			fmt.Fprintln(w, "\nmeasured under")
		}
		fmt.Fprintln(w, "  "+load.String())
	}
	for i, note := range e.Notes {
		if i == 0 {
			fmt.Fprintln(w, "\nnotes")
		}
		fmt.Fprintln(w, "  - "+note)
	}
	return nil
}

func (p Profile) writeSettings(w io.Writer) error {
	if p.Settings.Len() == 0 {
		_, err := fmt.Fprintln(w, "\nThis profile sets nothing.")
		return err
	}
	t := table(w)
	fmt.Fprintln(t, "\nPROPERTY\tVALUE\tBEFORE")
	for name, value := range p.Settings.All() {
		before, _ := p.Evidence.Baseline.Get(name)
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, value, before)
	}
	return t.Flush()
}

func (w Workload) String() string {
	parts := []string{w.Name, fmt.Sprintf("%.0f %% reads", 100*w.ReadShare)}
	if w.Threads > 0 {
		parts = append(parts, fmt.Sprintf("%d threads", w.Threads))
	}
	if w.Rows > 0 {
		parts = append(parts, fmt.Sprintf("%d rows of %d bytes", w.Rows, w.ValueBytes))
	}
	if w.HitTarget > 0 {
		parts = append(parts, fmt.Sprintf("block cache hit rate %.0f %% at the baseline", 100*w.HitTarget))
	}
	return strings.Join(parts, ", ")
}

// effect tells the effect in words: "+18.0 % (+11.0 % to +25.0 %)".
func effect(e Evidence) string {
	if e.Effect == nil {
		return ""
	}
	text := percent(e.Effect.Ratio)
	if e.Effect.Low != nil && e.Effect.High != nil {
		text += fmt.Sprintf(" (%s to %s)", percent(*e.Effect.Low), percent(*e.Effect.High))
	}
	if !e.Effect.Confirmed {
		text += ", not confirmed"
	}
	if e.Objective != "" {
		text = e.Objective + " " + text
	}
	return text
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

// bytesText writes a size in the largest unit of which it is a whole multiple,
// else with one decimal.
func bytesText(n int64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"GB", 1 << 30}, {"MB", 1 << 20}} {
		if x := float64(n) / u.size; x >= 1 {
			return strconv.FormatFloat(float64(int64(x*10+0.5))/10, 'f', -1, 64) + " " + u.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Write writes a comparison for people.
func (d Diff) Write(w io.Writer) error {
	if len(d.Changes) > 0 {
		t := table(w)
		fmt.Fprintf(t, "\tPROPERTY\t%s\tprofile %s\n", d.Against, d.Profile)
		for _, c := range d.Changes {
			mark := "≠"
			if c.Same {
				mark = "="
			}
			have := shown(c.Have)
			if c.Default {
				have += " (default)"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", mark, c.Property, have, shown(c.Want))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, left := range d.LeftOut {
		fmt.Fprintf(w, "left out: %s=%s (%s)\n", left.Property, left.Want, left.Reason)
	}
	var err error
	switch n := d.Differences(); {
	case len(d.Changes)+len(d.LeftOut) == 0:
		_, err = fmt.Fprintf(w, "Profile %s sets nothing.\n", d.Profile)
	case len(d.Changes) == 0:
		_, err = fmt.Fprintf(w, "Nothing in profile %s is for %s.\n", d.Profile, d.Against)
	case n == 0:
		_, err = fmt.Fprintf(w, "Same: %s has all %d values of profile %s.\n", d.Against, len(d.Changes), d.Profile)
	case n == 1:
		_, err = fmt.Fprintln(w, "1 value differs.")
	default:
		_, err = fmt.Fprintf(w, "%d values differ.\n", n)
	}
	return err
}

func shown(v hbaseconf.Value) string {
	if v == "" {
		return "-"
	}
	return string(v)
}

// WriteEntries writes what was applied, for people.
func WriteEntries(w io.Writer, entries []Entry) error {
	t := table(w)
	fmt.Fprintln(t, "ID\tPROFILE\tTARGET\tSTATE\tWHEN")
	for _, e := range entries {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s UTC\n", e.ID, e.Profile, e.Target, e.State, e.Began.UTC().Format(time.DateTime))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range entries {
		if e.State != Applying {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s is under way, or was killed on its way: then `%s` takes it off.\n", e.ID, e.Undo()); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a receipt for people.
func (e Entry) Write(w io.Writer) error {
	t := table(w)
	fmt.Fprintf(t, "receipt\t%s\n", e.ID)
	fmt.Fprintf(t, "profile\t%s on target %s: %s\n", e.Profile, e.Target, e.State)
	if e.Fault != nil {
		fmt.Fprintf(t, "fault\t%s: %s\n", e.Fault.Code, e.Fault.Message)
	}
	for _, f := range e.Restored {
		fmt.Fprintf(t, "restored\t%s (%s): sha256 %.12s\n", f.Path, f.Node, f.After)
	}
	if e.Receipt != nil && e.State == InForce {
		e.writeReceipt(t)
	}
	for name, value := range e.Observed.All() {
		fmt.Fprintf(t, "running\t%s=%s\n", name, shown(value))
	}
	if e.Open() {
		fmt.Fprintf(t, "undo\t%s\n", e.Undo())
	}
	return t.Flush()
}

// writeReceipt tells what the apply did.
func (e Entry) writeReceipt(w io.Writer) {
	for _, f := range e.Receipt.Files {
		fmt.Fprintf(w, "file\t%s (%s): sha256 %.12s → %.12s\n", f.Path, f.Node, f.Before, f.After)
	}
	for _, node := range slices.Sorted(maps.Keys(e.Receipt.ServerStart)) {
		fmt.Fprintf(w, "started\t%s at %s UTC\n", node, e.Receipt.ServerStart[node].UTC().Format(time.DateTime))
	}
	fmt.Fprintf(w, "restart\t%.0f s to stop, %.0f s until all regions served\n", e.Receipt.StopSeconds, e.Receipt.StartSeconds)
}

func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }
