package hbaseconf

import (
	"math/big"
	"strings"
)

// unitFactor is what a number with that unit is multiplied by to count in the
// property's own unit.
func (p Property) unitFactor(unit string) (*big.Rat, bool) {
	if p.Fraction() {
		if unit == "%" {
			return big.NewRat(1, 100), true
		}
		return nil, false
	}
	unit = strings.ToLower(unit)
	switch p.Unit {
	case "bytes":
		return byteFactor(unit, 1)
	case "MB":
		return byteFactor(unit, 1<<20)
	case "bytes/s":
		return byteFactor(strings.TrimSuffix(unit, "/s"), 1)
	case "ms":
		millis, ok := map[string]int64{
			"ms": 1, "s": 1000, "sec": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
		}[unit]
		return big.NewRat(millis, 1), ok
	}
	// "30 threads" is as good as "30".
	return big.NewRat(1, 1), p.Unit != "" && unit == strings.ToLower(p.Unit)
}

// byteFactor takes k, kb and kib alike as 1024, as HBase's documentation does.
func byteFactor(unit string, own int64) (*big.Rat, bool) {
	if unit == "" || unit == "b" || unit == "bytes" {
		return big.NewRat(1, own), true
	}
	power := strings.Index("kmgtp", unit[:1])
	if power < 0 {
		return nil, false
	}
	switch unit[1:] {
	case "", "b", "ib":
		return big.NewRat(1<<(10*(power+1)), own), true
	}
	return nil, false
}

func unitExample(unit string) string {
	switch unit {
	case "bytes":
		return "128MB"
	case "MB":
		return "4GB"
	case "bytes/s":
		return "50MB/s"
	case "ms":
		return "10s"
	}
	return ""
}
