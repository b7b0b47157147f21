package envfile

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// piece is a stretch of a value, with the variable and line that it was written
// in. A value that is put together from others keeps the origin of each.
type piece struct {
	text  string
	name  string
	line  int
	maybe bool
}

type variable struct {
	value    []piece
	exported bool
}

// maxPieces bounds what values may grow to that repeat or double themselves line
// by line; flags beyond it are not looked at.
const maxPieces = 300

// shell evaluates statements one after the other.
type shell struct {
	file      *File
	maybe     int  // conditions that the statement stands in
	exportAll bool // after set -a
	// assigning is the variable whose value is evaluated, and written what of it
	// stands in the assignment itself.
	assigning string
	written   strings.Builder
	guarded   int
}

func (s *shell) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

func (s *shell) stmt(stmt *syntax.Stmt) {
	s.doubtStmt(stmt)
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(cmd)
	case *syntax.DeclClause:
		s.declare(cmd)
	case *syntax.IfClause:
		s.ifClause(cmd)
	case *syntax.Block:
		s.stmts(cmd.Stmts)
	case *syntax.BinaryCmd:
		s.stmt(cmd.X)
		s.conditional(cmd.Y)
	case *syntax.CaseClause:
		s.test(cmd.Word)
		for _, item := range cmd.Items {
			s.conditional(item.Stmts...)
		}
	case *syntax.ForClause:
		s.conditional(cmd.Do...)
	case *syntax.WhileClause:
		s.conditional(cmd.Do...)
	case *syntax.TestClause:
		s.test(cmd)
	}
}

func (s *shell) conditional(list ...*syntax.Stmt) {
	s.maybe++
	s.stmts(list)
	s.maybe--
}

func (s *shell) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		for _, stmt := range c.Cond {
			s.test(stmt)
		}
		s.conditional(c.Then...)
	}
}

// test notes what a condition or a command looks at.
func (s *shell) test(node syntax.Node) {
	if node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
			s.refer(p.Param.Value, int(p.Pos().Line()), true)
		}
		return true
	})
}

func (s *shell) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.assign(a, false)
		}
		return
	}
	for _, word := range c.Args {
		s.test(word)
	}
	first := c.Args[0].Lit()
	second := ""
	if len(c.Args) > 1 {
		second = c.Args[1].Lit()
	}
	switch first {
	case ".", "source", "eval":
		s.file.opaque = true
	case "set":
		switch {
		case second == "-a", second == "-o" && len(c.Args) > 2 && c.Args[2].Lit() == "allexport":
			s.exportAll = true
		case second == "+a":
			s.exportAll = false
		}
	case "unset":
		if second == "-f" {
			break // functions
		}
		for _, word := range c.Args[1:] {
			delete(s.file.vars, word.Lit())
		}
	}
}

func (s *shell) declare(c *syntax.DeclClause) {
	export := c.Variant.Value == "export"
	for _, a := range c.Args {
		switch {
		case a.Name == nil: // an option, such as -x
			if a.Value != nil && strings.Contains(a.Value.Lit(), "x") {
				export = true
			}
		case a.Naked:
			if v := s.file.vars[a.Name.Value]; v != nil && export {
				v.exported = true
			}
		default:
			s.assign(a, export)
		}
	}
}

func (s *shell) assign(a *syntax.Assign, export bool) {
	if a.Name == nil || a.Array != nil || a.Index != nil {
		s.doubt(a, "holds an array")
		return
	}
	name := a.Name.Value
	s.assigning = name
	s.written.Reset()
	var value []piece
	old := s.file.vars[name]
	if a.Append && old != nil {
		value = old.value
	}
	if a.Value != nil {
		value = join(value, s.word(a.Value.Parts, false))
	}
	s.assigning = ""
	if len(value) > maxPieces {
		value = value[:maxPieces]
		s.doubt(a, "has a value that is put together from too many others")
	}
	v := &variable{value: value, exported: export || s.exportAll || old != nil && old.exported}
	s.file.vars[name] = v
	one := Assignment{Name: name, Line: int(a.Pos().Line()), Text: s.written.String(), Exported: v.exported, Maybe: s.maybe > 0}
	for _, p := range value {
		one.Maybe = one.Maybe || p.maybe
	}
	if one.Maybe {
		s.doubt(a, "gives "+name+" a value that depends on more than this file")
	}
	s.file.assignments = append(s.file.assignments, one)
}

func textOf(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// refer notes a use of a variable.
func (s *shell) refer(name string, line int, guarded bool) *variable {
	v := s.file.vars[name]
	s.file.references = append(s.file.references, Reference{
		Name: name, Line: line, Set: v != nil, Own: name == s.assigning, Guarded: guarded || s.guarded > 0,
	})
	return v
}
