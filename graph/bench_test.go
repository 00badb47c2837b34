package graph_test

import (
	"context"
	"fmt"
	"testing"

	"fairlead/graph"
)

// shapes are graphs of n fibers, as dependencies of fiber i.
var shapes = map[string]func(i int) []int{
	"wide":  func(i int) []int { return nil },
	"chain": func(i int) []int { return []int{i - 1} },
	"tree":  func(i int) []int { return []int{(i - 1) / 2} },
	"dense": func(i int) []int { return []int{i - 1, i - 2, i / 2} },
}

// build plugs n fibers of a shape, those that need others first if reversed, and
// waits until all are active.
func build(tb testing.TB, n int, needs func(int) []int, reversed bool) *graph.Graph {
	keys := make([]graph.Key[int], n)
	for i := range keys {
		keys[i] = graph.NewKey[int](fmt.Sprintf("bench.k%d", i), "")
	}
	g := graph.New(graph.Options{})
	for i := range n {
		if reversed {
			i = n - 1 - i
		}
		p := graph.Plugin{Name: "p", Provides: []graph.AnyKey{keys[i]}, Apply: func(f *graph.Fiber, _ any) error {
			f.Effect("e", func(context.Context) error { return nil })
			return graph.Provide(f, keys[i], i)
		}}
		seen := map[int]bool{}
		for _, j := range needs(i) {
			if j >= 0 && j != i && !seen[j] {
				p.Inject = append(p.Inject, graph.Needs(keys[j]))
				seen[j] = true
			}
		}
		if _, err := g.Root().Plug(fmt.Sprintf("f%d", i), p, nil); err != nil {
			tb.Fatal(err)
		}
	}
	if err := g.Root().Ready(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return g
}

func BenchmarkStartAndClose(b *testing.B) {
	for name, needs := range shapes {
		for _, n := range []int{100, 1000, 4000} {
			for _, order := range []string{"forward", "reversed"} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, order, n), func(b *testing.B) {
					for b.Loop() {
						g := build(b, n, needs, order == "reversed")
						if err := g.Close(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/fiber")
				})
			}
		}
	}
}

func BenchmarkDispatch(b *testing.B) {
	for _, listeners := range []int{0, 1, 8} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			g := graph.New(graph.Options{})
			point := graph.NewNotify[int]("bench.notify", "")
			for i := range listeners {
				p := graph.Plugin{Name: "p", Apply: func(f *graph.Fiber, _ any) error { point.On(f, func(context.Context, int) {}); return nil }}
				if _, err := g.Root().Plug(fmt.Sprint(i), p, nil); err != nil {
					b.Fatal(err)
				}
			}
			if err := g.Root().Ready(context.Background()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				point.Emit(context.Background(), g.Root().Realm(), 1)
			}
			g.Close(context.Background())
		})
	}
}
