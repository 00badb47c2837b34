package llm_test

import (
	"context"
	"slices"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"

	"github.com/google/go-cmp/cmp"
)

// routing plugs the registry and gives a function that runs a plugin on it.
func routing(t *testing.T) (*llm.Routes, func(id string, apply func(*graph.Fiber, *llm.Routes) error) *graph.Fiber) {
	t.Helper()
	g := graph.New(graph.Options{})
	t.Cleanup(func() {
		if err := g.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	plug := func(id string, p graph.Plugin) *graph.Fiber {
		f, err := g.Root().Plug(id, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f
	}
	plug("llm", llm.Plugin())
	routes, ok := graph.Lookup(g.Root().Realm(), llm.RoutesKey)
	if !ok {
		t.Fatal("the plugin provides no routes")
	}
	return routes, func(id string, apply func(*graph.Fiber, *llm.Routes) error) *graph.Fiber {
		return plug(id, graph.Plugin{Name: id, Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
			return apply(f, routes)
		}})
	}
}

func names(routes *llm.Routes) []string {
	var list []string
	for _, r := range routes.List() {
		list = append(list, r.Name)
	}
	return list
}

func TestRoutesAreFoundByNameAndLeaveWithTheirFiber(t *testing.T) {
	routes, run := routing(t)
	route := llm.Route{Name: "home/qwen", Model: llm.Model{ID: "qwen", Window: 8192}}
	fiber := run("home", func(f *graph.Fiber, r *llm.Routes) error {
		if err := r.Register(f, route); err != nil {
			return err
		}
		r.Prefer(f, route.Name)
		return r.Register(f, llm.Route{Name: "home/gemma", Model: llm.Model{ID: "gemma"}})
	})
	for _, name := range []string{"home/qwen", "qwen", ""} {
		got, err := routes.Resolve(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(route, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	if err := fiber.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := names(routes); left != nil {
		t.Errorf("routes left behind: %v", left)
	}
	if _, ok := routes.Default(); ok {
		t.Error("a default is left behind")
	}
}

func TestARouteThatIsGoneIsNeverReplaced(t *testing.T) {
	routes, run := routing(t)
	run("other", func(f *graph.Fiber, r *llm.Routes) error {
		r.Prefer(f, "home/qwen")
		return r.Register(f, llm.Route{Name: "other/one", Model: llm.Model{ID: "one"}})
	})
	for _, name := range []string{"home/qwen", "", "two"} {
		_, err := routes.Resolve(t.Context(), name)
		if !fault.Is(err, fault.NotFound) || fault.CodeOf(err) != llm.CodeModelUnavailable {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestASecondRouteOfANameIsRefusedAndTheFirstStays(t *testing.T) {
	routes, run := routing(t)
	run("first", func(f *graph.Fiber, r *llm.Routes) error { return r.Register(f, llm.Route{Name: "a/b"}) })
	second := run("second", func(f *graph.Fiber, r *llm.Routes) error { return r.Register(f, llm.Route{Name: "a/b"}) })
	if !fault.Is(second.Err(), fault.Conflict) {
		t.Errorf("second: %v", second.Err())
	}
	if got := names(routes); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("routes: %v", got)
	}
}

func TestWhatARefusalTeachesHoldsForTheRouteAlone(t *testing.T) {
	routes, run := routing(t)
	run("home", func(f *graph.Fiber, r *llm.Routes) error {
		if err := r.Register(f, llm.Route{Name: "home/a", Model: llm.Model{ID: "a", Window: 131072, Source: "server"}}); err != nil {
			return err
		}
		return r.Register(f, llm.Route{Name: "home/b"})
	})
	routes.Learn("home/a", &llm.Error{Code: llm.CodeOverflow, Window: 123904})
	routes.Learn("home/a", &llm.Error{Code: llm.CodeRefused, Wants: llm.Quirks{Thinking: llm.ThinkingBack}})
	routes.Learn("gone", &llm.Error{Window: 1})
	routes.LearnWindow("home/b", 4096, "truncation")
	want := []llm.Route{
		{Name: "home/a", Model: llm.Model{ID: "a", Window: 123904, Source: "refusal"}, Params: llm.Params{Quirks: llm.Quirks{Thinking: llm.ThinkingBack}}},
		{Name: "home/b", Model: llm.Model{Window: 4096, Source: "truncation"}},
	}
	if diff := cmp.Diff(want, routes.List()); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}

func TestAConnectionOffersEveryModelUntilItsFiberStops(t *testing.T) {
	g := graph.New(graph.Options{})
	t.Cleanup(func() { g.Close(t.Context()) })
	routes := llm.NewRoutes()
	fiber, err := g.Root().Plug("local", graph.Plugin{Name: "connection", Apply: func(f *graph.Fiber, _ any) error {
		routes.Prefer(f, "local/any")
		return routes.Offer(f, "local", func(model string) llm.Route {
			return llm.Route{Name: "local/" + model, Model: llm.Model{ID: model}}
		})
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"local/org/model": "org/model", "": "any"} {
		if got, err := routes.Resolve(t.Context(), name); err != nil || got.Model.ID != want {
			t.Errorf("Resolve(%q) = %q, %v, want the model %s", name, got.Model.ID, err, want)
		}
	}
	if _, err := routes.Resolve(t.Context(), "local/"); fault.CodeOf(err) != llm.CodeModelUnavailable {
		t.Errorf("a name without a model resolved: %v", err)
	}
	if err := fiber.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := routes.Resolve(t.Context(), "local/any"); fault.CodeOf(err) != llm.CodeModelUnavailable {
		t.Errorf("an offer outlived its fiber: %v", err)
	}
}
