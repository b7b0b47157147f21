package analyze

import (
	"fmt"
	"math"
	"strings"
)

// loadOnly tells a table in which no configuration was varied.
func (s *Set) loadOnly() bool {
	if !s.Imported {
		return false
	}
	varied := s.varied()
	for i, f := range s.Factors {
		if !f.Load && varied[i] {
			return false
		}
	}
	for i := range s.Samples {
		if s.Samples[i].Settings.Len() > 0 {
			return true // variants differ, and only in the load
		}
	}
	return false
}

// explain says in sentences what the comparisons and curves show.
func (s *Set) explain(r rules, out *Result) []string {
	if s.loadOnly() {
		return append(r.explainLoad(out), explainScaling(out)...)
	}
	var list []string
	if out.Verdict == Improves {
		list = r.explainSettings(out)
	}
	list = append(list, s.explainServers(out)...)
	list = append(list, explainSurface(out)...)
	return append(list, explainScaling(out)...)
}

// explainSettings takes every recommended value in turn.
func (r rules) explainSettings(out *Result) []string {
	var list []string
	for name, value := range out.Settings.All() {
		var b strings.Builder
		base, known := out.Baseline.Get(name)
		fmt.Fprintf(&b, "%s=%s", name, value)
		if known {
			fmt.Fprintf(&b, " instead of %s", base)
		}
		said := false
		for i := range out.Comparisons {
			c := &out.Comparisons[i]
			moved, ok := c.Settings.Get(name)
			if c.Workload != overall || c.Factor != name || !ok || moved != value {
				continue
			}
			fmt.Fprintf(&b, ": %s %s on its own (%s, %s)", r.objective, change(c.Ratio), interval(c.Low, c.High), plural(c.N, "restart"))
			if p99, ok := c.Ratios[P99.String()]; ok && r.objective != P99 {
				fmt.Fprintf(&b, ", p99 %s", change(p99))
			}
			said = true
			break
		}
		if leader := leads(out, name); !said && leader != "" {
			fmt.Fprintf(&b, ": takes what %s leaves", leader)
		} else if !said {
			b.WriteString(": goes with the others, its own effect was not measured")
		}
		if f, ok := factorOf(out, name); ok {
			if text := memory(f, base, value); text != "" {
				b.WriteString("; " + text)
			}
		}
		for i := range out.Curves {
			if c := &out.Curves[i]; c.Factor == name && len(c.Points) > 0 && (c.Workload == overall || len(out.Conditions) == 1) {
				low, high := rangeOf(c.Points)
				if c.Model != "none" {
					fmt.Fprintf(&b, "; its curve (%s%s)%s", modelTitle(c.Model), looText(c), bestText(c))
				}
				fmt.Fprintf(&b, "; measured from %s to %s, says nothing beyond", short(low), short(high))
				break
			}
		}
		list = append(list, b.String())
	}
	if len(list) > 0 {
		list = append(list, "holds for the workloads measured: "+conditionsOf(out))
	}
	return list
}

// modelTitle names a family of curves in a sentence.
func modelTitle(model string) string {
	if model == "usl" {
		return "Universal Scalability Law"
	}
	return strings.ReplaceAll(model, "-", " in ")
}

func looText(c *Curve) string {
	if c.LOOError == nil {
		return ""
	}
	return ", leave-one-out error " + percent(*c.LOOError)
}

// bestText says where a curve is best.
func bestText(c *Curve) string {
	switch o := c.Optimum; {
	case o == nil:
		return " shows no best value"
	case o.Low == nil || o.High == nil:
		return " is best at " + short(o.X)
	default:
		return fmt.Sprintf(" is best at %s (95 %% interval %s to %s)", short(o.X), short(*o.Low), short(*o.High))
	}
}

