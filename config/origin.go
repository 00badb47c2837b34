package config

import (
	"fmt"
	"strings"

	"fairlead/fault"
)

// Layer is one source of rows.
type Layer struct {
	// Name is what the layer is to a person: "bundle base", "home patch".
	Name string
	// File is the path it was read from; for a shipped layer the path in the binary.
	File string
	// Shipped is true for what is part of the binary.
	Shipped bool
}

// Origin is the place a value came from. Line and Column count from 1.
type Origin struct {
	Layer        *Layer
	Line, Column int
}

// String gives file:line:column.
func (o Origin) String() string {
	if o.Layer == nil {
		return "nowhere"
	}
	return fmt.Sprintf("%s:%d:%d", o.Layer.File, o.Line, o.Column)
}

// comment is how a dump names the origin: short for what is shipped.
func (o Origin) comment() string {
	switch {
	case o.Layer == nil:
		return ""
	case o.Layer.Shipped:
		return o.Layer.Name
	}
	return o.String()
}

// Problem is one mistake, or one warning, at its place.
type Problem struct {
	At   Origin
	Text string
}

// String gives file:line:column and the text.
func (p Problem) String() string { return p.At.String() + ": " + p.Text }

// Problems are all mistakes found; as an error it prints one a line.
type Problems []Problem

// Error prints one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(at Origin, format string, args ...any) {
	*p = append(*p, Problem{at, fmt.Sprintf(format, args...)})
}

// err turns problems into an error of kind Invalid, nil where there are none.
func (p Problems) err(op string) error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, op, "%s", p.Error()).WithCode("config-invalid")
}

// suggest names the nearest of the right words, "" where none is near.
func suggest(word string, right []string) string {
	best, distance := "", len(word)/2+1
	for _, r := range right {
		if d := edits(strings.ToLower(word), strings.ToLower(r)); d < distance {
			best, distance = r, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits counts the insertions, deletions, replacements and swaps of neighbours that
// turn a into b.
func edits(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
