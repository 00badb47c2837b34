package tool_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/tool"
)

// exit ends the goroutine that calls it, as t.FailNow does.
func exit() { runtime.Goexit() }

func names(h *house, r *graph.Realm) []string {
	list := []string{}
	for _, s := range h.tools.Schemas(r) {
		list = append(list, s.Name)
	}
	return list
}

func TestToolsAreSeenFromTheirRealmDownAndLeaveWithTheirFiber(t *testing.T) {
	h := newHouse(t)
	root := h.graph.Root().Realm()
	outer := h.register(&probe{name: "write"}, &probe{name: "read"})
	inner, err := h.graph.Root().Isolate("session")
	if err == nil {
		err = inner.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := inner.Plug("own", graph.Plugin{Name: "own", Apply: func(f *graph.Fiber, _ any) error {
		if err := h.tools.Restrict(f, tool.Filter{Deny: []string{"wr*", "own"}}); err != nil {
			return err
		}
		return h.tools.Register(f, &probe{name: "own"})
	}}, nil)
	if err == nil {
		err = own.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"read", "write"}, names(h, root)); diff != "" {
		t.Errorf("outer realm: %s", diff)
	}
	if diff := cmp.Diff([]string{"own", "read"}, names(h, inner.Realm())); diff != "" {
		t.Errorf("inner realm: %s", diff)
	}
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	if got := h.tools.Execute(t.Context(), inner.Realm(), h.call("write", "")); got.Code != tool.CodeUnknownTool {
		t.Errorf("a tool that is not seen was called: %+v", got)
	}
	if err := own.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"read", "write"}, names(h, inner.Realm())); diff != "" {
		t.Errorf("after the restriction left: %s", diff)
	}
	if err := outer.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(h, inner.Realm()); len(got) != 0 || len(h.tools.View(root)) != 0 {
		t.Errorf("left over: %v", got)
	}
	if empty := h.tools.Empty(); !empty {
		t.Error("the registry keeps something of fibers that are gone")
	}
}

func TestRestrictionsIntersect(t *testing.T) {
	h := newHouse(t)
	h.register(&probe{name: "read"}, &probe{name: "write"}, &probe{name: "mcp__a__x"})
	inner, err := h.graph.Root().Isolate("session")
	if err == nil {
		err = inner.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, filter := range map[string]tool.Filter{"a": {Allow: []string{"read", "mcp__*"}}, "b": {Allow: []string{"read", "write"}}} {
		f, err := inner.Plug(id, graph.Plugin{Name: id, Apply: func(f *graph.Fiber, _ any) error { return h.tools.Restrict(f, filter) }}, nil)
		if err == nil {
			err = f.Ready(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"read"}, names(h, inner.Realm())); diff != "" {
		t.Error(diff)
	}
}

func TestNoToolTakesAnothersName(t *testing.T) {
	h := newHouse(t)
	h.register(&probe{name: "read"})
	h.apply("second", func(f *graph.Fiber) error {
		if err := h.tools.Register(f, &probe{name: "read"}); !fault.Is(err, fault.Conflict) {
			t.Errorf("second tool of a name: %v", err)
		}
		if err := h.tools.Register(f, &probe{name: "read file"}); !fault.Is(err, fault.Invalid) {
			t.Errorf("a name with a blank: %v", err)
		}
		return nil
	})
}

func BenchmarkExecute(b *testing.B) {
	h := newHouse(b)
	h.register(&probe{name: "probe", looks: true, params: `{"type":"object","properties":{"path":{"type":"string"}}}`})
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	ctx, realm := context.Background(), h.graph.Root().Realm()
	b.ReportAllocs()
	for b.Loop() {
		if got := h.tools.Execute(ctx, realm, h.call("probe", `{"path":"a"}`)); got.Failed {
			b.Fatal(got)
		}
	}
}
