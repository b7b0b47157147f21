package analyze

import (
	"errors"
	"fmt"
	"slices"
)

// Join puts the samples of several sweeps together, so that a sweep repeated on
// another day counts as further blocks. They have to move the same properties
// from the same baseline.
func Join(names []string, sets []*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("nothing to analyse")
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	out := &Set{Baseline: sets[0].Baseline, Factors: sets[0].Factors, Imported: sets[0].Imported, cores: sets[0].cores}
	blocks, order := 0, 0
	for i, s := range sets {
		if !s.Baseline.Equal(out.Baseline) {
			return nil, fmt.Errorf("%s and %s have different baselines (%s; %s): analyse them one by one", names[0], names[i], out.Baseline, s.Baseline)
		}
		same := slices.EqualFunc(s.Factors, out.Factors, func(a, b Factor) bool { return a.Name == b.Name })
		if !same {
			return nil, fmt.Errorf("%s and %s move different properties: analyse them one by one", names[0], names[i])
		}
		top, last := 0, 0
		for _, one := range s.Samples {
			top, last = max(top, one.Block), max(last, one.Order)
			one.Block += blocks
			one.Order += order
			one.ID = names[i] + ":" + one.ID
			one.Session = names[i] + ":" + one.Session
			out.Samples = append(out.Samples, one)
		}
		for _, e := range s.Excluded {
			out.Excluded = append(out.Excluded, Exclusion{Trial: names[i] + ":" + e.Trial, Reason: e.Reason})
		}
		out.Warnings = append(out.Warnings, s.Warnings...)
		out.failed = append(out.failed, s.failed...)
		blocks += top
		order += last
	}
	return out, nil
}
