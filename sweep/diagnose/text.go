package diagnose

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes conclusions for people, the most important one first.
func WriteText(w io.Writer, list []Conclusion) error {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("\nNothing in these figures asks for a change.\n")
	}
	for i, c := range list {
		about := ""
		if len(c.Servers) > 0 {
			about = strings.Join(c.Servers, ", ") + ": "
		}
		fmt.Fprintf(&b, "\n%d. %s%s [%s]\n", i+1, about, c.Message, c.Code)
		for _, text := range c.Evidence {
			fmt.Fprintf(&b, "     because    %s\n", text)
		}
		fmt.Fprintf(&b, "     do         %s\n     not        %s\n     refuted by %s\n", c.Advice, c.Not, c.Refuted)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the diagnosis: %w", err)
	}
	return nil
}
