package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// feasible refuses settings with which HBase would refuse to start, before
// anything is written. What the original has too is no reason: it serves.
func feasible(original, edited *hbaseconf.Site, settings hbaseconf.Settings, heapBytes int64) error {
	var before, after *hbaseconf.InfeasibleError
	err := hbaseconf.Feasible(edited.Settings(), heapBytes)
	if !errors.As(err, &after) {
		return err
	}
	if errors.As(hbaseconf.Feasible(original.Settings(), heapBytes), &before) {
		after.Conflicts = slices.DeleteFunc(after.Conflicts, func(c hbaseconf.Conflict) bool {
			return slices.ContainsFunc(before.Conflicts, func(o hbaseconf.Conflict) bool {
				return o.Reason == c.Reason && slices.Equal(o.Properties, c.Properties)
			})
		})
	}
	if len(after.Conflicts) == 0 {
		return nil
	}
	f := fault(trial.FaultRefused, after)
	f.Property, f.File = blamed(settings, f.Message), edited.Path()
	return f
}

// effective is the value that a server works with: what its configuration
// holds under the property's name or an older one, else the version's default.
// It is empty where the default is computed.
func (l *Local) effective(name string, conf map[string]running) (hbaseconf.Value, error) {
	property, known := l.catalogue.Lookup(name)
	names := []string{name}
	for _, alias := range property.Aliases {
		names = append(names, alias.Name)
	}
	for _, name := range names {
		if have, set := conf[name]; set {
			return hbaseconf.Value(strings.TrimSpace(have.value)), nil
		}
	}
	if !known {
		return "", fmt.Errorf("%s is unset, and the catalogue does not know it", name)
	}
	value, _ := property.DefaultIn(l.cluster.version())
	return value, nil
}
