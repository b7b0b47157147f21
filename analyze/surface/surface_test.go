package surface

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func source(seed, purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, purpose)) }

// bowl has its peak at (0.6, 0.3), an interaction, and a third factor that does
// nothing.
func bowl(x []float64) float64 {
	return 0.3 - 0.5*(x[0]-0.6)*(x[0]-0.6) - 0.3*(x[1]-0.3)*(x[1]-0.3) + 0.2*(x[0]-0.5)*(x[1]-0.5)
}

// observe draws n settings of d factors, each measured so many times.
func observe(f func([]float64) float64, n, d, repeats int, noise float64, random *rand.Rand) ([]Point, Scatter) {
	var points []Point
	var scatter Scatter
	offset := random.IntN(1000)
	for _, x := range spread(d, n+offset)[offset:] {
		p := Point{X: x, N: float64(repeats)}
		ys := make([]float64, repeats)
		for k := range ys {
			ys[k] = f(x) + noise*random.NormFloat64()
			p.Y += ys[k] / float64(repeats)
		}
		for _, y := range ys {
			scatter.Squares += (y - p.Y) * (y - p.Y)
		}
		scatter.Freedom += float64(repeats - 1)
		points = append(points, p)
	}
	return points, scatter
}

func TestSlopeOfTheEvidence(t *testing.T) {
	random := source(1, 1)
	points, scatter := observe(bowl, 15, 3, 2, 0.02, random)
	g := &GP{points: points}
	g.standardise()
	scatter.Squares /= g.scale * g.scale
	z := []float64{0.3, -0.4, 0.8, 0.1, 0.5, -0.2, 0.4, -0.5}
	grad := make([]float64, len(z))
	g.loss(z, scatter, grad)
	for k := range z {
		const h = 1e-5
		up, down := slices.Clone(z), slices.Clone(z)
		up[k] += h
		down[k] -= h
		want := (g.loss(up, scatter, nil) - g.loss(down, scatter, nil)) / (2 * h)
		if math.Abs(grad[k]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("parameter %d: slope %v, by differences %v", k, grad[k], want)
		}
	}
}

// The closed form of leave-one-out against leaving one out.
func TestLeaveOneOut(t *testing.T) {
	random := source(2, 1)
	points, scatter := observe(bowl, 12, 2, 1, 0.01, random)
	g, ok := fitGP(points, scatter, random)
	if !ok {
		t.Fatal("no fit")
	}
	means, sds := g.leaveOut()
	for i, p := range points {
		rest := &GP{points: slices.Delete(slices.Clone(points), i, i+1), centre: g.centre, scale: g.scale}
		if !rest.condition(g.theta) {
			t.Fatal("singular")
		}
		mean, sd := Predict(rest, p.X)
		sd = math.Hypot(sd, rest.Noise())
		if math.Abs(mean-means[i]) > 1e-6 || math.Abs(sd-sds[i]) > 1e-4*sd {
			t.Errorf("point %d: %v ± %v, leaving it out %v ± %v", i, means[i], sds[i], mean, sd)
		}
	}
}

func TestProcessFindsThePeak(t *testing.T) {
	random := source(3, 1)
	points, scatter := observe(bowl, 30, 3, 2, 0.005, random)
	scores := Fit(points, scatter, random)
	if name := scores[0].Model.Name(); name != "gaussian-process" {
		t.Fatalf("chose %s", name)
	}
	g := scores[0].Model.(*mixture).best
	if l := g.Lengths(); l[2] < 3*max(l[0], l[1]) {
		t.Errorf("lengths %v: the third factor does nothing", l)
	}
	best, at := math.Inf(-1), []float64(nil)
	for _, x := range spread(3, 2000) {
		if y, _ := Predict(g, x); y > best {
			best, at = y, x
		}
	}
	want := []float64{0.603, 0.368} // where the slope is 0
	for j, x := range want {
		if math.Abs(at[j]-x) > 0.1 {
			t.Errorf("peak at %v, want %v", at, want)
		}
	}
	if n := g.Noise(); n < 0.003 || n > 0.008 {
		t.Errorf("noise %v, want about 0.005", n)
	}
}

// steps is what no smooth process describes: the heap rule, a cache that holds
// the working set or does not.
func steps(x []float64) float64 {
	y := 0.0
	for j, cut := range []float64{0.35, 0.6, 0.5, 0.45} {
		if x[j] > cut {
			y += 0.2 * float64(j+1)
		}
	}
	return y
}

func TestForestHasSteps(t *testing.T) {
	random := source(4, 1)
	points, _ := observe(steps, 300, 4, 1, 0.02, random)
	f, ok := newForest(points, random)
	if !ok {
		t.Fatal("no forest")
	}
	constantError := leaveOneOutError(points, newConstant(points).LeaveOut())
	if got := leaveOneOutError(points, f.LeaveOut()); got > constantError/2 {
		t.Errorf("error %v, of the mean %v", got, constantError)
	}
	low, sd := Difference(f, []float64{0.2, 0.3, 0.9, 0.9}, []float64{0.2, 0.3, 0.1, 0.9})
	if math.Abs(low-0.6) > 0.15 || sd <= 0 {
		t.Errorf("step of the third factor %v ± %v, want 0.6", low, sd)
	}
}

