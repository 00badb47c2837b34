package undo

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerging(t *testing.T) {
	const left = "1\n2\n3\n4\n5\n"
	for name, c := range map[string]struct {
		now, wanted string
		merged      string
		clashes     []Clash
	}{
		"nothing else changed":      {left, "1\nB\n3\n4\n5\n", "1\nB\n3\n4\n5\n", nil},
		"apart":                     {"1\n2\n3\n4\nE\n", "A\n2\n3\n4\n5\n", "A\n2\n3\n4\nE\n", nil},
		"both the same":             {"1\nB\n3\n4\n5\n", "1\nB\n3\n4\n5\n", "1\nB\n3\n4\n5\n", nil},
		"same line":                 {"1\nX\n3\n4\n5\n", "1\nB\n3\n4\n5\n", "", []Clash{{2, 2}}},
		"touching":                  {"1\n2\nX\n4\n5\n", "1\nB\n3\n4\n5\n", "", []Clash{{3, 3}}},
		"deleted there":             {"1\n3\n4\n5\n", "1\nB\n3\n4\n5\n", "", []Clash{{2, 1}}},
		"put in where it goes":      {"1\n2\nX\nY\n3\n4\n5\n", "1\n3\n4\n5\n", "", []Clash{{3, 4}}},
		"two clashes":               {"X\n2\n3\n4\nY\nZ\n", "A\n2\n3\n4\nE\n", "", []Clash{{1, 1}, {5, 6}}},
		"behind something put in":   {"0\n0\n1\n2\n3\n4\nX\n", "1\n2\n3\n4\nE\n", "", []Clash{{7, 7}}},
		"the last line end changed": {"1\n2\n3\n4\n5", "A\n2\n3\n4\n5\n", "A\n2\n3\n4\n5", nil},
	} {
		merged, clashes := merge(left, c.now, c.wanted)
		if diff := cmp.Diff(c.clashes, clashes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if c.clashes == nil && merged != c.merged {
			t.Errorf("%s: %q, want %q", name, merged, c.merged)
		}
	}
}

// TestChangesApartAlwaysMergeAndInAnyOrder makes changes of two sides at random in
// different stretches of a text.
func TestChangesApartAlwaysMergeAndInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 500 {
		var left, now, wanted, both []string
		for stretch := range 12 {
			for range 3 { // what keeps stretches apart; each line is one of its kind
				line := strings.Repeat("k", r.IntN(5)) + string(rune('a'+stretch)) + string(rune('a'+r.IntN(26)))
				left, now, wanted, both = append(left, line), append(now, line), append(wanted, line), append(both, line)
			}
			old := random(r)
			left = append(left, old...)
			changed := random(r)
			switch r.IntN(3) {
			case 0:
				now, wanted, both = append(now, changed...), append(wanted, old...), append(both, changed...)
			case 1:
				now, wanted, both = append(now, old...), append(wanted, changed...), append(both, changed...)
			default:
				now, wanted, both = append(now, old...), append(wanted, old...), append(both, old...)
			}
		}
		join := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
		merged, clashes := merge(join(left), join(now), join(wanted))
		if clashes != nil {
			continue // two differences found a cheaper way that touches; refusing is right
		}
		if merged != join(both) {
			t.Fatalf("round %d: %s", round, cmp.Diff(join(both), merged))
		}
		back, clashes := merge(join(left), join(wanted), join(now))
		if clashes != nil || back != merged {
			t.Fatalf("round %d: the other way round it is %q, %v", round, back, clashes)
		}
	}
}

func random(r *rand.Rand) []string {
	out := make([]string, r.IntN(4))
	for i := range out {
		out[i] = string(rune('A' + r.IntN(26)))
	}
	return out
}
