package hbaseconf

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed shipped.tsv
var shippedTSV string

// shipped is the content of the hbase-default.xml that comes with each line of
// releases: "-" stands for a property that is not in it, nothing for one without
// a value.
type shippedDefaults struct {
	lines  []version
	names  []string
	values map[string][]string // by name, in the order of lines
	sets   []Settings          // of each line
}

var shipped = sync.OnceValue(func() shippedDefaults {
	s := shippedDefaults{values: map[string][]string{}}
	for row := range strings.Lines(shippedTSV) {
		name, cells, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		values := strings.Split(cells, "\t")
		if s.lines == nil {
			for _, line := range values {
				s.lines = append(s.lines, parseVersion(line))
			}
			continue
		}
		s.names = append(s.names, name)
		s.values[name] = values
	}
	for column := range s.lines {
		m := map[string]string{}
		for name, values := range s.values {
			if value := values[column]; value != "" && value != notShipped {
				m[currentName(name)] = value
			}
		}
		s.sets = append(s.sets, FromMap(m))
	}
	return s
})

// column is the line of releases that a version belongs to, or the nearest one
// before it; the newest 2.x for an empty version.
func (s shippedDefaults) column(text string) int {
	if text == "" {
		text = "2.6"
	}
	column, v := 0, parseVersion(text)
	for i, line := range s.lines {
		if !v.before(line) {
			column = i
		}
	}
	return column
}

const notShipped = "-"

// Shipped is what the hbase-default.xml of a version sets, the newest 2.x if it
// is empty: the values below every site file, as written there and under the
// names that Hadoop keeps.
func Shipped(version string) Settings {
	s := shipped()
	return s.sets[s.column(version)]
}

// ReleaseLine is the line of releases, such as 2.6, whose defaults are taken for
// a version, and whether the version belongs to it: those of an older or newer
// HBase are not known here.
func ReleaseLine(version string) (line string, belongs bool) {
	s := shipped()
	of := s.lines[s.column(version)]
	return of.String(), version == "" || of.sameLine(parseVersion(version))
}

// isShipped reports whether some version's hbase-default.xml has the property.
func isShipped(name string) bool { return shipped().values[name] != nil }
