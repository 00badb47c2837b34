package graph

import (
	"context"
	"fmt"
	"testing"
)

// TestTheWorkOfAStartGrowsWithTheNumberOfFibers counts reconciliations: ten times the
// fibers may cost ten times the work, with little to spare, whatever their shape and
// the order they are plugged in.
func TestTheWorkOfAStartGrowsWithTheNumberOfFibers(t *testing.T) {
	for name, needs := range map[string]func(i int) int{
		"wide":  func(int) int { return -1 },
		"chain": func(i int) int { return i - 1 },
		"tree":  func(i int) int { return (i+1)/2 - 1 },
		"star":  func(i int) int { return min(i-1, 0) },
	} {
		for _, reversed := range []bool{false, true} {
			small, large := work(t, 100, needs, reversed), work(t, 1000, needs, reversed)
			if large > 12*small {
				t.Errorf("%s, reversed %v: %d steps for 100 fibers, %d for 1000", name, reversed, small, large)
			}
		}
	}
}

// work starts and closes n fibers, each standing on at most one other, and gives the
// number of reconciliations.
func work(t *testing.T, n int, needs func(int) int, reversed bool) uint64 {
	keys := make([]Key[int], n)
	for i := range keys {
		keys[i] = NewKey[int](fmt.Sprint("k", i), "")
	}
	g := New(Options{})
	for i := range n {
		if reversed {
			i = n - 1 - i
		}
		p := Plugin{Name: "p", Provides: []AnyKey{keys[i]}, Apply: func(f *Fiber, _ any) error { return Provide(f, keys[i], i) }}
		if j := needs(i); j >= 0 {
			p.Inject = []Dependency{Needs(keys[j])}
		}
		if _, err := g.Root().Plug(fmt.Sprint(i), p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Root().Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return g.looked
}
