package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

// readBack proves that every RegionServer runs with the settings, and returns
// the running values of these and of the properties to be observed.
func (l *Local) readBack(ctx context.Context, settings hbaseconf.Settings) (hbaseconf.Settings, error) {
	confs, err := l.confs(ctx)
	if err != nil {
		return hbaseconf.Settings{}, err
	}
	for _, node := range l.serverNames() {
		for name, want := range settings.All() {
			if err := inForce(node, name, want, confs[node]); err != nil {
				return hbaseconf.Settings{}, err
			}
		}
	}
	names := slices.Concat(settings.Names(), l.opt.Observe)
	slices.Sort(names)
	return l.common(confs, slices.Compact(names))
}

// confs reads the running configuration of every RegionServer.
func (l *Local) confs(ctx context.Context) (map[string]map[string]running, error) {
	confs := map[string]map[string]running{}
	for _, node := range l.serverNames() {
		conf, err := l.cluster.conf(ctx, node)
		if err != nil {
			return nil, fmt.Errorf("read the running configuration of %s: %w", node, err)
		}
		confs[node] = conf
	}
	return confs, nil
}

// inForce is a fault naming the property and what won over our file, unless
// the server runs with the value.
func inForce(node, name string, want hbaseconf.Value, conf map[string]running) error {
	have, set := conf[name]
	if set && strings.TrimSpace(have.value) == string(want) {
		return nil
	}
	err := fmt.Errorf("%s runs with %s unset instead of %s", node, name, want)
	if set {
		err = fmt.Errorf("%s runs with %s=%s (from %s) instead of %s", node, name, have.value, have.source, want)
	}
	f := fault(trial.FaultNotEffective, err)
	f.Property, f.File = name, have.source
	return f
}

// common returns the values that all servers have in common; a difference is a
// fault naming the servers.
func (l *Local) common(confs map[string]map[string]running, names []string) (hbaseconf.Settings, error) {
	var settings hbaseconf.Settings
	for _, name := range names {
		first := ""
		for i, node := range l.serverNames() {
			value, err := l.effective(name, confs[node])
			if err != nil {
				return settings, fmt.Errorf("%s: %w", node, err)
			}
			if i == 0 {
				first = node
				settings = settings.With(hbaseconf.Setting{Name: name, Value: value})
				continue
			}
			if other, _ := settings.Get(name); other != value {
				f := fault(trial.FaultNotEffective, fmt.Errorf("%s differs between servers: %s has %s, %s has %s", name, first, other, node, value))
				f.Property = name
				return settings, f
			}
		}
	}
	return settings, nil
}

// blamed names the property that a message speaks of, if it is one of those
// that were set; where only one was set there is no other.
func blamed(settings hbaseconf.Settings, message string) string {
	names := settings.Names()
	for _, name := range names {
		if len(names) == 1 || strings.Contains(message, name) {
			return name
		}
	}
	return ""
}
