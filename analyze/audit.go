package analyze

import (
	"fmt"
	"math"
	"slices"

	"hbtune/sweep/diagnose"
)

// Audit codes; they are stable.
const (
	AuditLittle     = "littles-law"
	AuditArithmetic = "throughput-arithmetic"
	AuditClient     = "client-bound"
	AuditRate       = "rate-not-reached"
	AuditSteady     = "not-steady"
	AuditErrors     = "errors"
	AuditDrift      = "drift"
	AuditOutlier    = "outlier"
	AuditOrder      = "percentile-order"
)

// Bounds of the audit. Little's law holds within half a percent on nearly every
// closed-loop measurement of one kind of operation; two percent leaves room for
// starting and stopping.
const (
	littleSmall   = diagnose.LittleClose
	littleLarge   = 0.05
	outlierLimit  = 4.5 // robust standard deviations
	leastOutliers = 8   // units needed before a single one can stand out
)

// audit looks at every measurement by itself, then at how they lie together.
func (s *Set) audit(r rules, result *Result) []Finding {
	var out []Finding
	for i := range s.Samples {
		out = append(out, s.Samples[i].audit()...)
	}
	for _, d := range result.Drift {
		if d.Removed {
			out = append(out, Finding{
				Trial: d.Trials[len(d.Trials)-1], Code: AuditDrift, Severity: "warning",
				Message: fmt.Sprintf("the baseline moved by %s within block %d (%s); taken out by a straight line between the sentinels",
					change(d.Ratio), d.Block, d.Workload),
			})
		}
	}
	return append(out, s.outliers(r)...)
}

// audit checks one measurement against the laws that any has to keep.
func (s *Sample) audit() []Finding {
	var out []Finding
	add := func(code, severity, format string, args ...any) {
		out = append(out, s.finding(code, severity, fmt.Sprintf(format, args...)))
	}
	// add, with what to do where the figures tell.
	advise := func(code, rule, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if c, ok := diagnose.ByCode(s.diagnosis(), rule); ok {
			text += "; " + c.Advice
		}
		add(code, "warning", "%s", text)
	}
	x, mean := s.Metrics[Throughput], s.Metrics[Mean]
	if s.Threads > 0 && positive(x) && positive(mean) && math.IsNaN(s.Offered) {
		expected := x * mean / 1e6
		switch off := expected/s.Threads - 1; {
		case math.Abs(off) >= littleLarge:
			advise(AuditLittle, diagnose.ThreadsNotSet, "throughput × mean latency = %s but threads = %s: off by %s; at this rate the mean would be %s µs, %s are given, so rate and latency are not of the same operations, or one is wrong",
				short(expected), short(s.Threads), percent(math.Abs(off)), short(1e6*s.Threads/x), short(mean))
		case math.Abs(off) >= littleSmall:
			add(AuditLittle, "info", "throughput × mean latency = %s but threads = %s: off by %s, a small deviation",
				short(expected), short(s.Threads), percent(math.Abs(off)))
		}
	}
	if s.MegabytesPerSecond >= 0 && s.MessageBytes > 0 && positive(x) {
		batch := 1.0
		if s.Batch > 0 {
			batch = s.Batch
		}
		expected := x * batch * s.MessageBytes / 1e6
		slack := math.Pow(10, -float64(s.MegabytesDecimals)) + 0.01*expected
		if math.Abs(expected-s.MegabytesPerSecond) > slack {
			add(AuditArithmetic, "warning", "%s requests/s × %s messages × %s bytes = %s MB/s but %s MB/s is printed",
				short(x), short(batch), short(s.MessageBytes), short(expected), short(s.MegabytesPerSecond))
		}
	}
	last, lastName := 0.0, ""
	for _, m := range []Metric{P50, P95, P99, P999, Max} {
		v := s.Metrics[m]
		if math.IsNaN(v) {
			continue
		}
		if v < last {
			add(AuditOrder, "warning", "%s = %s is below %s = %s", m, short(v), lastName, short(last))
		}
		last, lastName = v, m.String()
	}
	if v := s.Metrics[ClientCPU]; v > diagnose.FullClient {
		advise(AuditClient, diagnose.ClientBound, "the client used %s of its cores: it may have been the limit itself", percent(v))
	}
	if s.Offered > 0 && x < diagnose.RateReached*s.Offered {
		advise(AuditRate, diagnose.TargetAboveCapacity, "%s operations/s were offered and %s reached", short(s.Offered), short(x))
	} else if slices.Contains(s.Flags, AuditRate) {
		add(AuditRate, "warning", "the offered rate was not reached")
	}
	if slices.Contains(s.Flags, AuditSteady) {
		add(AuditSteady, "warning", "measured before throughput had settled")
	}
	for _, flag := range s.Flags {
		text, ok := flagged[flag]
		if !ok && !slices.Contains([]string{AuditLittle, AuditClient, AuditRate, AuditSteady, AuditErrors}, flag) {
			text, ok = "flagged by the load", true
		}
		if ok {
			add(flag, "warning", "%s", text)
		}
	}
	if v := s.Metrics[Errors]; v > 0 {
		share := ""
		if s.Operations > 0 {
			share = fmt.Sprintf(" (%s of all)", percent(v/(v+s.Operations)))
		}
		add(AuditErrors, "warning", "%s operations failed%s", short(v), share)
	}
	return out
}

