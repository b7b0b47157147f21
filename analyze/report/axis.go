package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An axis scale tells how one quantity is laid out: logarithmic or not, in
// which unit, and how a tick is written.
type scale struct {
	label  string
	log    bool
	bytes  bool
	format func(float64) string // of a tick; nil means quantity
	most   int                  // ticks with a label that fit
	// levels are the values measured: where they are few and length, the room
	// for the axis, allows it, they are the ticks.
	levels []float64
	length vg.Length
	whole  bool // only whole numbers mean something
}

// levelTicks is how many measured values may stand in place of round numbers.
const levelTicks = 7

func (s scale) text(x float64) string {
	switch {
	case s.format != nil:
		return s.format(x)
	case s.bytes:
		return byteSize(x)
	default:
		return tickNumber(x)
	}
}

// Ticks implements plot.Ticker.
func (s scale) Ticks(low, high float64) []plot.Tick {
	most := s.most
	if most == 0 {
		most = 6
	}
	var values []float64
	switch {
	case len(s.levels) > 1 && len(s.levels) <= levelTicks:
		values = s.levels
	case s.whole:
		values = steps(low, high, int(min(float64(most), math.Max(2, high-low+1))), 10)
		values = slices.DeleteFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	case s.log && s.bytes:
		values = powers(low, high, 2, []float64{1})
	case s.log && high/low > 1000:
		values = powers(low, high, 10, []float64{1})
	case s.log && high/low > 20:
		values = powers(low, high, 10, []float64{1, 3})
	case s.log && high/low > 3:
		values = powers(low, high, 10, []float64{1, 2, 5})
	case s.bytes:
		values = steps(low, high, most, 2)
	default:
		values = steps(low, high, most, 10)
	}
	if len(values) < 2 {
		values = steps(low, high, most, 10)
	}
	if len(s.levels) > levelTicks || len(s.levels) < 2 {
		values = thin(values, most)
	}
	ticks := make([]plot.Tick, 0, len(values))
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: v, Label: s.text(v)})
	}
	if s.length > 0 {
		s.part(ticks, low, high)
	}
	return ticks
}

// part takes the label off every tick whose text would touch the one before.
func (s scale) part(ticks []plot.Tick, low, high float64) {
	var normal plot.Normalizer = plot.LinearScale{}
	if s.log && low > 0 {
		normal = plot.LogScale{}
	}
	style := textStyle(tickText, muted, draw.XCenter, draw.YTop)
	end := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		if t.Value < low || t.Value > high {
			continue
		}
		center := vg.Length(normal.Normalize(low, high, t.Value)) * s.length
		half := style.Width(t.Label) / 2
		if center-half < end+5 {
			ticks[i].Label = ""
			continue
		}
		end = center + half
	}
}

// powers lists base^k·m within the range.
func powers(low, high, base float64, mantissas []float64) []float64 {
	var out []float64
	for k := math.Floor(math.Log(low) / math.Log(base)); k <= math.Ceil(math.Log(high)/math.Log(base)); k++ {
		for _, m := range mantissas {
			if v := m * math.Pow(base, k); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

// steps lists the multiples of a round step within the range, at most so many.
// In base 2 a round step is a power of two, otherwise 1, 2 or 5 times one of ten.
func steps(low, high float64, most, base int) []float64 {
	span := high - low
	if !(span > 0) {
		return nil
	}
	step := math.Pow(float64(base), math.Floor(math.Log(span/float64(most))/math.Log(float64(base))))
	growth := []float64{2, 2.5, 2}
	if base == 2 {
		growth = []float64{2}
	}
	var finer []float64
	for i := 0; ; i++ {
		first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
		var out []float64
		for k := first; k <= last; k++ {
			out = append(out, k*step+0) // + 0 makes −0 a 0
		}
		switch {
		case len(out) < 2 && finer != nil:
			return thin(finer, most)
		case len(out) <= most:
			return out
		}
		finer = out
		step *= growth[i%len(growth)]
	}
}

// thin keeps at most so many values, evenly.
func thin(values []float64, most int) []float64 {
	if len(values) <= most {
		return values
	}
	every := (len(values) + most - 1) / most
	var out []float64
	for i := 0; i < len(values); i += every {
		out = append(out, values[i])
	}
	return out
}

// widen gives a range some air, so that no point sits on a frame.
func widen(low, high float64, log bool, share float64) (float64, float64) {
	if log && low > 0 {
		if low == high {
			return low / 1.5, high * 1.5
		}
		f := math.Pow(high/low, share)
		return low / f, high * f
	}
	if low == high {
		d := math.Max(math.Abs(low)*0.1, 1e-9)
		return low - d, high + d
	}
	d := (high - low) * share
	return low - d, high + d
}

// use sets an axis of a plot to this scale.
func (s scale) use(a *plot.Axis, low, high float64) {
	a.Min, a.Max = low, high
	a.Label.Text = s.label
	a.Tick.Marker = s
	if s.log && low > 0 {
		a.Scale = plot.LogScale{}
	}
}
