package hbaseconf

import (
	"errors"
	"fmt"
	"strings"
)

// ReadError says that a daemon cannot read the value of a property.
type ReadError struct {
	Entry Entry
	Text  string // after ${…} is expanded
	Err   error
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %q %v", e.Entry.File, e.Entry.Line, e.Entry.Name, e.Text, e.Err)
}

func (e *ReadError) Unwrap() error { return e.Err }

// maxSubstitutions is how many ${…} Hadoop expands in one value.
const maxSubstitutions = 20

var (
	errTooDeep = errors.New("refers to more than 20 other values, one after the other; Hadoop gives up")
	errTooLong = errors.New("expands to more than 16 MB")
)

// expand replaces ${…} as Hadoop does: the first one, again and again, until one
// is found that stands for nothing.
func (c *Configuration) expand(text string) (string, error) {
	expanded := text
	for range maxSubstitutions {
		start, end := variable(expanded)
		if start < 0 {
			return expanded, nil
		}
		name := expanded[start:end]
		value, ok := c.variable(name)
		if !ok {
			return expanded, nil // and what follows is not looked at either
		}
		reference := "${" + name + "}"
		if strings.Contains(value, reference) {
			return text, nil // a loop: all stays as written
		}
		expanded = expanded[:start-2] + value + expanded[end+1:]
		if len(expanded) > maxFileBytes {
			return text, errTooLong
		}
	}
	return text, errTooDeep
}

// variable is what a name inside of ${…} stands for.
func (c *Configuration) variable(name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "env."); ok && rest != "" && !c.env.NoEnv {
		if value, ok := c.envVariable(rest); ok {
			return value, true
		}
	} else if value, ok := look(c.env.System, name); ok {
		return value, true
	}
	entry, ok := c.Entry(name)
	return entry.Value, ok
}

// envVariable reads NAME, NAME:-default (where empty counts as unset) and
// NAME-default.
func (c *Configuration) envVariable(text string) (string, bool) {
	i := strings.IndexAny(text, "-:")
	for i >= 0 && text[i] == ':' && !strings.HasPrefix(text[i:], ":-") {
		next := strings.IndexAny(text[i+1:], "-:")
		if next < 0 {
			i = -1
			break
		}
		i += 1 + next
	}
	switch {
	case i < 0:
		return look(c.env.Env, text)
	case text[i] == ':':
		if value, ok := look(c.env.Env, text[:i]); ok && value != "" {
			return value, true
		}
		return text[i+2:], true
	}
	if value, ok := look(c.env.Env, text[:i]); ok {
		return value, true
	}
	return text[i+1:], true
}

func look(where func(string) (string, bool), name string) (string, bool) {
	if where == nil {
		return "", false
	}
	return where(name)
}

// variable finds the first ${name} in a text and returns where the name begins
// and ends, or -1. A name has at least one character, and none of "}", "$" and
// the space.
func variable(text string) (start, end int) {
	for at := 0; ; {
		i := strings.Index(text[at:], "${")
		if i < 0 {
			return -1, -1
		}
		start = at + i + 2
		length := strings.IndexAny(text[start:], "} $")
		if length < 0 {
			return -1, -1
		}
		end = start + length
		if text[end] == '}' && length > 0 {
			return start, end
		}
		at = end // a $ may begin the next one
		if text[end] != '$' {
			at++
		}
	}
}
