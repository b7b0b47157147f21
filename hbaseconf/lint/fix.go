package lint

import (
	"fmt"

	"hbtune/hbaseconf"
)

// Fix is a site file in which the safe findings are put right, and those
// findings. Safe is what no daemon can have relied on: a number that it could
// not read and whose meaning is beyond doubt, and names that are not read. The
// file is nil where there is nothing of the kind.
func (c Config) Fix() (*hbaseconf.Site, []Finding, error) {
	site := c.Input.Site
	if site == nil {
		return nil, nil, nil
	}
	var set []hbaseconf.Setting
	var remove []string
	var done []Finding
	for _, one := range c.Report.Findings {
		if one.edit == nil || one.File != site.Path() {
			continue
		}
		done = append(done, one)
		if one.edit.value == "" {
			remove = append(remove, one.edit.name)
		} else {
			set = append(set, hbaseconf.Setting{Name: one.edit.name, Value: hbaseconf.Value(one.edit.value)})
		}
	}
	if done == nil {
		return nil, nil, nil
	}
	fixed, err := site.With(hbaseconf.NewSettings(set...))
	if err == nil {
		fixed, err = fixed.Without(remove...)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fix: %w", err)
	}
	return fixed, done, nil
}
