package hbaseconf

import "strings"

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
	for _, candidate := range c.names() {
		letters := lettersOf(candidate)
		if letters == asked {
			return candidate
		}
		distance := editDistance(asked, letters, bestDistance)
		if len(asked) >= 6 {
			distance = min(distance, 1+lostBeginning(asked, candidate, bestDistance-1))
		}
		if distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// lostBeginning is the distance to the name without its first segments.
func lostBeginning(asked, name string, limit int) int {
	distance := limit
	for {
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return distance
		}
		name = rest
		distance = min(distance, editDistance(asked, lettersOf(name), distance))
	}
}

// names lists what may be suggested, much used ones first.
func (c *Catalogue) names() []string {
	names := make([]string, 0, len(c.list))
	for _, p := range c.list {
		names = append(names, p.Name)
	}
	return append(names, shipped().names...)
}

// Known reports whether a property is in the catalogue, or at least in the
// hbase-default.xml of some version.
func (c *Catalogue) Known(name string) bool {
	_, ok := c.Lookup(name)
	return ok || isShipped(name) || currentName(name) != name
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

// editDistance counts the letters to insert, drop or replace to get from a to
// b; it gives up with limit once it cannot stay below that.
func editDistance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff >= limit || -diff >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
			least = min(least, row[j+1])
		}
		if least >= limit {
			return limit
		}
	}
	return min(row[len(b)], limit)
}
