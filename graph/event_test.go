package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"fairlead/graph"

	"github.com/google/go-cmp/cmp"
)

func TestAPanickingHandlerFailsItsFiberAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		notify := graph.NewNotify[string]("test.notify", "")
		serial := graph.NewSerial[string]("test.serial", "")
		bail := graph.NewBail[string, string]("test.bail", "")
		waterfall := graph.NewWaterfall[string, string]("test.waterfall", "")
		base := func(_ context.Context, s string) (string, error) { return s, nil }
		realm := h.Root().Realm()
		for name, tc := range map[string]struct {
			on       func(f *graph.Fiber)
			dispatch func() error
		}{
			"notify": {
				func(f *graph.Fiber) { notify.On(f, func(context.Context, string) { panic("oops") }) },
				func() error { notify.Emit(t.Context(), realm, ""); return errors.New("test.notify oops") },
			},
			"serial": {
				func(f *graph.Fiber) { serial.On(f, func(context.Context, string) error { panic("oops") }) },
				func() error { return serial.Run(t.Context(), realm, "") },
			},
			"bail": {
				func(f *graph.Fiber) {
					bail.On(f, func(context.Context, string) (string, bool, error) { panic("oops") })
				},
				func() error { _, _, err := bail.Ask(t.Context(), realm, ""); return err },
			},
			"waterfall": {
				func(f *graph.Fiber) {
					waterfall.On(f, func(context.Context, string, func(context.Context, string) (string, error)) (string, error) {
						panic("oops")
					})
				},
				func() error { _, err := waterfall.Run(t.Context(), realm, "", base); return err },
			},
		} {
			bad := h.plug(h.Root(), "bad-"+name, graph.Plugin{Name: "bad", Apply: func(f *graph.Fiber, _ any) error { tc.on(f); return nil }})
			good := h.plug(h.Root(), "good-"+name, h.user("good"))
			h.settle()
			if err := tc.dispatch(); err == nil || !strings.Contains(err.Error(), "oops") {
				t.Errorf("%s: the dispatch says %v", name, err)
			}
			h.settle()
			if bad.State() != graph.Failed || good.State() != graph.Active {
				t.Errorf("%s: bad is %s, good is %s", name, bad.State(), good.State())
			}
			if err := bad.Err(); err == nil || !strings.Contains(err.Error(), "oops") {
				t.Errorf("%s: the reason is %v", name, err)
			}
			if err := bad.Restart(t.Context()); err != nil {
				t.Errorf("%s: restarting by hand: %v", name, err)
			}
			if err := bad.Dispose(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAPanicInTheBaseOfAWaterfallBlamesNoListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		point := graph.NewWaterfall[string, string]("test.waterfall", "")
		f := h.plug(h.Root(), "f", graph.Plugin{Name: "f", Apply: func(f *graph.Fiber, _ any) error {
			point.On(f, func(ctx context.Context, s string, next func(context.Context, string) (string, error)) (string, error) {
				return next(ctx, s)
			})
			return nil
		}})
		h.settle()
		_, err := point.Run(t.Context(), h.Root().Realm(), "", func(context.Context, string) (string, error) { panic("base") })
		h.settle()
		if err == nil || f.State() != graph.Active {
			t.Errorf("err %v, f is %s", err, f.State())
		}
	})
}

func TestSerialStopsAtTheFirstErrorAndBailAtTheFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		serial := graph.NewSerial[string]("test.serial", "")
		bail := graph.NewBail[string, int]("test.bail", "")
		for i, id := range []string{"one", "two", "three"} {
			h.plug(h.Root(), id, graph.Plugin{Name: id, Apply: func(f *graph.Fiber, _ any) error {
				serial.On(f, func(_ context.Context, at string) error {
					h.note(id)
					if at == id {
						return errors.New(id)
					}
					return nil
				})
				bail.On(f, func(_ context.Context, at string) (int, bool, error) { h.note(id); return i, at == id, nil })
				return nil
			}})
		}
		h.settle()
		realm := h.Root().Realm()
		if err := serial.Run(t.Context(), realm, "two"); err == nil || err.Error() != "two" {
			t.Errorf("got %v", err)
		}
		h.saw("one", "two")
		if err := serial.Run(t.Context(), realm, "none"); err != nil {
			t.Errorf("got %v", err)
		}
		h.saw("one", "two", "three")
		if got, answered, err := bail.Ask(t.Context(), realm, "two"); got != 1 || !answered || err != nil {
			t.Errorf("got %v %v %v", got, answered, err)
		}
		h.saw("one", "two")
		if _, answered, err := bail.Ask(t.Context(), realm, "none"); answered || err != nil {
			t.Errorf("got %v %v", answered, err)
		}
	})
}

func TestDispatchAllocatesNothingWhenNobodyListens(t *testing.T) {
	g := graph.New(graph.Options{})
	defer g.Close(context.Background())
	inner, err := g.Root().Isolate("inner")
	if err != nil {
		t.Fatal(err)
	}
	notify := graph.NewNotify[int]("test.notify", "")
	ctx, realm := context.Background(), inner.Realm()
	if n := testing.AllocsPerRun(100, func() { notify.Emit(ctx, realm, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWatchYieldsTheInventoryAgainAfterAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var seen []int
		for list := range h.Watch(ctx) {
			seen = append(seen, len(list))
			switch len(seen) {
			case 1:
				h.plug(h.Root(), "f", h.user("f"))
			case 2:
				h.settle()
				cancel()
			}
		}
		if diff := cmp.Diff([]int{0, 1}, seen); diff != "" {
			t.Error(diff)
		}
	})
}
