// Package surface fits a response over several factors at once: a Gaussian
// process where points are few and the response is smooth, a random forest
// where it has steps, and chooses between them by leave-one-out.
//
// Factors are scaled to 0..1 by the caller, responses are logarithms. A Model
// answers linear questions about the fitted function with their uncertainty
// (Contrast), which is what main effects, interactions and the comparison of
// two settings are, and draws whole functions (Draw) for what is not linear,
// such as shares of variance.
//
// The package knows neither HBase nor trials; analyze, above, does.
package surface

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Point is one setting of the factors with what was measured there.
type Point struct {
	X []float64 // in 0..1
	Y float64
	// N is how many repeats Y is the mean of: its noise is 1/N of a repeat's.
	N float64
	// Censored says that the true Y may be larger, not smaller.
	Censored bool
}

// Scatter is how repeats of the same setting differ: their sum of squares
// around their means, and the degrees of freedom in it.
type Scatter struct {
	Squares float64
	Freedom float64
}

// Model is a fitted surface.
type Model interface {
	// Name is "gaussian-process", "random-forest" or "constant".
	Name() string
	// Contrast is Σ w·f(x) over the rows of xs, and its standard deviation.
	Contrast(xs [][]float64, w []float64) (value, sd float64)
	// Draw gives n functions that the data allow, at the rows of xs.
	Draw(xs [][]float64, n int, random *rand.Rand) [][]float64
	// LeaveOut predicts every point from the others.
	LeaveOut() []float64
}

// Predict is the surface at one place.
func Predict(m Model, x []float64) (value, sd float64) {
	return m.Contrast([][]float64{x}, []float64{1})
}

// Quantile is by how many standard deviations a two-sided interval of 1−alpha
// reaches: Student's, since noise and lengths were estimated from the points.
func Quantile(points, factors int, alpha float64) float64 {
	freedom := math.Max(2, float64(points-factors-2))
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - alpha/2)
}

// Difference is f(to) − f(from).
func Difference(m Model, to, from []float64) (value, sd float64) {
	return m.Contrast([][]float64{to, from}, []float64{1, -1})
}

// Score tells how a model fared: the root mean square of what it misses when
// every point is predicted from the others, points weighted by their repeats.
type Score struct {
	Model Model
	Error float64
}

// Fit fits every kind of model and lists them, the best first. The constant is
// among them: a surface that predicts no better says nothing. A rival has to be
// better than a simpler one by more than a hundredth to be put before it.
func Fit(points []Point, scatter Scatter, random *rand.Rand) []Score {
	if len(points) < 2 {
		return nil
	}
	list := []Score{{Model: newConstant(points)}}
	if gp, ok := fitCensored(points, scatter, random); ok {
		list = append(list, Score{Model: gp})
	}
	if forest, ok := newForest(points, random); ok {
		list = append(list, Score{Model: forest})
	}
	for i := range list {
		list[i].Error = leaveOneOutError(points, list[i].Model.LeaveOut())
	}
	for i := 1; i < len(list); i++ { // simplest first, and stable
		for k := i; k > 0 && list[k].Error < 0.99*list[k-1].Error; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return list
}

func leaveOneOutError(points []Point, predicted []float64) float64 {
	sum, n := 0.0, 0.0
	for i, p := range points {
		if p.Censored || math.IsNaN(predicted[i]) {
			continue
		}
		d := p.Y - predicted[i]
		sum, n = sum+p.N*d*d, n+p.N
	}
	if n == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(sum / n)
}

// constant is the mean of all points.
type constant struct {
	mean, sd float64
	left     []float64
}

func newConstant(points []Point) *constant {
	c := &constant{left: make([]float64, len(points))}
	sum, n, squares := 0.0, 0.0, 0.0
	for _, p := range points {
		sum, n = sum+p.N*p.Y, n+p.N
	}
	c.mean = sum / n
	for i, p := range points {
		squares += p.N * (p.Y - c.mean) * (p.Y - c.mean)
		c.left[i] = (sum - p.N*p.Y) / (n - p.N)
	}
	c.sd = math.Sqrt(squares / n / math.Max(1, float64(len(points)-1)))
	return c
}

func (c *constant) Name() string { return "constant" }

func (c *constant) Contrast(_ [][]float64, w []float64) (value, sd float64) {
	total := 0.0
	for _, x := range w {
		total += x
	}
	return total * c.mean, math.Abs(total) * c.sd
}

func (c *constant) Draw(xs [][]float64, n int, random *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for k := range out {
		y := c.mean + c.sd*random.NormFloat64()
		out[k] = make([]float64, len(xs))
		for i := range out[k] {
			out[k][i] = y
		}
	}
	return out
}

func (c *constant) LeaveOut() []float64 { return c.left }
