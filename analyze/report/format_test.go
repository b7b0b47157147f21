package report

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{quantity(1234567.4), "1,234,567"},
		{quantity(999), "999"},
		{quantity(12.345), "12.3"},
		{quantity(0.4), "0.40"},
		{quantity(math.NaN()), "–"},
		{grouped(-1234), "-1,234"},
		{plain(0.4), "0.4"},
		{plain(0.30000000000000004), "0.3"},
		{plain(16384), "16,384"},
		{byteSize(134217728), "128 MiB"},
		{byteSize(134217728 * 1.5), "192 MiB"},
		{byteSize(1073741823.9999), "1 GiB"},
		{byteSize(100), "100 B"},
		{millis(125), "0.12"},
		{millis(12345), "12.3"},
		{millis(1234567), "1,235"},
		{change(1.184), "+18.4 %"},
		{change(0.97), "−3.0 %"},
		{change(1.0001), "±0.0 %"},
		{changeTick(0.9), "−10 %"},
		{changeTick(1), "0"},
		{pValue(0.0004), "< 0.001"},
		{pValue(0.0286), "0.029"},
		{settingText("268435456", "bytes"), "256 MiB"},
		{settingText("0.4", "fraction of max heap"), "0.4"},
		{inFile("268435456", "bytes"), "256 MiB (268435456)"},
		{shortName("hbase.regionserver.handler.count"), "handler.count"},
		{shortName("hfile.block.cache.size"), "hfile.block.cache.size"},
		{shellQuote("/var/tmp/sweep-1"), "/var/tmp/sweep-1"},
		{shellQuote("my sweep's"), `'my sweep'\''s'`},
		{sentence("no gain"), "No gain."},
		{sentence("hbase.x=3 is better"), "hbase.x=3 is better."},
	} {
		if got := replaceNBSP(c.got); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func replaceNBSP(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r == '\u00a0' {
			out[i] = ' '
		}
	}
	return string(out)
}

// TestTickLabelsKeepApart draws random axes: labels never touch, lie in range
// and there are at least two of them.
func TestTickLabelsKeepApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scale{
			log: rapid.Bool().Draw(t, "log"), bytes: rapid.Bool().Draw(t, "bytes"),
			length: vg.Length(rapid.Float64Range(180, 500).Draw(t, "length")), most: rapid.IntRange(4, 8).Draw(t, "most"),
		}
		low := rapid.Float64Range(0.001, 1e11).Draw(t, "low")
		high := low * rapid.Float64Range(1.001, 1e6).Draw(t, "ratio")
		low, high = widen(low, high, s.log, 0.06)
		ticks := s.Ticks(low, high)
		var normal plot.Normalizer = plot.LinearScale{}
		if s.log && low > 0 {
			normal = plot.LogScale{}
		}
		style := textStyle(tickText, muted, draw.XCenter, draw.YTop)
		end, labels := math.Inf(-1), 0
		for _, tick := range ticks {
			if tick.Label == "" || tick.Value < low || tick.Value > high {
				continue
			}
			at := normal.Normalize(low, high, tick.Value) * s.length.Points()
			half := style.Width(tick.Label).Points() / 2
			if at-half <= end {
				t.Fatalf("labels touch at %s in %v", tick.Label, ticks)
			}
			end = at + half
			labels++
		}
		if labels < 2 {
			t.Fatalf("%d labels between %g and %g: %v", labels, low, high, ticks)
		}
	})
}

func TestDecimateKeepsTheExtremes(t *testing.T) {
	in := inputOf(shape{blocks: 1, values: 2, seconds: 3000}, "improves")
	series := in.Records[0].Measurement.Series
	series[1777].Throughput = 1 // a stall of one second
	points := decimate(series, perSecond)
	lowest := math.Inf(1)
	for i, p := range points {
		lowest = math.Min(lowest, p.y)
		if i > 0 && p.x <= points[i-1].x {
			t.Fatalf("not in order of time at %v", p.x)
		}
	}
	if lowest != 1 || len(points) > panelPoints+2 {
		t.Errorf("%d points, lowest %v", len(points), lowest)
	}
}