func TestNoiseIsNoSurface(t *testing.T) {
	wrong := 0
	for seed := range uint64(20) {
		random := source(seed, 5)
		points, scatter := observe(func([]float64) float64 { return 8 }, 20, 3, 2, 0.02, random)
		if Fit(points, scatter, random)[0].Model.Name() != "constant" {
			wrong++
		}
	}
	if wrong > 8 {
		t.Errorf("%d of 20 data sets of noise alone got a surface", wrong)
	}
}

func TestEffectsOfAKnownSurface(t *testing.T) {
	random := source(6, 1)
	points, scatter := observe(bowl, 40, 3, 2, 0.003, random)
	m := Fit(points, scatter, random)[0].Model
	for _, e := range MainEffects(m, []float64{0.5, 0.5, 0.5}, [][]float64{{0, 0.5, 1}, {0, 1}, {0, 1}}) {
		for k, x := range e.X {
			want := mainEffect(e.Factor, x)
			if d := math.Abs(e.Mean[k] - want); d > 0.02 || d > 4*e.SD[k]+0.004 {
				t.Errorf("factor %d at %v: %v ± %v, want %v", e.Factor, x, e.Mean[k], e.SD[k], want)
			}
		}
	}
	for _, i := range Interactions(m, 3) {
		want := 0.0
		if i.A == 0 && i.B == 1 {
			want = 0.2
		}
		if math.Abs(i.Mean-want) > 0.02 {
			t.Errorf("interaction %d-%d: %v ± %v, want %v", i.A, i.B, i.Mean, i.SD, want)
		}
	}
	// Variances of 0.5(x−0.6)², 0.3(x−0.3)² with the linear part of the product.
	shares := Shares(m, 3, 0.05, random)
	if s := shares; s[0].Total < 0.4 || s[2].Total > 0.1 || s[0].TotalLow > s[0].Total || s[0].TotalHigh < s[0].Total {
		t.Errorf("shares %+v", s)
	}
}

// mainEffect is the bowl's, averaged over the other factors, against 0.5.
func mainEffect(j int, x float64) float64 {
	one := func(x float64) float64 {
		switch j {
		case 0:
			return -0.5 * (x - 0.6) * (x - 0.6)
		case 1:
			return -0.3 * (x - 0.3) * (x - 0.3)
		}
		return 0
	}
	return one(x) - one(0.5)
}

// A censored point pulls the surface up, never down.
func TestCensoredPoints(t *testing.T) {
	random := source(7, 1)
	truth := func(x []float64) float64 { return x[0] }
	points, scatter := observe(truth, 20, 1, 2, 0.01, random)
	var clipped []Point
	for _, p := range points {
		if p.Y > 0.6 {
			p.Y, p.Censored = 0.6, p.X[0] < 0.95
		}
		clipped = append(clipped, p)
	}
	naive := slices.Clone(clipped)
	for i := range naive {
		naive[i].Censored = false
	}
	g, _ := fitCensored(clipped, scatter, source(7, 2))
	n, _ := fitCensored(naive, scatter, source(7, 2))
	with, _ := Predict(g, []float64{0.8})
	without, _ := Predict(n, []float64{0.8})
	if with <= without {
		t.Errorf("at 0.8: %v with censoring, %v without, truth 0.8", with, without)
	}
}

func TestDegenerate(t *testing.T) {
	random := source(8, 1)
	for name, points := range map[string][]Point{
		"none": nil, "one": {{X: []float64{0}, Y: 1, N: 1}},
		"equal responses": {{X: []float64{0}, Y: 1, N: 1}, {X: []float64{0.5}, Y: 1, N: 1}, {X: []float64{1}, Y: 1, N: 1}, {X: []float64{0.7}, Y: 1, N: 1}},
		"equal settings":  {{X: []float64{0}, Y: 1, N: 1}, {X: []float64{0}, Y: 1.1, N: 1}, {X: []float64{0}, Y: 0.9, N: 1}},
	} {
		for _, s := range Fit(points, Scatter{}, random) {
			if v, sd := Predict(s.Model, []float64{0.3}); math.IsNaN(v) || math.IsNaN(sd) {
				t.Errorf("%s, %s: %v ± %v", name, s.Model.Name(), v, sd)
			}
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{20, 60, 150, 5000} {
		b.Run("", func(b *testing.B) {
			points, scatter := observe(func(x []float64) float64 { return bowl(x) }, n, 4, 2, 0.02, source(1, 1))
			for b.Loop() {
				Fit(points, scatter, source(1, 2))
			}
		})
	}
}
