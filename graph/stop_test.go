package graph_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/fault"
	"fairlead/graph"
)

// holding makes a plugin with one effect.
func holding(name string, undo func(context.Context) error) graph.Plugin {
	return graph.Plugin{Name: "holding", Apply: func(f *graph.Fiber, _ any) error {
		f.Effect(name, undo)
		return nil
	}}
}

func TestASlowUndoIsLeftBehindAndNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New(graph.Options{UndoLimit: time.Second})
		h := house{g, &diary{}, t}
		release := make(chan struct{})
		f := h.plug(h.Root(), "f", graph.Plugin{Name: "f", Apply: func(f *graph.Fiber, _ any) error {
			f.Effect("last", func(context.Context) error { h.note("last"); return nil })
			f.Effect("slow", func(context.Context) error { <-release; return nil })
			f.Effect("obedient", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			return nil
		}})
		h.settle()
		began := time.Now()
		err := f.Dispose(t.Context())
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("two slow undos took %v, want a second each", took)
		}
		for _, name := range []string{`"slow"`, `"obedient"`} {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("the report does not name %s: %v", name, err)
			}
		}
		h.saw("last")
		close(release)
		if err := g.Close(t.Context()); err == nil || !strings.Contains(err.Error(), `"slow"`) {
			t.Errorf("closing does not repeat what was left behind: %v", err)
		}
	})
}

func TestAFailingUndoStopsNoOther(t *testing.T) {
	for name, undo := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return errors.New("stuck") },
		"panic":  func(context.Context) error { panic("stuck") },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := graph.New(graph.Options{})
				h := house{g, &diary{}, t}
				parent := h.plug(h.Root(), "parent", graph.Plugin{Name: "parent", Apply: func(f *graph.Fiber, _ any) error {
					f.Effect("first", func(context.Context) error { h.note("first"); return nil })
					f.Effect("bad", undo)
					f.Effect("last", func(context.Context) error { h.note("last"); return nil })
					_, err := f.Plug("child", holding("childish", undo), nil)
					return err
				}})
				h.settle()
				err := parent.Dispose(t.Context())
				h.saw("last", "first")
				for _, want := range []string{`"bad"`, `parent/child: "childish"`} {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("the report does not name %s: %v", want, err)
					}
				}
				if err := g.Close(t.Context()); err == nil {
					t.Error("closing does not repeat what was left behind")
				}
			})
		})
	}
}

func TestAnUndoThatFailsIsShownOnAFiberThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New(graph.Options{})
		h := house{g, &diary{}, t}
		store := h.plug(h.Root(), "store", h.provider("store", storeKey))
		p := holding("bad", func(context.Context) error { return errors.New("stuck") })
		p.Inject = []graph.Dependency{graph.Needs(storeKey)}
		leaf := h.plug(h.Root(), "leaf", p)
		h.settle()
		if err := store.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.Inventory()[0]; got.State != graph.Failed || !strings.Contains(got.Reason, "stuck") {
			t.Errorf("leaf is %s (%s)", got.State, got.Reason)
		}
		h.plug(h.Root(), "store", h.provider("store", storeKey))
		h.settle()
		if leaf.State() != graph.Active {
			t.Errorf("leaf is %s once its store is back", leaf.State())
		}
		if err := g.Close(t.Context()); err == nil {
			t.Error("the second stop failed silently")
		}
	})
}

func TestChildrenStopBeforeTheirParentsEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		parent := h.plug(h.Root(), "parent", graph.Plugin{Name: "parent", Apply: func(f *graph.Fiber, _ any) error {
			h.note("start parent")
			for _, id := range []string{"one", "two"} {
				if _, err := f.Plug(id, h.user(id), nil); err != nil {
					return err
				}
			}
			f.Effect("after the children", func(context.Context) error { h.note("stop parent"); return nil })
			return nil
		}})
		h.settle()
		if got := h.read(); len(got) != 3 || got[0] != "start parent" {
			t.Errorf("children start once their parent is active: %v", got)
		}
		if err := parent.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.read(); len(got) != 3 || got[2] != "stop parent" {
			t.Errorf("children stop first: %v", got)
		}
		if left := h.Inventory(); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestDisposingWhileStartingEndsTheContextAndUndoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f := h.plug(h.Root(), "f", graph.Plugin{Name: "f", Apply: func(f *graph.Fiber, _ any) error {
			f.Effect("half", func(context.Context) error { h.note("undone"); return nil })
			<-f.Context().Done()
			return f.Context().Err()
		}})
		synctest.Wait()
		if f.State() != graph.Starting {
			t.Fatalf("f is %s", f.State())
		}
		if err := f.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.saw("undone")
		if f.State() != graph.Stopped || f.Err() != nil {
			t.Errorf("f is %s, %v; giving up when told to is no failure", f.State(), f.Err())
		}
	})
}

func TestALateEffectIsUndoneAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f := h.plug(h.Root(), "f", h.user("f"))
		h.settle()
		if err := f.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.read()
		f.Effect("late", func(context.Context) error { h.note("undone"); return nil })
		h.settle()
		h.saw("undone")
		if f.Context().Err() == nil {
			t.Error("the context of a stopped fiber has not ended")
		}
	})
}

func TestDisposeThatIsNotWaitedForSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f := h.plug(h.Root(), "f", holding("slow", func(context.Context) error { time.Sleep(time.Second); return nil }))
		h.settle()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := f.Dispose(ctx); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
		h.settle()
		if f.State() != graph.Stopped {
			t.Errorf("f is %s", f.State())
		}
	})
}

func TestNothingIsPluggedAfterClose(t *testing.T) {
	g := graph.New(graph.Options{})
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := g.Root().Plug("f", holding("x", func(context.Context) error { return nil }), nil)
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}
