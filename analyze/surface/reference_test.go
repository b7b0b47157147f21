package surface

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The optimum that scikit-learn's Gaussian process has on the same data
// (scripts/reference.py): the same within 2 % of every range, and as good.
func TestAgainstScikitLearn(t *testing.T) {
	var reference []struct {
		Name    string
		X       [][]float64
		Y       []float64
		Optimum []float64
		Value   float64
	}
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	for _, r := range reference {
		var points []Point
		for i, x := range r.X {
			points = append(points, Point{X: x, Y: r.Y[i], N: 1})
		}
		g, ok := fitCensored(points, Scatter{}, source(1, 1))
		if !ok {
			t.Fatalf("%s: no fit", r.Name)
		}
		best, at := math.Inf(-1), []float64(nil)
		for i := range 201 {
			for j := range 201 {
				x := []float64{float64(i) / 200, float64(j) / 200}
				if y := g.best.predict(x); y > best {
					best, at = y, x
				}
			}
		}
		for j := range at {
			if math.Abs(at[j]-r.Optimum[j]) > 0.02 {
				t.Errorf("%s: optimum %.3f, scikit-learn %.3f", r.Name, at, r.Optimum)
			}
		}
		if math.Abs(best-r.Value) > 0.02*math.Abs(r.Value) && math.Abs(best-r.Value) > 0.002 {
			t.Errorf("%s: %v there, scikit-learn %v", r.Name, best, r.Value)
		}
	}
}
