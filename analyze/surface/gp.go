package surface

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// GP is a Gaussian process: a constant, integrated out under a flat prior, plus
// a response surface of the second order, plus a Matérn 5/2 process with a length
// for every factor that takes up what the former leaves, plus noise that is
// smaller where a point is the mean of several repeats.
type GP struct {
	points []Point
	centre float64
	scale  float64
	theta  hyper
	chol   mat.Cholesky
	alpha  []float64 // Σ⁻¹(y − mean)
	one    []float64 // Σ⁻¹1
	oneSum float64   // 1ᵀΣ⁻¹1
	mean   float64
	others []float64 // predictions of all points where only some were used
	at     []float64 // where condition was last computed by the search
	sound  bool      // and whether it could be
	// Evidence is the logarithm of the marginal likelihood, of the scaled data.
	Evidence float64
}

// hyper are the hyper-parameters, on the scale of the standardised response.
type hyper struct {
	lengths []float64
	signal  float64 // variance of the process
	line    float64 // of the slope in each factor
	bend    float64 // of the parabola in each factor
	cross   float64 // of the product of each pair
	noise   float64 // of one repeat
}

// mostPoints is how many points a process is fitted to. It costs their cube;
// past this number they are thinned.
const mostPoints = 100

// fitGP fits the hyper-parameters by the marginal likelihood, from several
// starts.
func fitGP(points []Point, scatter Scatter, random *rand.Rand) (*GP, bool) {
	if len(points) < 3 {
		return nil, false
	}
	g := &GP{points: points}
	if !g.standardise() {
		return nil, false
	}
	scatter.Squares /= g.scale * g.scale
	theta, ok := g.search(scatter, random)
	if !ok {
		return nil, false
	}
	return g, g.condition(theta)
}

// standardise brings the responses to mean 0 and variance 1.
func (g *GP) standardise() bool {
	sum, n := 0.0, 0.0
	for _, p := range g.points {
		sum, n = sum+p.Y, n+1
	}
	g.centre = sum / n
	squares := 0.0
	for _, p := range g.points {
		squares += (p.Y - g.centre) * (p.Y - g.centre)
	}
	g.scale = math.Sqrt(squares / n)
	return g.scale > 1e-12 && !math.IsInf(g.scale, 0)
}

// covariance of the points with each other, noise included.
func (g *GP) covariance(t hyper) *mat.SymDense {
	n := len(g.points)
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := t.covariance(g.points[i].X, g.points[j].X)
			if i == j {
				v += t.noise/g.points[i].N + jitter
			}
			k.SetSym(i, j, v)
		}
	}
	return k
}

// jitter keeps the covariance of nearly equal settings invertible.
const jitter = 1e-9

// condition computes what predictions need.
func (g *GP) condition(t hyper) bool {
	g.theta = t
	if !g.chol.Factorize(g.covariance(t)) {
		return false
	}
	n := len(g.points)
	ones, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, p := range g.points {
		ones.SetVec(i, 1)
		y.SetVec(i, (p.Y-g.centre)/g.scale)
	}
	var one, alpha mat.VecDense
	if g.chol.SolveVecTo(&one, ones) != nil {
		return false
	}
	g.one, g.oneSum = one.RawVector().Data, mat.Sum(&one)
	g.mean = mat.Dot(&one, y) / g.oneSum
	for i := range n {
		y.SetVec(i, y.AtVec(i)-g.mean)
	}
	if g.chol.SolveVecTo(&alpha, y) != nil {
		return false
	}
	g.alpha = alpha.RawVector().Data
	g.Evidence = -0.5*(mat.Dot(&alpha, y)+g.chol.LogDet()+math.Log(g.oneSum)) - float64(n-1)/2*math.Log(2*math.Pi)
	return !math.IsNaN(g.Evidence)
}

// Name implements Model.
func (g *GP) Name() string { return "gaussian-process" }

// Lengths are the factors' length scales, in units of the range.
func (g *GP) Lengths() []float64 { return g.theta.lengths }

// Noise is the standard deviation of one repeat.
func (g *GP) Noise() float64 { return g.scale * math.Sqrt(g.theta.noise) }

