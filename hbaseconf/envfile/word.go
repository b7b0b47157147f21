package envfile

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// join puts pieces behind others. What neither has been added to is shared, not
// copied: no slice of pieces is ever changed.
func join(a, b []piece) []piece {
	if len(a) == 0 {
		return slices.Clip(b)
	}
	return append(slices.Clip(a), b...)
}

// word evaluates the parts of a word to pieces, up to maxPieces of them.
func (s *shell) word(parts []syntax.WordPart, quoted bool) []piece {
	var out []piece
	for _, part := range parts {
		if len(out) >= maxPieces {
			s.doubt(part, "goes on with a value that is put together from too many others")
			return out[:maxPieces]
		}
		switch part := part.(type) {
		case *syntax.Lit:
			out = append(out, s.piece(unescape(part.Value, quoted), part))
		case *syntax.SglQuoted:
			if part.Dollar {
				s.doubt(part, "holds $'…', which is not evaluated here")
			}
			out = append(out, s.piece(part.Value, part))
		case *syntax.DblQuoted:
			out = join(out, s.word(part.Parts, true))
		case *syntax.ParamExp:
			out = join(out, s.parameter(part))
		default: // what a command prints, arithmetic
			s.test(part)
			p := s.piece("$(…)", part)
			p.maybe = true
			out = append(out, p)
		}
	}
	return out
}

// piece is a text that was written in the assignment at hand. Its line is where
// the text begins, which in a long value is not that of the name.
func (s *shell) piece(text string, at syntax.Node) piece {
	s.written.WriteString(text)
	return piece{text: text, name: s.assigning, line: int(at.Pos().Line()), maybe: s.maybe > 0}
}

func (s *shell) parameter(p *syntax.ParamExp) []piece {
	if p.Param == nil {
		return nil
	}
	name, line := p.Param.Value, int(p.Pos().Line())
	simple := !p.Excl && !p.Length && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0
	if !simple {
		s.refer(name, line, true)
		unknown := s.piece("${"+name+"…}", p)
		unknown.maybe = true
		return []piece{unknown}
	}
	v := s.refer(name, line, p.Exp != nil)
	if p.Exp == nil {
		return s.valueOf(v, p, name)
	}
	isNull := v == nil || textOf(v.value) == ""
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		s.doubt(p, "sets "+name+" in passing")
		fallthrough
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if v != nil && (!isNull || p.Exp.Op == syntax.DefaultUnset) {
			return v.value
		}
		// The environment may have it: the default is all that can be known.
		return s.alternative(p, External(name))
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if isNull {
			return nil
		}
		return s.alternative(p, false)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if isNull {
			s.doubt(p, "ends the shell where "+name+" is not set")
		}
		return s.valueOf(v, p, name)
	}
	unknown := s.piece("${"+name+"…}", p)
	unknown.maybe = true
	return []piece{unknown}
}

func (s *shell) alternative(p *syntax.ParamExp, maybe bool) []piece {
	if p.Exp.Word == nil {
		return nil
	}
	s.guarded++
	pieces := slices.Clone(s.word(p.Exp.Word.Parts, true))
	s.guarded--
	for i := range pieces {
		pieces[i].maybe = pieces[i].maybe || maybe
	}
	return pieces
}

// valueOf is the value of a variable; of one that comes from outside it is the
// reference itself, and of one that is not set it is nothing.
func (s *shell) valueOf(v *variable, p *syntax.ParamExp, name string) []piece {
	if v != nil {
		return v.value
	}
	if External(name) {
		s.doubt(p, "refers to $"+name+", which it does not set")
		return []piece{s.piece("$"+name, p)}
	}
	return nil
}

// unescape drops the backslashes that the shell drops.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		next := text[i+1]
		switch {
		case next == '\n':
			i++
		case !quoted || strings.IndexByte("$`\"\\", next) >= 0:
			i++
			b.WriteByte(next)
		default:
			b.WriteByte('\\')
		}
	}
	return b.String()
}
