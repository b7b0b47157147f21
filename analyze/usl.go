package analyze

import "math"

// uslModel is the Universal Scalability Law of Gunther,
// X(N) = λN / (1 + σ(N−1) + κN(N−1)): contention σ makes throughput level off,
// coherency κ makes it fall beyond a peak at √((1−σ)/κ).
//
// N/X is linear in 1/λ, σ/λ and κ/λ, which have to be at least 0; so the fit is
// a bounded linear one, weighted to relative error.
func uslModel(levels []level) (model, bool) { return fitUSL(levels, true) }

// fitUSL fits within the bounds, or without them: estimates that pile up at 0
// would make the intervals of the coefficients too short.
func fitUSL(levels []level, bounded bool) (model, bool) {
	for _, l := range levels {
		if l.x < 1 {
			return model{}, false
		}
	}
	beta, ok := logLinear(levels, 3, func(n float64, out []float64) {
		out[0], out[1], out[2] = 1, n-1, n*(n-1)
	}, func(l level) float64 { return math.Log(l.x) - l.y }, bounded)
	if !ok || beta[0] <= 0 {
		return model{}, false
	}
	lambda, sigma, kappa := 1/beta[0], beta[1]/beta[0], beta[2]/beta[0]
	if bounded && sigma > 1 {
		return model{}, false // throughput that falls from the second thread on is no USL
	}
	return model{
		name: "usl", free: 3,
		params: map[string]float64{"lambda": lambda, "sigma": sigma, "kappa": kappa},
		eval: func(n float64) float64 {
			return lambda * n / (1 + sigma*(n-1) + kappa*n*(n-1))
		},
	}, true
}

// uslPeak is where a USL curve is highest; +Inf where it never falls.
func uslPeak(params map[string]float64) float64 {
	if params["kappa"] <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt((1 - params["sigma"]) / params["kappa"])
}
