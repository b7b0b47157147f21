package analyze

import (
	"errors"
	"fmt"
	"strings"

	"hbtune/hbaseconf"
)

// ParseBaseline reads "name=value,name=value": properties in any way that the
// catalogue understands ("128MB"), and load factors as numbers.
func ParseBaseline(catalogue *hbaseconf.Catalogue, text string) (hbaseconf.Settings, error) {
	var out hbaseconf.Settings
	var faults []error
	for _, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			faults = append(faults, fmt.Errorf("%q: write it as name=value", part))
			continue
		}
		if isLoadFactor(strings.ToLower(name)) {
			if x, ok := hbaseconf.Value(value).Number(); !ok || x < 0 {
				faults = append(faults, fmt.Errorf("%s: %q is not a number", name, value))
				continue
			}
			out = out.With(hbaseconf.Setting{Name: strings.ToLower(name), Value: hbaseconf.Value(value)})
			continue
		}
		v, err := catalogue.Value(name, value)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if p, ok := catalogue.Lookup(name); ok {
			name = p.Name
		}
		out = out.With(hbaseconf.Setting{Name: name, Value: v})
	}
	return out, errors.Join(faults...)
}
