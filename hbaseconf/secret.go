package hbaseconf

import (
	"regexp"
	"strings"
)

// Mask is printed in place of a secret, as HBase's own /conf does.
const Mask = "<masked>"

var (
	secretName  = regexp.MustCompile(`(?i)pas+w|secret|credential|private.?key|access.?key|api.?key|(^|[._-])(pwd|pass|token)$`)
	secretInURL = regexp.MustCompile(`(://[^/\s:@]*:)[^/\s@]+@`)
	secretPair  = regexp.MustCompile(`(?i)((?:pas+w(?:or)?d|secret|token|pwd)\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s;,&"']+)`)
)

// Secret reports whether a property or variable is named like a secret.
func Secret(name string) bool {
	lower := strings.ToLower(name)
	for _, part := range []string{"pas", "secret", "credential", "key", "pwd", "token"} {
		if strings.Contains(lower, part) { // far quicker than the expression, and rare
			return secretName.MatchString(lower)
		}
	}
	return false
}

// Masked is a value as it may be printed: the whole hidden where the name is
// that of a secret, and what inside of it looks like one.
func Masked(name, value string) string {
	if Secret(name) {
		return Mask
	}
	if !strings.ContainsAny(value, "=:@") { // nearly all
		return value
	}
	value = secretInURL.ReplaceAllString(value, "${1}"+Mask+"@")
	return secretPair.ReplaceAllString(value, "${1}"+Mask)
}
