package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
)

// diary records what plugins did, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// read returns the lines since the last reading.
func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// house is a graph in a test, with a diary of its plugins.
type house struct {
	*graph.Graph
	*diary
	t *testing.T
}

func newHouse(t *testing.T) house {
	h := house{graph.New(graph.Options{}), &diary{}, t}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return h
}

func (h house) settle() {
	h.t.Helper()
	if err := h.Settle(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func (h house) plug(on *graph.Fiber, id string, p graph.Plugin) *graph.Fiber {
	h.t.Helper()
	f, err := on.Plug(id, p, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

func (h house) saw(want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.read()); diff != "" {
		h.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

// sawInSomeOrder is saw where independent fibers move at the same time.
func (h house) sawInSomeOrder(want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(h.read()))); diff != "" {
		h.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

// provider offers its own value under k and stands on the given services.
func (h house) provider(name string, k graph.Key[string], needs ...graph.AnyKey) graph.Plugin {
	p := h.user(name, needs...)
	p.Provides = []graph.AnyKey{k}
	apply := p.Apply
	p.Apply = func(f *graph.Fiber, cfg any) error {
		return errors.Join(apply(f, cfg), graph.Provide(f, k, name))
	}
	return p
}

// user stands on the given services and notes when it starts and stops.
func (h house) user(name string, needs ...graph.AnyKey) graph.Plugin {
	p := graph.Plugin{Name: name, Doc: "A plugin of a test."}
	for _, k := range needs {
		p.Inject = append(p.Inject, graph.Needs(k))
	}
	p.Apply = func(f *graph.Fiber, _ any) error {
		h.note("start " + name)
		f.Effect("note", func(context.Context) error { h.note("stop " + name); return nil })
		return nil
	}
	return p
}

var (
	storeKey = graph.NewKey[string]("test.store", "Where things are kept.")
	indexKey = graph.NewKey[string]("test.index", "Where things are found.")
)

func TestPluginStartsWhenItsLastServiceAppears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		leaf := h.plug(h.Root(), "leaf", h.user("leaf", indexKey, storeKey))
		h.plug(h.Root(), "index", h.provider("index", indexKey, storeKey))
		h.settle()
		if got := leaf.State(); got != graph.Waiting {
			t.Errorf("leaf is %s before its services are there", got)
		}
		h.plug(h.Root(), "store", h.provider("store", storeKey))
		h.settle()
		h.saw("start store", "start index", "start leaf")
	})
}

func TestRestartingAProviderRestartsItsDependantsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		store := h.plug(h.Root(), "store", h.provider("store", storeKey))
		h.plug(h.Root(), "index", h.provider("index", indexKey, storeKey))
		h.plug(h.Root(), "leaf", h.user("leaf", indexKey, storeKey))
		h.settle()
		h.read()
		if err := store.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.saw("stop leaf", "stop index", "stop store", "start store", "start index", "start leaf")
	})
}

func TestDisposeStopsDependantsFirstAndLeavesThemWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		store := h.plug(h.Root(), "store", h.provider("store", storeKey))
		leaf := h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		h.read()
		if err := store.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.saw("stop leaf", "stop store")
		if got := leaf.State(); got != graph.Waiting {
			t.Errorf("leaf is %s, want waiting", got)
		}
		if _, found := graph.Lookup(h.Root().Realm(), storeKey); found {
			t.Error("the store is still found")
		}
	})
}

func TestAFailingPluginHarmsNoSibling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		for name, apply := range map[string]func(*graph.Fiber, any) error{
			"error": func(*graph.Fiber, any) error { return errors.New("no disk") },
			"panic": func(*graph.Fiber, any) error { panic("no disk") },
		} {
			f := h.plug(h.Root(), name, graph.Plugin{Name: name, Apply: func(f *graph.Fiber, cfg any) error {
				f.Effect("half", func(context.Context) error { h.note("undone"); return nil })
				return apply(f, cfg)
			}})
			h.settle()
			if f.State() != graph.Failed || f.Err() == nil || !strings.Contains(f.Err().Error(), "no disk") {
				t.Errorf("%s: state %s, reason %v", name, f.State(), f.Err())
			}
			h.saw("undone")
		}
		sibling := h.plug(h.Root(), "sibling", h.user("sibling"))
		h.settle()
		if sibling.State() != graph.Active {
			t.Errorf("sibling is %s", sibling.State())
		}
	})
}

func TestCycleIsRefusedWithItsPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "a", h.provider("a", storeKey, indexKey))
		_, err := h.Root().Plug("b", h.provider("b", indexKey, storeKey), nil)
		if err == nil || !strings.Contains(err.Error(), "b uses test.store of a, a uses test.index of b") {
			t.Errorf("got %v", err)
		}
	})
}

func TestRealmsKeepTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", h.provider("outer", storeKey))
		h.settle()
		one, err := h.Root().Isolate("one", storeKey)
		if err != nil {
			t.Fatal(err)
		}
		two, err := h.Root().Isolate("two")
		if err != nil {
			t.Fatal(err)
		}
		h.settle()
		if v, found := graph.Lookup(one.Realm(), storeKey); found {
			t.Errorf("the isolated realm sees %q", v)
		}
		h.plug(one, "store", h.provider("inner", storeKey))
		h.settle()
		got := map[string]string{}
		for name, f := range map[string]*graph.Fiber{"root": h.Root(), "one": one, "two": two} {
			got[name], _ = graph.Lookup(f.Realm(), storeKey)
		}
		if diff := cmp.Diff(map[string]string{"root": "outer", "one": "inner", "two": "outer"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestListenersAreHeardInTheirRealmAndBelowInGraphOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		said := graph.NewNotify[string]("test.said", "Somebody said something.")
		listen := func(name string) graph.Plugin {
			return graph.Plugin{Name: name, Apply: func(f *graph.Fiber, _ any) error {
				said.On(f, func(_ context.Context, s string) { h.note(name + " heard " + s) })
				return nil
			}}
		}
		inner, err := h.Root().Isolate("inner")
		if err != nil {
			t.Fatal(err)
		}
		first := h.plug(h.Root(), "first", listen("first"))
		h.plug(h.Root(), "second", listen("second"))
		h.plug(inner, "third", listen("third"))
		h.settle()
		if err := first.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		said.Emit(t.Context(), inner.Realm(), "x")
		h.saw("first heard x", "second heard x", "third heard x")
		said.Emit(t.Context(), h.Root().Realm(), "y")
		h.saw("first heard y", "second heard y")
		if err := first.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		said.Emit(t.Context(), h.Root().Realm(), "z")
		h.saw("second heard z")
	})
}

func TestWaterfallWrapsFromTheOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		point := graph.NewWaterfall[string, string]("test.through", "A value passes.")
		wrap := func(name string) graph.Plugin {
			return graph.Plugin{Name: name, Apply: func(f *graph.Fiber, _ any) error {
				point.On(f, func(ctx context.Context, s string, next func(context.Context, string) (string, error)) (string, error) {
					out, err := next(ctx, s+name)
					return name + out, err
				})
				return nil
			}}
		}
		h.plug(h.Root(), "a", wrap("a"))
		h.plug(h.Root(), "b", wrap("b"))
		h.settle()
		got, err := point.Run(t.Context(), h.Root().Realm(), "(", func(_ context.Context, s string) (string, error) { return s + ")", nil })
		if err != nil || got != "ab(ab)" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestInventoryTellsWhyAFiberWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		got := h.Inventory()
		want := []graph.Status{{
			Path: "leaf", Plugin: "leaf", Doc: "A plugin of a test.", State: graph.Waiting,
			Injects: []graph.Injected{{Key: "test.store"}}, Missing: []string{"test.store"}, Reason: "waits for test.store",
		}}
		for i := range got {
			got[i].Since = want[0].Since
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if err := h.Root().Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "leaf is waiting (waits for test.store)") {
			t.Errorf("ready says %v", err)
		}
	})
}

func TestEffectsAreUndoneInReverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f := h.plug(h.Root(), "f", graph.Plugin{Name: "f", Apply: func(f *graph.Fiber, _ any) error {
			for _, name := range []string{"one", "two", "three"} {
				f.Effect(name, func(context.Context) error { h.note(name); return nil })
			}
			return nil
		}})
		h.settle()
		if holds := h.Inventory()[0].Holds; !slices.Equal(holds, []string{"one", "two", "three"}) {
			t.Errorf("holds %v", holds)
		}
		if err := f.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.saw("three", "two", "one")
	})
}

// TestManyHandsAtOnce runs without a bubble, for the race detector: real goroutines
// plug, look up, listen, tell, restart and dispose at the same time.
func TestManyHandsAtOnce(t *testing.T) {
	h := newHouse(t)
	ctx := t.Context()
	said := graph.NewNotify[string]("test.said", "")
	store := h.plug(h.Root(), "store", h.provider("store", storeKey))
	var hands sync.WaitGroup
	for i := range 8 {
		hands.Go(func() {
			for range 25 {
				scope, err := h.Root().Isolate(fmt.Sprint("scope", i), indexKey)
				if err != nil {
					t.Error(err)
					return
				}
				leaf := h.user("leaf", storeKey)
				apply := leaf.Apply
				leaf.Apply = func(f *graph.Fiber, cfg any) error {
					said.On(f, func(context.Context, string) { h.note("heard") })
					return apply(f, cfg)
				}
				if _, err := scope.Plug("leaf", leaf, nil); err != nil {
					t.Error(err)
				}
				said.Emit(ctx, scope.Realm(), "hello")
				graph.Lookup(scope.Realm(), storeKey)
				release := scope.Realm().Hold(storeKey)
				h.Inventory()
				release()
				if err := scope.Dispose(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	hands.Go(func() {
		for range 25 {
			if err := store.Restart(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	hands.Wait()
	h.settle()
	if left := h.Inventory(); len(left) != 1 || left[0].State != graph.Active {
		t.Errorf("left: %v", left)
	}
}