// explainSurface says what moving several properties together adds: the
// interactions that stand out, and what to measure next.
func explainSurface(out *Result) []string {
	s := out.Surface
	if s == nil {
		return nil
	}
	var list []string
	for _, i := range s.Interactions {
		if i.Low > 1 || i.High < 1 {
			list = append(list, fmt.Sprintf("%s and %s together: %s beyond what each brings alone, from the low to the high end of both (95 %% interval %s to %s)",
				i.A, i.B, change(i.Ratio), change(i.Low), change(i.High)))
		}
	}
	if p := s.Proposal; p != nil && !p.Settings.Equal(out.Settings) {
		text := fmt.Sprintf("worth measuring next: %s (%s)", p.Settings, p.Reason)
		if len(p.Kept) > 0 {
			text += "; moving " + strings.Join(p.Kept, ", ") + " as well gains nothing detectable"
		}
		list = append(list, text)
	}
	return list
}

// leads names the property whose complement this one is.
func leads(out *Result, name string) string {
	for _, f := range out.Factors {
		if f.complement == name {
			return f.Name
		}
	}
	return ""
}

func conditionsOf(out *Result) string {
	names := make([]string, len(out.Conditions))
	for i, c := range out.Conditions {
		names[i] = c.Name
		if c.Hit != nil {
			names[i] = fmt.Sprintf("%s (data-block hit rate %s)", c.Name, percent(*c.Hit))
		}
	}
	return strings.Join(names, "; ")
}

// explainLoad says what more load gives and costs, from the lowest to the
// highest level.
func (r rules) explainLoad(out *Result) []string {
	last := map[string]*Comparison{}
	var order []string
	for i := range out.Comparisons {
		c := &out.Comparisons[i]
		if c.Workload == overall || c.Factor == "" {
			continue
		}
		if last[c.Workload] == nil {
			order = append(order, c.Workload)
		}
		if last[c.Workload] == nil || moved(c) > moved(last[c.Workload]) {
			last[c.Workload] = c
		}
	}
	var list []string
	for _, name := range order {
		c := last[name]
		base, _ := out.Baseline.Get(c.Factor)
		value, _ := c.Settings.Get(c.Factor)
		text := fmt.Sprintf("%s: %s %s instead of %s give %s %s", name, value, c.Factor, base, r.objective, change(c.Ratio))
		if latency, ok := c.Ratios[Mean.String()]; ok {
			text += fmt.Sprintf(" at %s times the mean latency", short(latency))
		}
		list = append(list, text)
	}
	return list
}

// moved is the value of the one factor that a comparison moves.
func moved(c *Comparison) float64 {
	v, _ := c.Settings.Get(c.Factor)
	x, ok := v.Number()
	if !ok {
		return math.Inf(-1)
	}
	return x
}

// explainScaling says where concurrency stops paying.
func explainScaling(out *Result) []string {
	var list []string
	for i := range out.Curves {
		c := &out.Curves[i]
		if c.Model != "usl" || c.Optimum == nil {
			continue
		}
		if !c.Optimum.InsideRange {
			list = append(list, fmt.Sprintf("%s: %s%s", c.Workload, c.Note, kneeText(c)))
			continue
		}
		text := fmt.Sprintf("%s: throughput peaks at about %s %s", c.Workload, short(c.Optimum.X), c.Factor)
		if c.Optimum.Low != nil && c.Optimum.High != nil {
			text += fmt.Sprintf(" (95 %% interval %s to %s)", short(*c.Optimum.Low), short(*c.Optimum.High))
		}
		list = append(list, text+kneeText(c))
	}
	return list
}

// kneeText says where more concurrency stops being worth its latency.
func kneeText(c *Curve) string {
	k := c.Knee
	if k == nil || !k.InsideRange {
		return ""
	}
	return fmt.Sprintf("; the knee is at about %s: %s of that throughput at %s of its mean latency (%s µs)",
		short(k.X), percent(k.PeakShare), percent(1/k.PeakLatency), short(k.MeanMicros))
}

func rangeOf(points []Point) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = math.Min(low, p.X), math.Max(high, p.X)
	}
	return low, high
}
