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

// trend is the covariance of straight lines in every factor (lines), of
// parabolas (bends) and of the products of two factors (crosses): the classical
// response surface of the second order, which a short range shows of any smooth
// law. A Matérn process alone flattens out beyond the outermost points, and
// holds a product for unlikely where a factor matters little by itself.
func trend(a, b []float64) (lines, bends, crosses float64) {
	squares := 0.0
	for j := range a {
		u, v := 2*a[j]-1, 2*b[j]-1
		lines += u * v
		squares += u * u * v * v
		bends += (u*u - 1.0/3) * (v*v - 1.0/3)
	}
	return lines, bends, (lines*lines - squares) / 2
}

// covariance of the function at two settings.
func (t hyper) covariance(a, b []float64) float64 {
	lines, bends, crosses := trend(a, b)
	return t.signal*matern(distance(a, b, t.lengths)) + t.line*lines + t.bend*bends + t.cross*crosses
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
