package hbaseconf

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size.
type Bytes int64

var byteUnits = []string{"B", "KB", "MB", "GB", "TB", "PB"}

// String writes the size in the largest unit of which it is a whole number:
// "128MB", "1000B".
func (b Bytes) String() string {
	unit := 0
	for b != 0 && b%1024 == 0 && unit < len(byteUnits)-1 {
		b /= 1024
		unit++
	}
	return strconv.FormatInt(int64(b), 10) + byteUnits[unit]
}

// ParseBytes reads what a person wrote, "512MB" or "1000B", as the values of
// properties are read.
func ParseBytes(text string) (Bytes, error) {
	size := Property{Kind: Long, Unit: "bytes"}
	value, reason := size.canonicalNumber(strings.TrimSpace(text))
	if reason != "" {
		return 0, fmt.Errorf("size %q %s", text, reason)
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q is out of range", text)
	}
	return Bytes(n), nil
}
