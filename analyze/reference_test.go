package analyze

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// Values computed by scipy (scripts/reference.py) from the same data.
func TestAgainstScipy(t *testing.T) {
	var reference struct {
		Curves []struct {
			Name, Model string
			X, Y        []float64
			Params      map[string]*float64
		}
		Tests []struct {
			A, B       []float64
			U          float64
			SignedRank *float64 `json:"signed_rank"`
		}
		TwoCosts struct {
			H, X []float64
			Hit  float64 `json:"hit_us"`
			Miss float64 `json:"miss_us"`
		} `json:"two_costs"`
	}
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	same := func(name string, got, want, within float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within*math.Abs(want)+1e-9) {
			t.Errorf("%s: %v, scipy %v", name, got, want)
		}
	}
	fits := map[string]func([]level) (model, bool){
		"usl": uslModel, "saturating": saturatingModel, "power": powerModel,
		"quadratic-log": polynomial(2, true).fit, "linear-log": polynomial(1, true).fit,
	}
	for _, c := range reference.Curves {
		var list []observation
		for i, x := range c.X {
			list = append(list, observation{x: x, y: math.Log(c.Y[i])})
		}
		m, ok := fits[c.Model](levelsOf(list))
		if !ok {
			t.Errorf("%s: no fit", c.Name)
			continue
		}
		for name, want := range c.Params {
			if want == nil {
				if name == "peak" && !math.IsInf(uslPeak(m.params), 1) && uslPeak(m.params) < 1e4 {
					t.Errorf("%s: peak %v, scipy finds none", c.Name, uslPeak(m.params))
				}
				continue
			}
			got := m.params[name]
			switch {
			case name == "knee":
				got = uslKnee(m.params)
			case name == "peak" && c.Model == "usl":
				got = uslPeak(m.params)
			case name == "peak":
				got = math.Exp(-m.params["b"] / 2 / m.params["c"])
			}
			same(c.Name+" "+name, got, *want, 0.02)
		}
	}
	for _, s := range reference.Tests {
		same("U test", rankSum(s.A, s.B).p, s.U, 1e-9)
		if s.SignedRank != nil {
			d := make([]float64, len(s.A))
			for i := range d {
				d[i] = s.A[i] - s.B[i]
			}
			same("signed rank", signedRank(d).p, *s.SignedRank, 1e-9)
		}
	}
	r, err := Options{}.rules()
	if err != nil {
		t.Fatal(err)
	}
	chart := HitChart{Workload: "w"}
	for i, h := range reference.TwoCosts.H {
		chart.Points = append(chart.Points, HitPoint{Hit: h, Throughput: reference.TwoCosts.X[i]})
	}
	r.twoCost(&chart)
	same("cost of a hit", *chart.HitMicros, reference.TwoCosts.Hit, 1e-3)
	same("cost of a miss", *chart.MissMicros, reference.TwoCosts.Miss, 1e-3)
}
