package report

import "strings"

// markdownCell makes a text safe inside a table of Markdown.
func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "_", `\_`, "<", "&lt;", "`", "'").Replace(s)
}
