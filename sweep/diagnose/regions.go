package diagnose

import (
	"cmp"
	"slices"
)

// hottest lists the regions of a server by what they had to do, without those
// that had nothing.
func hottest(s Server) []Region {
	var list []Region
	for _, r := range s.Regions {
		if r.Reads+r.Writes > 0 {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Region) int {
		return cmp.Or(cmp.Compare(b.Reads+b.Writes, a.Reads+a.Writes), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// hotWrites counts the regions of a server that take a notable part of its
// writes: at least a fifth of what each would have if all were alike.
func hotWrites(s Server) int {
	total := 0.0
	for _, r := range s.Regions {
		total += r.Writes
	}
	if total == 0 {
		return 0
	}
	even := total / float64(len(s.Regions))
	n := 0
	for _, r := range s.Regions {
		if r.Writes >= even/5 && r.Writes >= total/1000 {
			n++
		}
	}
	return n
}

// busyTable is the table with more than half of all operations, and how many
// regions it has.
func busyTable(o Observation) (table string, regions int, ok bool) {
	load, count, total := map[string]float64{}, map[string]int{}, 0.0
	for _, s := range o.Servers {
		for _, r := range s.Regions {
			load[r.Table] += r.Reads + r.Writes
			count[r.Table]++
			total += r.Reads + r.Writes
		}
	}
	for name, x := range load {
		if x > total/2 {
			return name, count[name], true
		}
	}
	return "", 0, false
}
