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
	return mayBeSecret(name) && secretName.MatchString(name)
}

// mayBeSecret looks for what every name of a secret has a part of, which is far
// quicker than the expression, and rare.
func mayBeSecret(name string) bool {
	for i := range len(name) {
		part := ""
		switch name[i] | 0x20 {
		case 'p':
			part = name[i:min(i+3, len(name))]
			if strings.EqualFold(part, "pas") || strings.EqualFold(part, "pwd") {
				return true
			}
			continue
		case 's':
			part = "secret"
		case 'c':
			part = "credential"
		case 'k':
			part = "key"
		case 't':
			part = "token"
		default:
			continue
		}
		if len(name)-i >= len(part) && strings.EqualFold(name[i:i+len(part)], part) {
			return true
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