// Contrast implements Model.
func (g *GP) Contrast(xs [][]float64, w []float64) (value, sd float64) {
	n := len(g.points)
	k := mat.NewVecDense(n, nil)
	total, prior := 0.0, 0.0
	for a, x := range xs {
		total += w[a]
		for i := range n {
			k.SetVec(i, k.AtVec(i)+w[a]*g.theta.covariance(x, g.points[i].X))
		}
		prior += w[a] * w[a] * g.theta.covariance(x, x)
		for b := range a {
			prior += 2 * w[a] * w[b] * g.theta.covariance(x, xs[b])
		}
	}
	value = total * g.mean
	missing := total // what the estimate of the constant leaves open
	for i := range n {
		value += k.AtVec(i) * g.alpha[i]
		missing -= k.AtVec(i) * g.one[i]
	}
	var solved mat.VecDense
	if g.chol.SolveVecTo(&solved, k) != nil {
		return math.NaN(), math.NaN()
	}
	variance := prior - mat.Dot(k, &solved) + missing*missing/g.oneSum
	return value*g.scale + total*g.centre, g.scale * math.Sqrt(math.Max(0, variance))
}

// Draw implements Model.
func (g *GP) Draw(xs [][]float64, n int, random *rand.Rand) [][]float64 {
	m, p := len(xs), len(g.points)
	cross := mat.NewDense(p, m, nil)
	means, missing := make([]float64, m), make([]float64, m)
	for a, x := range xs {
		means[a], missing[a] = g.mean, 1
		for i := range p {
			k := g.theta.covariance(x, g.points[i].X)
			cross.Set(i, a, k)
			means[a] += k * g.alpha[i]
			missing[a] -= k * g.one[i]
		}
	}
	var solved, explained mat.Dense
	if g.chol.SolveTo(&solved, cross) != nil {
		return nil
	}
	explained.Mul(cross.T(), &solved)
	cov := mat.NewSymDense(m, nil)
	for a := range m {
		for b := a; b < m; b++ {
			v := g.theta.covariance(xs[a], xs[b]) - explained.At(a, b) + missing[a]*missing[b]/g.oneSum
			if a == b {
				v += 1e-8 * (g.theta.signal + 1)
			}
			cov.SetSym(a, b, v)
		}
	}
	var root mat.Cholesky
	for extra := 1e-7; !root.Factorize(cov); extra *= 10 {
		for a := range m {
			cov.SetSym(a, a, cov.At(a, a)+extra*(g.theta.signal+1))
		}
		if extra > 1 {
			return nil
		}
	}
	var lower mat.TriDense
	root.LTo(&lower)
	out := make([][]float64, n)
	z, f := mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
	for k := range out {
		for a := range m {
			z.SetVec(a, random.NormFloat64())
		}
		f.MulVec(&lower, z)
		out[k] = make([]float64, m)
		for a := range m {
			out[k][a] = g.centre + g.scale*(means[a]+f.AtVec(a))
		}
	}
	return out
}

// LeaveOut implements Model, in closed form: the hyper-parameters stay.
func (g *GP) LeaveOut() []float64 {
	if g.others != nil {
		return g.others
	}
	out, _ := g.leaveOut()
	return out
}

// predict is the mean at one place.
func (g *GP) predict(x []float64) float64 {
	value := g.mean
	for i, p := range g.points {
		value += g.theta.covariance(x, p.X) * g.alpha[i]
	}
	return g.centre + g.scale*value
}

// leaveOut also gives the standard deviations, noise of the point included.
func (g *GP) leaveOut() (means, sds []float64) {
	n := len(g.points)
	means, sds = make([]float64, n), make([]float64, n)
	var inverse mat.SymDense
	if g.chol.InverseTo(&inverse) != nil {
		for i := range means {
			means[i], sds[i] = math.NaN(), math.NaN()
		}
		return means, sds
	}
	for i, p := range g.points {
		precision := inverse.At(i, i) - g.one[i]*g.one[i]/g.oneSum
		means[i] = p.Y - g.scale*g.alpha[i]/precision
		sds[i] = g.scale / math.Sqrt(precision)
	}
	return means, sds
}
