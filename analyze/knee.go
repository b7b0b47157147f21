package analyze

import "math"

// Knee is where a closed loop does best by Kleinrock's power, throughput over
// latency: below it more threads bring more throughput than latency, above it
// the other way round.
type Knee struct {
	X          float64  `json:"x"` // threads
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Throughput float64  `json:"throughput"`
	MeanMicros float64  `json:"mean_us"` // by Little's law
	// PeakShare is the throughput at the knee over the best within the range, and
	// PeakLatency the latency there over the knee's.
	PeakShare   float64 `json:"peak_share"`
	PeakLatency float64 `json:"peak_latency"`
	InsideRange bool    `json:"inside_range"`
}

// uslKnee is where X(N)²/N is largest. By Little's law latency is N/X(N), so
// that is where throughput over latency is; setting its slope to zero gives
// 3κN² + (σ−κ)N − (1−σ) = 0.
func uslKnee(params map[string]float64) float64 {
	sigma, kappa := params["sigma"], params["kappa"]
	a, b, c := 3*kappa, sigma-kappa, -(1 - sigma)
	if a <= 0 {
		if b <= 0 {
			return math.Inf(1) // linear scaling has no knee
		}
		return -c / b
	}
	return (-b + math.Sqrt(b*b-4*a*c)) / (2 * a)
}

// knee reads the knee off a fitted USL curve; draws are those of the bootstrap.
func knee(m model, levels []level, draws []float64, widen float64) *Knee {
	first, last := levels[0].x, levels[len(levels)-1].x
	x := uslKnee(m.params)
	if math.IsInf(x, 0) || math.IsNaN(x) || x < 1 {
		return nil
	}
	k := &Knee{X: x, InsideRange: x >= first && x <= last}
	if len(draws) >= leastDraws {
		k.Low = known(stretched(x, quantile(draws, Alpha/2), widen, true))
		k.High = known(stretched(x, quantile(draws, 1-Alpha/2), widen, true))
	}
	k.Throughput = m.eval(x)
	k.MeanMicros = 1e6 * x / k.Throughput
	peak := math.Min(last, math.Max(first, uslPeak(m.params)))
	k.PeakShare = k.Throughput / m.eval(peak)
	k.PeakLatency = 1e6 * peak / m.eval(peak) / k.MeanMicros
	return k
}
