package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hbtune/hbaseconf"
	"hbtune/hbaseconf/lint"
	"hbtune/sweep/diagnose"
	"hbtune/sweep/metrics"
)

// Difference is a property that servers of one kind run with differently.
type Difference struct {
	Property string  `json:"property"`
	Values   []Value `json:"values"` // the most common first
}

// Value is what some servers run with.
type Value struct {
	Value   string   `json:"value"` // empty where it is not set
	Source  string   `json:"source"`
	Servers []string `json:"servers"`
}

func webURL(host string, port int) string {
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// ownValue tells properties that are different by nature on each server.
func ownValue(name string) bool {
	return strings.HasSuffix(name, ".port") || strings.HasSuffix(name, ".dir") || strings.HasSuffix(name, ".dirs") ||
		strings.Contains(name, "hostname") || strings.HasSuffix(name, "bindAddress") || strings.HasSuffix(name, ".address")
}

// regionServers are the servers that hold regions.
func (in *inspection) regionServers() []Server {
	var list []Server
	for _, s := range in.servers {
		if s.Role == lint.RegionServer {
			list = append(list, s)
		}
	}
	return list
}

// differences lists what RegionServers run with differently.
func (in *inspection) differences() []Difference {
	servers := in.regionServers()
	names := map[string]bool{}
	for _, s := range servers {
		for name, entry := range s.conf {
			if entry.Source != "programmatically" && !ownValue(name) {
				names[name] = true
			}
		}
	}
	list := []Difference{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var values []Value
		for _, s := range servers {
			entry := s.conf[name]
			same := slices.IndexFunc(values, func(v Value) bool {
				return v.Value == entry.Value || v.Value != "" && entry.Value != "" && in.catalogue.Same(name, hbaseconf.Value(v.Value), hbaseconf.Value(entry.Value))
			})
			if same < 0 {
				values = append(values, Value{Value: entry.Value, Source: entry.Source})
				same = len(values) - 1
			}
			values[same].Servers = append(values[same].Servers, s.Name)
		}
		if len(values) < 2 {
			continue
		}
		for i := range values {
			values[i].Value = masked(name, values[i].Value)
		}
		slices.SortStableFunc(values, func(a, b Value) int { return cmp.Compare(len(b.Servers), len(a.Servers)) })
		list = append(list, Difference{name, values})
	}
	return list
}

// drift lists what the file says and a server does not run with.
func (in *inspection) drift() []diagnose.Drift {
	list := []diagnose.Drift{}
	if in.cfg.File == nil {
		return list
	}
	for _, s := range in.servers {
		conf := hbaseconf.Load(hbaseconf.Environment{Defaults: settingsOf(s.conf, func(metrics.ConfEntry) bool { return true })}, in.cfg.File)
		for _, name := range conf.Names() {
			want, _ := conf.Get(name)
			got, set := s.conf[name]
			if got.Value == metrics.Masked || got.Source == "programmatically" || set && in.catalogue.Same(name, hbaseconf.Value(want), hbaseconf.Value(got.Value)) {
				continue
			}
			entry, _ := conf.Entry(name)
			list = append(list, diagnose.Drift{
				Server: s.Name, Property: name, File: fmt.Sprintf("%s:%d", entry.File, entry.Line), InFile: hbaseconf.Masked(name, want),
				Running: masked(name, got.Value), Source: got.Source, Restarted: !in.cfg.FileTime.IsZero() && s.Start.After(in.cfg.FileTime),
			})
		}
	}
	return list
}

// masked hides secrets, and tells those from values that are not set.
func masked(name, value string) string {
	if value == "" {
		return ""
	}
	return hbaseconf.Masked(name, value)
}

func settingsOf(conf map[string]metrics.ConfEntry, keep func(metrics.ConfEntry) bool) hbaseconf.Settings {
	m := map[string]string{}
	for name, entry := range conf {
		if entry.Value != metrics.Masked && keep(entry) {
			m[name] = entry.Value
		}
	}
	return hbaseconf.FromMap(m)
}

// findings judges what every server runs with. What is the same for several is
// said once.
func (in *inspection) findings() []lint.Finding {
	list := []lint.Finding{}
	for _, s := range in.servers {
		running := settingsOf(s.conf, func(e metrics.ConfEntry) bool { return strings.HasSuffix(e.Source, "hbase-site.xml") })
		found := lint.Run(lint.Input{
			Options: lint.Options{Version: s.Version, Role: s.Role, Heap: hbaseconf.Bytes(s.HeapBytes), Regions: s.Regions},
			Running: running, Server: s.Name, Flags: s.flags,
		}).Findings
		for _, one := range found {
			same := slices.IndexFunc(list, func(other lint.Finding) bool {
				return other.Code == one.Code && other.Property == one.Property && other.Message == one.Message
			})
			if same >= 0 {
				list[same].File += ", " + one.File
				continue
			}
			list = append(list, one)
		}
	}
	return list
}
