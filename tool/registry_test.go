package tool_test

import (
	"context"
	"runtime"
	"strings"
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

func TestRareToolsAreCalledUnderTheirOwnName(t *testing.T) {
	h := newHouse(t)
	h.plug("rare", tool.RarePlugin())
	h.register(&probe{name: "probe"}, seldom{&probe{name: "mcp__x__y", params: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`}})
	h.decide(tool.Verdict{Decision: tool.Allow, By: "mode"})
	if diff := cmp.Diff([]string{"probe", "tool_help", "tool_use"}, names(h, h.graph.Root().Realm())); diff != "" {
		t.Errorf("the list of tools: %s", diff)
	}
	for raw, want := range map[string]string{
		`{}`:                   "mcp__x__y: once in a blue moon",
		`{"name":"mcp__x__y"}`: `mcp__x__y: a probe` + "\n" + `Arguments: {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		`{"name":"mcp__x__z"}`: `There is no tool "mcp__x__z". Nothing was changed. Did you mean "mcp__x__y"?`,
	} {
		if got := text(h.run(h.call("tool_help", raw))[0]); got != want {
			t.Errorf("help %s: %q", raw, got)
		}
	}
	for raw, want := range map[string]struct{ tool, code, says string }{
		`{"name":"mcp__x__y","arguments":{"n":1}}`:         {"mcp__x__y", "", "ran mcp__x__y"},
		`{"name":"mcp__x__y","arguments":"{\"n\":\"2\"}"}`: {"mcp__x__y", "", "ran mcp__x__y"},
		`{"name":"mcp__x__y"}`:                             {"mcp__x__y", tool.CodeArguments, `"n" is missing`},
		`{"name":"probe"}`:                                 {"probe", "", "ran probe"},
		`{"name":"prob"}`:                                  {"prob", tool.CodeUnknownTool, `"probe"`},
		`{"name":"tool_use","arguments":{"name":"probe"}}`: {"tool_use", tool.CodeArguments, "through itself"},
		`{"arguments":{}}`:                                 {"tool_use", tool.CodeArguments, `"name" is missing`},
	} {
		out := h.run(h.call("tool_use", raw))[0]
		if out.Call.Tool != want.tool || out.Logged.Code != want.code || !strings.Contains(text(out), want.says) {
			t.Errorf("use %s: tool %s, code %q, %q", raw, out.Call.Tool, out.Logged.Code, text(out))
		}
	}
}

// seldom is a rare tool.
type seldom struct{ *probe }

func (seldom) Rare() string { return "once in a blue moon" }

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
