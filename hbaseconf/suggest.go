package hbaseconf

import (
	"math/bits"
	"strings"
)

// misspelt maps names that people write, and no version of HBase reads, to the
// one that was meant where plain similarity would find another.
func misspelt(name string) string {
	switch name {
	case "hbase.regionserver.global.memstore.size.upper.limit",
		"hbase.regionserver.global.memstore.upper.limit":
		return "hbase.regionserver.global.memstore.size"
	case "hbase.regionserver.global.memstore.lower.limit":
		return "hbase.regionserver.global.memstore.size.lower.limit"
	}
	return ""
}

// Suggest finds the known name that an unknown one was probably meant to be:
// written with other capitals or separators, without its beginning, or with a
// few letters wrong. It is empty where nothing is near.
func (c *Catalogue) Suggest(name string) string {
	if known := misspelt(strings.ToLower(name)); known != "" {
		return known
	}
	asked := lettersOf(name)
	if asked == "" {
		return ""
	}
	best, bestDistance := "", max(2, len(asked)/8)+1
	mask := letterMask(asked)
	for _, candidate := range c.candidates() {
		if candidate.tails[0].letters == asked {
			return candidate.name
		}
		distance := candidate.tails[0].distance(asked, mask, bestDistance)
		if len(asked) >= 6 {
			for _, tail := range candidate.tails[1:] { // the beginning was lost
				distance = min(distance, 1+tail.distance(asked, mask, min(distance, bestDistance)-1))
			}
		}
		if distance < bestDistance {
			best, bestDistance = candidate.name, distance
		}
	}
	if best == "" {
		return c.suggestSegment(name)
	}
	return best
}

// suggestSegment finds a name that has one segment more or less than the one
// asked for, which has at least three.
func (c *Catalogue) suggestSegment(name string) string {
	if strings.Count(name, ".") < 2 {
		return ""
	}
	asked := strings.ToLower(name)
	for _, candidate := range c.candidates() {
		if oneSegmentMore(candidate.lower, asked) || oneSegmentMore(asked, candidate.lower) {
			return candidate.name
		}
	}
	return ""
}

// oneSegmentMore reports whether a name is the other one with a segment more,
// neither its first nor its last.
func oneSegmentMore(long, short string) bool {
	more := len(long) - len(short)
	if more < 2 {
		return false
	}
	for i := 0; i+more < len(long) && (i == 0 || long[i-1] == short[i-1]); i++ {
		if i > 0 && long[i] == '.' && long[i+more:] == short[i:] && !strings.Contains(long[i+1:i+more], ".") {
			return true
		}
	}
	return false
}

// candidate is a name that may be suggested.
type candidate struct {
	name  string
	lower string
	tails []tail // the whole name, and what is left of it without its first segments
}

type tail struct {
	letters string
	mask    uint64 // of the letters and digits that occur
}

// distance is the edit distance, or limit where it is not below that.
func (t tail) distance(asked string, mask uint64, limit int) int {
	if diff := len(t.letters) - len(asked); diff >= limit || -diff >= limit {
		return limit
	}
	if bits.OnesCount64(t.mask&^mask) >= limit || bits.OnesCount64(mask&^t.mask) >= limit {
		return limit // that many letters are missing
	}
	return EditDistance(asked, t.letters, limit)
}

func letterMask(letters string) uint64 {
	mask := uint64(0)
	for _, c := range []byte(letters) {
		if c >= 'a' {
			mask |= 1 << (c - 'a')
		} else {
			mask |= 1 << (c - '0' + 26)
		}
	}
	return mask
}

// newCandidates lists what may be suggested, much used names first.
func (c *Catalogue) newCandidates() []candidate {
	names := make([]string, 0, len(c.list))
	for _, p := range c.list {
		names = append(names, p.Name)
	}
	names = append(append(names, shipped().names...), known().names...)
	seen := make(map[string]bool, len(names))
	var list []candidate
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		one := candidate{name: name, lower: strings.ToLower(name)}
		one.tails = make([]tail, 0, 1+strings.Count(name, "."))
		letters := lettersOf(name)
		for rest, more := name, true; more; {
			one.tails = append(one.tails, tail{letters, letterMask(letters)})
			var first string
			first, rest, more = strings.Cut(rest, ".")
			letters = letters[len(lettersOf(first)):]
		}
		list = append(list, one)
	}
	return list
}

// Known reports whether a property is in the catalogue, in the
// hbase-default.xml of some version, or at least in its code.
func (c *Catalogue) Known(name string) bool {
	_, ok := c.Lookup(name)
	return ok || InHBase(name)
}

// InHBase reports whether a property is in the hbase-default.xml of some version,
// or at least in its code.
func InHBase(name string) bool {
	return isShipped(name) || currentName(name) != name || inCode(name)
}

// lettersOf strips a name to lower-case letters and digits.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

// longestName is up to where EditDistance allocates nothing; names are far shorter.
const longestName = 128

// EditDistance counts the letters to insert, drop or replace to get from a to
// b; it gives up with limit once it cannot stay below that. Only the cells of
// the table that can still stay below are computed.
func EditDistance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff >= limit || -diff >= limit {
		return limit
	}
	var short [longestName]int
	row := short[:] // the last row, of which row[j] is the distance to b[:j]
	if len(b) >= longestName {
		row = make([]int, len(b)+1)
	}
	for j := range min(len(b), limit) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		from, to := max(i+1-limit, 0), min(i+1+limit, len(b))
		diagonal, least := row[from], limit
		row[from]++
		if from == 0 {
			least = row[from]
		}
		for j := from; j < to; j++ {
			above := limit // outside of what the last row computed
			if j+1 <= i+limit {
				above = row[j+1]
			}
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = above
			row[j+1] = min(cost, row[j]+1, above+1)
			least = min(least, row[j+1])
		}
		if least >= limit {
			return limit
		}
	}
	return min(row[len(b)], limit)
}
