package envfile

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Doubt is a place of which the effect cannot be known unless a shell runs the
// file where it lies.
type Doubt struct {
	Line   int
	Reason string // a predicate: "runs a command"
}

func (d *Doubt) Error() string { return fmt.Sprintf("line %d %s", d.Line, d.Reason) }

// Doubt is the first such place, or nil for a file of assignments whose values
// all stand in it. Judging a file need not mind; whoever starts a process with
// its flags must, since they may be others than the file would give it.
func (f *File) Doubt() *Doubt { return f.doubt }

// Value is what a variable holds at the end of the file; false where the file
// does not set it.
func (f *File) Value(name string) (string, bool) {
	v := f.vars[name]
	if v == nil {
		return "", false
	}
	return textOf(v.value), true
}

func (f *File) doubtAt(line int, reason string) {
	if f.doubt == nil || line < f.doubt.Line {
		f.doubt = &Doubt{line, reason}
	}
}

func (s *shell) doubt(node syntax.Node, reason string) {
	s.file.doubtAt(int(node.Pos().Line()), reason)
}

// doubtStmt doubts whatever is not a plain assignment.
func (s *shell) doubtStmt(stmt *syntax.Stmt) {
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			s.doubt(stmt, "runs a command")
		}
		for _, a := range cmd.Assigns {
			s.doubtHome(a)
		}
	case *syntax.DeclClause:
		if cmd.Variant.Value != "export" {
			s.doubt(stmt, "holds "+cmd.Variant.Value)
		}
		for _, a := range cmd.Args {
			if a.Name == nil {
				s.doubt(stmt, "gives export an option or a name that is put together")
			}
			s.doubtHome(a)
		}
	case nil:
	default:
		s.doubt(stmt, "holds more than assignments, such as a condition or a function")
	}
	if stmt.Background || stmt.Coprocess || stmt.Negated || len(stmt.Redirs) > 0 {
		s.doubt(stmt, "runs in the background, or redirects")
	}
}

// doubtHome doubts a ~ at the beginning of a value, or after a colon in it, which
// the shell replaces by a folder.
func (s *shell) doubtHome(a *syntax.Assign) {
	if a.Value == nil {
		return
	}
	for i, part := range a.Value.Parts {
		if lit, ok := part.(*syntax.Lit); ok && (i == 0 && strings.HasPrefix(lit.Value, "~") || strings.Contains(lit.Value, ":~")) {
			s.doubt(lit, "holds ~, which stands for a folder")
		}
	}
}
