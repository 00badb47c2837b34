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
)

func TestOnlyWhatIsDeclaredIsGotAndProvided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		var undeclared, absent, twice, empty, stranger error
		h.plug(h.Root(), "f", graph.Plugin{
			Name:     "f",
			Inject:   []graph.Dependency{graph.Optional(indexKey)},
			Provides: []graph.AnyKey{storeKey, errorKey},
			Apply: func(f *graph.Fiber, _ any) error {
				_, undeclared = graph.Get(f, storeKey)
				_, absent = graph.Get(f, indexKey)
				stranger = graph.Provide(f, indexKey, "x")
				empty = graph.Provide(f, errorKey, nil)
				first := graph.Provide(f, storeKey, "a")
				twice = graph.Provide(f, storeKey, "b")
				return first
			},
		})
		h.settle()
		for name, tc := range map[string]struct {
			err  error
			kind fault.Kind
			says string
		}{
			"get undeclared":     {undeclared, fault.Internal, "does not declare in Inject"},
			"get absent":         {absent, fault.Unavailable, "Nobody provides test.index"},
			"provide undeclared": {stranger, fault.Internal, "does not declare it in Provides"},
			"provide nil":        {empty, fault.Internal, "nil"},
			"provide twice":      {twice, fault.Internal, "already"},
		} {
			if !fault.Is(tc.err, tc.kind) || !strings.Contains(tc.err.Error(), tc.says) {
				t.Errorf("%s: %v", name, tc.err)
			}
		}
	})
}

var errorKey = graph.NewKey[error]("test.error", "An interface that may be nil.")

func TestAValueAppearsOnlyWhenItsProviderIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", graph.Plugin{Name: "store", Provides: []graph.AnyKey{storeKey}, Apply: func(f *graph.Fiber, _ any) error {
			if err := graph.Provide(f, storeKey, "half"); err != nil {
				return err
			}
			return errors.New("no disk")
		}})
		leaf := h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		if _, found := graph.Lookup(h.Root().Realm(), storeKey); found || leaf.State() != graph.Waiting {
			t.Errorf("found %v, leaf is %s", found, leaf.State())
		}
	})
}

func TestADependantKeepsItsValueWhileItStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		store := h.plug(h.Root(), "store", h.provider("store", storeKey))
		h.plug(h.Root(), "leaf", graph.Plugin{Name: "leaf", Inject: []graph.Dependency{graph.Needs(storeKey)}, Apply: func(f *graph.Fiber, _ any) error {
			f.Effect("flush", func(context.Context) error {
				v, err := graph.Get(f, storeKey)
				_, found := graph.Lookup(f.Realm(), storeKey)
				if !found {
					err = errors.New("withdrawn too early")
				}
				h.note("flushed to " + v)
				return err
			})
			return nil
		}})
		h.settle()
		h.read()
		if err := store.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.saw("flushed to store", "stop store")
	})
}

func TestAnOptionalServiceIsWaitedForOnlyWhileItIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		slow := h.provider("store", storeKey)
		apply := slow.Apply
		slow.Apply = func(f *graph.Fiber, cfg any) error { time.Sleep(time.Second); return apply(f, cfg) }
		leaf := graph.Plugin{Name: "leaf", Inject: []graph.Dependency{graph.Optional(storeKey)}, Apply: func(f *graph.Fiber, _ any) error {
			v, err := graph.Get(f, storeKey)
			if err != nil {
				v = "nothing"
			}
			h.note("start on " + v)
			return nil
		}}
		h.plug(h.Root(), "leaf", leaf)
		h.settle()
		h.saw("start on nothing")
		store := h.plug(h.Root(), "store", slow)
		h.plug(h.Root(), "second", leaf)
		h.settle()
		h.saw("start store", "start on store", "start on store")
		if err := store.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.sawInSomeOrder("stop store", "start on nothing", "start on nothing")
	})
}

func TestAnOptionalServiceThatNeverComesHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", h.provider("store", storeKey, indexKey)) // the index never comes
		h.plug(h.Root(), "broken", graph.Plugin{Name: "broken", Provides: []graph.AnyKey{errorKey}, Apply: func(*graph.Fiber, any) error {
			time.Sleep(time.Second)
			return errors.New("no")
		}})
		leaf := h.user("leaf")
		leaf.Inject = []graph.Dependency{graph.Optional(storeKey), graph.Optional(errorKey)}
		h.plug(h.Root(), "leaf", leaf)
		h.settle()
		h.saw("start leaf")
	})
}

func TestASecondProviderIsRefusedUnlessItStandsBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		first := h.plug(h.Root(), "first", h.provider("first", storeKey))
		_, err := h.Root().Plug("second", h.provider("second", storeKey), nil)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "first already provides test.store") {
			t.Errorf("got %v", err)
		}
		spare := h.provider("spare", storeKey)
		spare.Provides = []graph.AnyKey{graph.Standby(storeKey)}
		h.plug(h.Root(), "spare", spare)
		h.plug(h.Root(), "leaf", h.user("leaf", storeKey))
		h.settle()
		now := func(want string) {
			t.Helper()
			if got, _ := graph.Lookup(h.Root().Realm(), storeKey); got != want {
				t.Errorf("the store is %q, want %q", got, want)
			}
		}
		now("first")
		h.read()
		if err := first.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.settle()
		now("spare")
		h.sawInSomeOrder("stop leaf", "stop first", "start leaf")
		h.plug(h.Root(), "third", h.provider("third", storeKey))
		h.settle()
		now("third")
		h.saw("start third", "stop leaf", "start leaf")
	})
}

func TestAPluginMayWrapTheServiceOfTheRealmAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.plug(h.Root(), "store", h.provider("outer", storeKey))
		inner, err := h.Root().Isolate("inner")
		if err != nil {
			t.Fatal(err)
		}
		h.plug(inner, "wrap", graph.Plugin{
			Name: "wrap", Inject: []graph.Dependency{graph.Needs(storeKey)}, Provides: []graph.AnyKey{storeKey},
			Apply: func(f *graph.Fiber, _ any) error {
				v, err := graph.Get(f, storeKey)
				return errors.Join(err, graph.Provide(f, storeKey, "wrapped "+v))
			},
		})
		h.settle()
		if got, _ := graph.Lookup(inner.Realm(), storeKey); got != "wrapped outer" {
			t.Errorf("got %q", got)
		}
	})
}

func TestARealmLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		for range 3 {
			one, err := h.Root().Isolate("one", storeKey)
			if err != nil {
				t.Fatal(err)
			}
			h.plug(one, "store", h.provider("inner", storeKey))
			h.plug(one, "leaf", h.user("leaf", storeKey))
			if err := one.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.saw("start inner", "start leaf")
			if err := one.Dispose(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.saw("stop leaf", "stop inner")
			if _, found := graph.Lookup(one.Realm(), storeKey); found {
				t.Error("the value is still found")
			}
		}
	})
}

func TestCyclesThroughParentsAndOptionalServicesAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		uses := h.user("outer")
		uses.Inject = []graph.Dependency{graph.Optional(storeKey)}
		outer := h.plug(h.Root(), "outer", uses)
		h.settle()
		_, err := outer.Plug("inner", h.provider("inner", storeKey), nil)
		if want := "outer/inner lives in outer, outer uses test.store of outer/inner"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	})
}
