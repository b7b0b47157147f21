package load

import "math"

// zipfTheta is YCSB's exponent: the item of rank k is drawn k^-zipfTheta times
// as often as the first.
const zipfTheta = 0.99

// zipf draws ranks, from 0 on, by YCSB's approximation of Zipf's law (Gray et
// al., "Quickly generating billion-record synthetic databases", 1994): the first
// two ranks have exactly the law's frequencies, the others those of a power
// function that goes on from there. All of it is a few numbers, so that neither
// memory nor the time of a draw depends on how many items there are.
type zipf struct {
	items  int64
	zeta   float64 // the sum of k^-θ over all items
	second float64 // of the first two
	eta    float64
}

func newZipf(items int64) zipf {
	z := zipf{second: 1 + math.Pow(2, -zipfTheta)}
	z.resize(items)
	return z
}

func (z *zipf) resize(items int64) {
	z.items = items
	z.zeta = zeta(items)
	z.eta = (1 - math.Pow(2/float64(items), 1-zipfTheta)) / (1 - z.second/z.zeta)
}

// rank is the rank at which the law has come to the share u of all draws.
func (z *zipf) rank(u float64) int64 {
	switch part := u * z.zeta; {
	case part < 1 || z.items < 2:
		return 0
	case part < z.second || z.items < 3:
		return 1
	}
	x := power(1 + z.eta*(u-1))
	return min(int64(float64(z.items)*x), z.items-1)
}

// power raises to 1/(1−θ), which is 100, by squaring: math.Pow takes longer than
// all the rest of a draw.
func power(x float64) float64 {
	x2 := x * x
	x4 := x2 * x2
	x8 := x4 * x4
	x16 := x8 * x8
	x32 := x16 * x16
	return x32 * x32 * x32 * x4
}

// zetaHead is how many terms of the sum are added up one by one.
const zetaHead = 64

// zeta is the sum of k^-θ for k = 1…n. Beyond the head the Euler–Maclaurin
// formula gives it to ten digits.
func zeta(n int64) float64 {
	sum := 0.0
	head := min(n, zetaHead)
	for k := int64(1); k <= head; k++ {
		sum += math.Pow(float64(k), -zipfTheta)
	}
	if n == head {
		return sum
	}
	tail := func(x float64) float64 {
		p := math.Pow(x, -zipfTheta)
		return x*p/(1-zipfTheta) + p/2 - zipfTheta*p/(12*x)
	}
	return sum + tail(float64(n)) - tail(float64(head))
}
