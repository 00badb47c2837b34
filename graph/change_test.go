package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/fault"
	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
)

func TestReplacingAProviderRestartsItsDependantsOnTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		store := h.plug(h.Root(), "store", h.provider("old", storeKey))
		h.plug(h.Root(), "index", h.provider("index", indexKey, storeKey))
		h.plug(h.Root(), "leaf", h.user("leaf", indexKey, storeKey))
		h.settle()
		h.read()
		if err := store.Replace(t.Context(), h.provider("new", storeKey), nil); err != nil {
			t.Fatal(err)
		}
		h.saw("stop leaf", "stop index", "stop old", "start new", "start index", "start leaf")
	})
}

func TestAFailedReplacementPutsTheOldOneBack(t *testing.T) {
	for name, p := range map[string]func(h house) graph.Plugin{
		"cannot start": func(h house) graph.Plugin {
			p := h.provider("new", storeKey)
			p.Apply = func(*graph.Fiber, any) error { return fault.New(fault.Unavailable, "test", "No disk.") }
			return p
		},
		"waits for what nobody provides": func(h house) graph.Plugin { return h.provider("new", storeKey, errorKey) },
		"starves a dependant":            func(h house) graph.Plugin { return h.user("new") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				store := h.plug(h.Root(), "store", h.provider("old", storeKey))
				leaf := h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
				h.settle()
				err := store.Replace(t.Context(), p(h), nil)
				if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.Person(err), "taken back") {
					t.Errorf("got %v", err)
				}
				if got, _ := graph.Lookup(h.Root().Realm(), storeKey); got != "old" {
					t.Errorf("the store is %q", got)
				}
				if leaf.State() != graph.Active {
					t.Errorf("leaf is %s", leaf.State())
				}
			})
		})
	}
}

func TestUpdateRestartsWithTheNewConfigurationOrKeepsTheOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f, err := h.Root().Plug("f", graph.Plugin{Name: "f", Config: func() any { return "default" }, Apply: func(_ *graph.Fiber, cfg any) error {
			h.note("start with " + cfg.(string))
			if cfg == "bad" {
				return errors.New("that will not do")
			}
			return nil
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h.settle()
		if err := f.Update(t.Context(), "good"); err != nil {
			t.Error(err)
		}
		if err := f.Update(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), "that will not do") {
			t.Errorf("got %v", err)
		}
		h.saw("start with default", "start with good", "start with bad", "start with good")
		if f.State() != graph.Active {
			t.Errorf("f is %s", f.State())
		}
	})
}

func TestSeveralEditsAreOneChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", h.provider("old", storeKey))
		h.plug(h.Root(), "extra", h.user("extra"))
		h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		h.read()
		other := h.provider("new", storeKey)
		err := h.Root().Change(t.Context(),
			graph.Edit{ID: "other-store", Plugin: &other}, // the same key: it waits until the old one is gone
			graph.Edit{ID: "store", Remove: true},
		)
		if err != nil {
			t.Fatal(err)
		}
		h.saw("stop leaf", "stop old", "start new", "start leaf")
	})
}

func TestWhatLeavesIsQuietBeforeWhatIsNewStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "old", holding("port", func(context.Context) error { time.Sleep(time.Second); h.note("stop old"); return nil }))
		h.settle()
		fresh := h.user("fresh")
		if err := h.Root().Change(t.Context(), graph.Edit{ID: "fresh", Plugin: &fresh}, graph.Edit{ID: "old", Remove: true}); err != nil {
			t.Fatal(err)
		}
		h.saw("stop old", "start fresh")
	})
}

func TestARefusedEditChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", h.provider("old", storeKey))
		h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		h.read()
		before := h.Inventory()
		second, third, free := h.provider("second", storeKey), h.provider("third", storeKey), h.user("free")
		for name, edits := range map[string][]graph.Edit{
			"unknown child":      {{ID: "store", Remove: true}, {ID: "nobody", Remove: true}},
			"after an insertion": {{ID: "free", Plugin: &free}, {ID: "third", Plugin: &third}},
			"two providers":      {{ID: "store", Plugin: &second}, {ID: "leaf", Config: 1}, {ID: "third", Plugin: &third}},
		} {
			if err := h.Root().Change(t.Context(), edits...); err == nil {
				t.Errorf("%s: not refused", name)
			}
			h.settle()
			h.saw()
			if diff := cmp.Diff(before, h.Inventory()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

func TestAReplacementKeepsItsPlaceAmongListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		said := graph.NewNotify[string]("test.said", "")
		listen := func(name string) *graph.Plugin {
			return &graph.Plugin{Name: name, Apply: func(f *graph.Fiber, _ any) error {
				said.On(f, func(context.Context, string) { h.note(name) })
				return nil
			}}
		}
		for _, id := range []string{"one", "two", "three"} {
			h.plug(h.Root(), id, *listen(id))
		}
		h.settle()
		err := h.Root().Change(t.Context(), graph.Edit{ID: "two", Plugin: listen("zwei")}, graph.Edit{ID: "half", Plugin: listen("half"), Rank: 1})
		if err != nil {
			t.Fatal(err)
		}
		said.Emit(t.Context(), h.Root().Realm(), "")
		h.saw("one", "half", "zwei", "three")
	})
}

func TestAHeldServiceIsReplacedOnlyAfterItsRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ground := h.plug(h.Root(), "ground", h.provider("ground", indexKey))
		h.plug(h.Root(), "store", h.provider("store", storeKey, indexKey))
		h.plug(h.Root(), "bystander", h.user("bystander", indexKey))
		h.settle()
		h.read()
		release := h.Root().Realm().Hold(storeKey)
		done := make(chan error)
		go func() { done <- ground.Replace(t.Context(), h.provider("new ground", indexKey), nil) }()
		synctest.Wait()
		h.saw() // nothing moves: the store stands on the ground
		if got, _ := graph.Lookup(h.Root().Realm(), indexKey); got != "ground" {
			t.Errorf("the ground is %q while held", got)
		}
		release()
		release()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got, _ := graph.Lookup(h.Root().Realm(), indexKey); got != "new ground" {
			t.Errorf("the ground is %q after the release", got)
		}
	})
}

func TestCloseWaitsForNoHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := graph.New(graph.Options{})
		h := house{g, &diary{}, t}
		store := h.plug(h.Root(), "store", h.provider("store", storeKey))
		h.settle()
		release := h.Root().Realm().Hold(storeKey)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := store.Dispose(ctx); err == nil {
			t.Error("a held fiber was disposed")
		}
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		release()
	})
}