// diagnosis is what the rules for load generators say of the measurement. That
// the servers' figures are not all known makes them say less, never more.
func (s *Sample) diagnosis() []diagnose.Conclusion {
	known := func(x float64) float64 {
		if math.IsNaN(x) {
			return 0
		}
		return x
	}
	c := diagnose.Client{
		Threads: int(known(s.Threads)), Throughput: known(s.Metrics[Throughput]), Target: known(s.Offered),
		CPUShare: known(s.Metrics[ClientCPU]),
	}
	if known(s.Metrics[Errors]) == 0 { // failed operations take time that throughput does not count
		c.MeanSeconds = known(s.Metrics[Mean]) / 1e6
	}
	o := diagnose.Observation{Seconds: s.server["metrics_seconds"], Client: &c}
	one := diagnose.Server{Servers: s.servers, Grown: s.server, Mean: s.server, CPUs: s.server["cpus"]}
	if share := s.Metrics[ServerCPU]; !math.IsNaN(share) { // imported
		o.Seconds, one.CPUs, one.Grown = 1, 1, map[string]float64{"cpu_seconds": share}
	}
	o.Servers = []diagnose.Server{one}
	return diagnose.Diagnose(o)
}

// flagged says what the load's own flags mean, where the numbers checked here
// do not show it.
var flagged = map[string]string{
	"not-found":       "reads asked for rows that are not there, which cost less than real ones",
	"regions-changed": "regions were split, merged or moved meanwhile",
	"growing-debt":    "flushes or compactions fell behind: the rate could not have been kept up",
}

// finding names the trial, or the row and file for what was imported.
func (s *Sample) finding(code, severity, message string) Finding {
	f := Finding{Code: code, Severity: severity, Message: message, File: s.File, Row: s.Row}
	if s.Row == 0 {
		f.Trial = s.ID
	}
	return f
}

// outliers names restarts far from what their block and variant say, by the
// median absolute deviation. They are shown, never dropped.
func (s *Set) outliers(r rules) []Finding {
	var out []Finding
	samples := s.exploring()
	names := namesOf(samples)
	for _, condition := range names {
		us := units(samples, r.objective, condition, names)
		res, repeated := residuals(us)
		if len(repeated) < leastOutliers {
			continue
		}
		sizes := make([]float64, len(repeated))
		for i, k := range repeated {
			sizes[i] = math.Abs(res[k])
		}
		slices.Sort(sizes)
		scale := math.Max(1.4826*median(sizes), precision)
		for _, k := range repeated {
			if x := res[k]; math.Abs(x) > outlierLimit*scale && math.Abs(x) > math.Log1p(r.equivalence) {
				out = append(out, us[k].sample.finding(AuditOutlier, "warning",
					fmt.Sprintf("%s in %s is %s off what its block and variant say", r.objective, condition, change(math.Exp(x)))))
			}
		}
	}
	return out
}

// residuals are the units' deviations from arm and block, and the places of
// those whose arm was measured more than once: the others say nothing about
// themselves.
func residuals(us []unit) (off []float64, repeated []int) {
	if len(us) == 0 {
		return nil, nil
	}
	e := fitBlocks(us, us[0].arm, 0)
	count := map[string]int{}
	for _, u := range us {
		count[u.arm]++
	}
	off = make([]float64, len(us))
	for i, u := range us {
		effect := 0.0
		if k, ok := e.index[u.arm]; ok {
			effect = e.mean[k]
		}
		if count[u.arm] > 1 && !math.IsNaN(effect) {
			off[i] = u.y - e.block[u.block] - effect
			repeated = append(repeated, i)
		}
	}
	return off, repeated
}
