package hbaseconf

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed renames.tsv
var renamesTSV string

// renames holds the old names that Hadoop turns into new ones while it reads a
// file, as HBase 2.6 and Hadoop 3.4 declare them.
var renames = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(renamesTSV) {
		if old, now, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			m[old] = now
		}
	}
	return m
})

// currentName is the name under which Hadoop keeps what is set under a name.
func currentName(name string) string {
	if now, ok := renames()[name]; ok {
		return now
	}
	return name
}
