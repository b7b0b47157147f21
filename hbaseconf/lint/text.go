package lint

import (
	"fmt"
	"io"
	"strings"
)

// ANSI codes of the colours by severity.
const (
	bold  = "\x1b[1m"
	reset = "\x1b[0m"
)

func (s Severity) color() string {
	switch s {
	case Error:
		return "\x1b[31m"
	case Warning:
		return "\x1b[33m"
	}
	return "\x1b[36m"
}

// WriteText writes the findings for people, and how many there are.
func (r Report) WriteText(out io.Writer, color bool) error {
	if err := r.WriteFindings(out, color); err != nil {
		return err
	}
	end := r.Summary() + "\n"
	if len(r.Findings) > 0 {
		end = "\n" + end
	}
	if _, err := io.WriteString(out, end); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}

// WriteFindings writes the findings one a line, as compilers do, and what to
// write instead below each.
func (r Report) WriteFindings(out io.Writer, color bool) error {
	paint := func(code, text string) string {
		if !color {
			return text
		}
		return code + text + reset
	}
	var b strings.Builder
	for _, one := range r.Findings {
		place := one.File
		if one.Line > 0 {
			place = fmt.Sprintf("%s:%d", one.File, one.Line)
		}
		subject := ""
		if one.Property != "" {
			subject = paint(bold, one.Property) + ": "
		}
		fmt.Fprintf(&b, "%s: %s: %s%s [%s]\n", place, paint(one.Severity.color(), one.Severity.noun()), subject, one.Message, one.Code)
		if one.Fix != "" {
			fmt.Fprintf(&b, "    instead: %s\n", one.Fix)
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}

// Summary counts the findings: "1 error and 2 warnings in 2 files".
func (r Report) Summary() string {
	var parts []string
	for _, s := range []struct {
		severity Severity
		noun     string
	}{{Error, "error"}, {Warning, "warning"}, {Info, "note"}} {
		if n := r.Count(s.severity); n > 0 {
			parts = append(parts, count(n, s.noun))
		}
	}
	files := count(len(r.Files), "file")
	switch len(parts) {
	case 0:
		return "nothing found in " + files
	case 1:
		return parts[0] + " in " + files
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last] + " in " + files
}
