package surface

import "math"

const root5 = 2.23606797749979

// matern is the Matérn covariance of smoothness 5/2 at the scaled distance r:
// functions twice differentiable, rough enough for a machine's responses.
func matern(r float64) float64 {
	return (1 + root5*r + 5*r*r/3) * math.Exp(-root5*r)
}

// maternSlope times (Δ/ℓ)² is the derivative by ln ℓ.
func maternSlope(r float64) float64 {
	return 5.0 / 3 * (1 + root5*r) * math.Exp(-root5*r)
}

// distance is between two settings, each factor by its own length (ARD:
// automatic relevance determination; a factor of great length matters little).
func distance(a, b, lengths []float64) float64 {
	sum := 0.0
	for j, l := range lengths {
		d := (a[j] - b[j]) / l
		sum += d * d
	}
	return math.Sqrt(sum)
}
