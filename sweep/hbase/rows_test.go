package hbase

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"hbtune/sweep/hbase/wire"
)

// pieceOf is a part of a row as one reply has it.
type pieceOf struct {
	row     string
	cells   []string
	partial bool
}

func scanReplyOf(t *rapid.T, pieces []pieceOf) wire.ScanReply {
	var message, cells []byte
	for _, p := range pieces {
		message = appendNum(message, 1, uint64(len(p.cells)))
		for _, c := range p.cells {
			cells = wire.AppendCell(cells, []byte(p.row), family, []byte(c), 1, wire.CellPut, nil)
		}
	}
	for _, p := range pieces {
		message = appendNum(message, 7, protowire.EncodeBool(p.partial))
	}
	var s wire.ScanReply
	if err := s.Parse(wire.Reply{Message: message, Cells: cells}); err != nil {
		t.Fatal(err)
	}
	return s
}

// However a server cuts rows in pieces and pieces into replies, and although it
// may call the last piece of a row partial too, whole rows come out, or each
// piece once.
func TestRowsArePutTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		var replies [][]pieceOf
		reply := []pieceOf{}
		for i := range rapid.IntRange(0, 6).Draw(t, "rows") {
			row := fmt.Sprint("row", i)
			n := rapid.IntRange(1, 6).Draw(t, "cells")
			whole := row + ":"
			for at := 0; at < n; {
				size := rapid.IntRange(1, n-at).Draw(t, "piece")
				p := pieceOf{row: row}
				for range size {
					p.cells = append(p.cells, fmt.Sprint(at))
					whole += fmt.Sprint(at)
					at++
				}
				p.partial = at < n || rapid.Bool().Draw(t, "falsely partial")
				reply = append(reply, p)
				// A row is only cut where the reply ends.
				if p.partial || rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
					replies = append(replies, reply)
					reply = nil
				}
			}
			want = append(want, whole)
		}
		replies = append(replies, reply)

		for _, pieces := range []bool{false, true} {
			r := rows{pieces: pieces}
			var got []string
			for i, reply := range replies {
				s := scanReplyOf(t, reply)
				for {
					var result wire.Result
					ok, err := r.next(&result, &s, i == len(replies)-1)
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					line := string(result.Cells[0].Row()) + ":"
					for _, c := range result.Cells {
						line += string(c.Qualifier())
					}
					if n := len(got); pieces && n > 0 && got[n-1][:len("row0:")] == line[:len("row0:")] {
						got[n-1] += line[len("row0:"):]
					} else {
						got = append(got, line)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("pieces %v: got %q, want %q", pieces, got, want)
			}
		}
	})
}

// A limit counts rows, not pieces, and a scanner that was lost in the middle of
// a row goes on behind the cells that were given.
func TestPosition(t *testing.T) {
	piece := func(row string, partial bool, cells ...string) *Result {
		var r Result
		for _, c := range cells {
			b := wire.AppendCell(nil, []byte(row), family, []byte(c), 1, wire.CellPut, nil)
			block := wire.NewCellBlock(b)
			cell, _ := block.Next()
			r.Cells = append(r.Cells, cell)
		}
		r.Partial = partial
		return &r
	}
	p := position{left: 2}
	steps := []struct {
		what  string
		give  *Result
		given int // cells that are left to be given; 0: nothing
		left  int
		after bool
	}{
		{"piece", piece("a", true, "1", "2"), 2, 2, false},
		{"the same again, and more", piece("a", true, "1", "2", "3"), 1, 2, false},
		{"more of it", piece("a", true, "4"), 1, 2, false},
		{"another row: it was complete", piece("b", true, "1"), 1, 1, false},
		{"its end", piece("b", false, "2"), 1, 0, true},
	}
	for i, s := range steps {
		if i == 1 {
			p.reopened()
		}
		given := 0
		if p.advance(s.give) {
			given = len(s.give.Cells)
		}
		if given != s.given || p.left != s.left || p.after != s.after {
			t.Errorf("%s: %d cells given, %d rows left, after %v", s.what, given, p.left, p.after)
		}
	}
	p = position{left: 1}
	p.advance(piece("a", true, "1"))
	if p.advance(piece("b", false, "1")) || p.left != 0 {
		t.Errorf("a row over the limit was given, %d left", p.left)
	}
}
