package tool

import (
	"slices"
	"strings"
)

// Near gives the names most like the one asked for, the best first, at most three.
func Near(name string, names []string) []string {
	type scored struct {
		name string
		cost int
	}
	asked := plainName(name)
	var found []scored
	for _, n := range names {
		candidate := plainName(n)
		cost := distance(asked, candidate)
		if len(asked) > 2 && (strings.Contains(candidate, asked) || strings.Contains(asked, candidate) && len(candidate) > 2) {
			cost = min(cost, 2)
		}
		if cost <= max(2, len(asked)/3) {
			found = append(found, scored{n, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return a.cost - b.cost })
	best := make([]string, 0, 3)
	for _, f := range found[:min(3, len(found))] {
		best = append(best, f.name)
	}
	return best
}

// plainName drops what spellings of one name differ in.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance is the number of letters to add, drop, replace or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before := make([]int, len(t)+1)
	last := make([]int, len(t)+1)
	row := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// OrList joins quoted names as a question offers them: "a", "b" or "c".
func OrList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}
