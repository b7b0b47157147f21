package hbaseconf

import (
	"testing"

	"pgregory.net/rapid"
)

// plainDistance is the edit distance by the book.
func plainDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func TestEditDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,12}`)
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(1, 14).Draw(t, "limit")
		if got, want := EditDistance(a, b, limit), min(plainDistance(a, b), limit); got != want {
			t.Fatalf("%q to %q below %d: %d, want %d", a, b, limit, got, want)
		}
	})
}
