package analyze

import (
	"strings"
	"testing"
)

func TestConstraints(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{" p99_us <= 20000", "p99_us<=20000", ""},
		{"throughput>5e3", "throughput>=5000", ""},
		{"errors<=0", "errors<=0", ""},
		{"client_cpu<0.8", "client_cpu<=0.8", ""},
		{"p99_us=20000", "", "write it like p99_us<=20000"},
		{"p98_us<=20000", "", `unknown metric "p98_us"`},
		{"p99_us<=20ms", "", `"20ms" is not a number`},
		{"p99_us<=NaN", "", "is not a number"},
		{"p99_us<=-1", "", "p99_us is never below 0: give a bound above 0 (µs)"},
		{"p99_us<=0", "", "give a bound above 0"},
		{"throughput>=0", "", "give a bound above 0"},
		{"errors<=-1", "", "never below 0"},
		{"errors>=0", "", "give a bound above 0"},
		{"client_cpu<=80", "", "never above 1: give a share of cores"},
	} {
		got, err := ParseConstraint(c.text)
		switch {
		case c.fault == "" && (err != nil || got.String() != c.want):
			t.Errorf("%q: %v, %v", c.text, got, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%q: got %v, want %s", c.text, err, c.fault)
		}
	}
}
