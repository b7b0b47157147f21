package inspect

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/diagnose"
)

// WriteText writes the report for people.
func (r *Report) WriteText(out io.Writer, now time.Time, color bool) error {
	var b strings.Builder
	r.writeServers(&b, now)
	r.writeSettings(&b)
	if len(r.Findings) == 0 {
		b.WriteString("\nLint finds nothing in what is running.\n")
	} else {
		b.WriteString("\nWhat lint says of what is running:\n")
		if err := (lint.Report{Findings: r.Findings}).WriteFindings(&b, color); err != nil {
			return err
		}
	}
	if r.Seconds > 0 {
		r.writeLoad(&b)
		if err := diagnose.WriteText(&b, r.Conclusions); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (r *Report) writeServers(b *strings.Builder, now time.Time) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tROLE\tVERSION\tUP FOR\tHEAP\tREGIONS")
	for _, s := range r.Servers {
		regions := "-"
		if s.Role == lint.RegionServer {
			regions = fmt.Sprint(s.Regions)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%v\t%s\t%s\n", s.Name, s.Role, s.Version, now.Sub(s.Start).Round(time.Second), hbaseconf.Bytes(s.HeapBytes>>20<<20), regions)
	}
	_ = w.Flush() // to a strings.Builder
}

func (r *Report) writeSettings(b *strings.Builder) {
	if len(r.Differences) == 0 {
		b.WriteString("\nThe RegionServers run with the same settings.\n")
	} else {
		b.WriteString("\nRegionServers run with different settings:\n")
	}
	for _, d := range r.Differences {
		fmt.Fprintf(b, "  %s\n", d.Property)
		for _, v := range d.Values {
			value := v.Value
			if value == "" {
				value = "not set"
			}
			fmt.Fprintf(b, "    %s: %s\n", value, strings.Join(v.Servers, ", "))
		}
	}
	if len(r.Drift) > 0 {
		b.WriteString("\nNot as the file says:\n")
	}
	for _, d := range r.Drift {
		running := "not set"
		if d.Running != "" {
			running = fmt.Sprintf("%s, from %s", d.Running, d.Source)
		}
		since := "the server has not been started since"
		if d.Restarted {
			since = "though the server has been started since"
		}
		fmt.Fprintf(b, "  %s: %s=%s, %s runs with %s (%s)\n", d.File, d.Property, d.InFile, d.Server, running, since)
	}
}

func (r *Report) writeLoad(b *strings.Builder) {
	fmt.Fprintf(b, "\nOver %.0f s:\n", r.Seconds)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "SERVER\tREQUESTS/S\tHANDLERS\tWAITING\tCPU\tGC\tDATA HITS\tALL HITS\tMEMSTORE\tFLUSHES\tCOMPACTIONS\tBLOCKED\tFILES\tLOGS\tLOCAL\t")
	share := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f %%", 100**x)
	}
	for _, l := range r.Load {
		fmt.Fprintf(w, "%s\t%.0f\t%s\t%.1f\t%s\t%s\t%s\t%s\t%.0f MB\t%.0f\t%.0f\t%.1f s\t%.0f\t%.0f\t%.0f %%\t\n", l.Server, l.RequestsPerS, share(&l.HandlersBusy), l.CallsWaiting,
			share(l.CPUShare), share(&l.GCShare), share(l.DataHitRate), share(l.AllHitRate), l.MemstoreBytes/(1<<20), l.FlushQueue, l.CompactionQueue, l.BlockedMillis/1000, l.MaxStoreFiles, l.WALFiles, l.LocalPercent)
	}
	_ = w.Flush() // to a strings.Builder
}
