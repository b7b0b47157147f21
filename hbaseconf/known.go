package hbaseconf

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed known.tsv
var knownTSV string

// knownNames are all texts in the classes of HBase that are formed like the
// name of a property, with the lines of releases that have them. Those that end
// in a dot are the beginning of names.
type knownNames struct {
	names    []string
	prefixes map[string]bool
	versions map[string][]string
}

var known = sync.OnceValue(func() knownNames {
	k := knownNames{prefixes: map[string]bool{}, versions: map[string][]string{}}
	lists := map[string][]string{} // of lines of releases, of which there are few
	for i, row := range strings.Split(strings.TrimSuffix(knownTSV, "\n"), "\n") {
		name, versions, _ := strings.Cut(row, "\t")
		switch {
		case i == 0:
		case strings.HasSuffix(name, "."):
			k.prefixes[name] = true
		default:
			k.names = append(k.names, name)
			if lists[versions] == nil {
				lists[versions] = slices.Clip(strings.Split(versions, ","))
			}
			k.versions[name] = lists[versions]
		}
	}
	for old, now := range renames() {
		lines := append(slices.Clone(k.versions[now]), k.versions[old]...)
		slices.Sort(lines)
		if lines = slices.Compact(lines); lines != nil {
			k.versions[now] = lines
		}
	}
	return k
})

// inCode reports whether a name, or the beginning of it, is in HBase's code.
func inCode(name string) bool {
	k := known()
	if k.versions[name] != nil {
		return true
	}
	for i := range len(name) {
		if name[i] == '.' && k.prefixes[name[:i+1]] {
			return true
		}
	}
	return false
}

// KnownLines lists the lines of releases, such as "2.6", in whose code a name
// of a property stands; it is empty for a name that is in none of those known. A name that Hadoop
// renames counts as the new one. The slice is not to be changed.
func KnownLines(name string) []string { return known().versions[currentName(name)] }
