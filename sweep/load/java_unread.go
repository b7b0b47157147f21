package load

import (
	_ "embed"
	"slices"
	"strings"
)

// unreadTable lists client properties and the APIs of HBase 2's Java client that
// read them.
//
//go:embed java/read.tsv
var unreadTable string

// JavaUnread picks out of the properties that a configuration sets those that an
// API of HBase's Java client does not read.
func JavaUnread(api string, names []string) []string {
	var unread []string
	for line := range strings.Lines(unreadTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, apis, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if slices.Contains(names, name) && !slices.Contains(strings.Fields(apis), api) {
			unread = append(unread, name)
		}
	}
	return unread
}
