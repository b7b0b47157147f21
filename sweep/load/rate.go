package load

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseRate reads a number of operations a second: 5000, 5k, 5000/s, 300/min.
func ParseRate(text string) (perSecond float64, err error) {
	fault := fmt.Errorf("%q is not a rate: write operations a second, as 5000, 5k or 5000/s (or 300000/min)", text)
	number, per, has := strings.Cut(strings.ReplaceAll(text, " ", ""), "/")
	by := 1.0
	if has {
		switch per {
		case "s", "sec", "second":
		case "min", "minute":
			by = 60
		default:
			return 0, fault
		}
	}
	times := 1.0
	switch {
	case strings.HasSuffix(number, "k"):
		number, times = number[:len(number)-1], 1000
	case strings.HasSuffix(number, "M"):
		number, times = number[:len(number)-1], 1e6
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !(x > 0) || x > 1e9 {
		return 0, fault
	}
	return x * times / by, nil
}
