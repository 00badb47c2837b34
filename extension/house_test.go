package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"

	"fairlead/agent"
	"fairlead/extension"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/script"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// cacheDir keeps the compiled engine for all tests of the package.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "extension-test-")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// house is a graph in which a session's room has packages, under a gate that lets
// everything pass.
type house struct {
	t        testing.TB
	graph    *graph.Graph
	room     *graph.Fiber // the session's
	tools    *tool.Registry
	sections *agent.Sections
	log      *session.Log
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{})}
	h.plug(h.graph.Root(), tool.Plugin(), nil)
	h.plug(h.graph.Root(), agent.Prompt(), &agent.PromptOptions{})
	h.plug(h.graph.Root(), script.Plugin(script.Options{Cache: cacheDir}), nil)
	realm := h.graph.Root().Realm()
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.sections, _ = graph.Lookup(realm, agent.SectionsKey)
	h.plug(h.graph.Root(), graph.Plugin{Name: "gate", Apply: func(f *graph.Fiber, _ any) error {
		tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		return h.tools.Register(f, echo{})
	}}, nil)
	h.room, h.log = h.session()
	t.Cleanup(func() {
		if err := errors.Join(h.graph.Close(context.Background()), h.log.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return h
}

// session makes a session with a room of its own.
func (h *house) session() (*graph.Fiber, *session.Log) {
	h.t.Helper()
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: h.t.TempDir()}), Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), extension.Kinds()), Projections: tool.Projections()})
	log, err := lib.Create(h.t.Context(), session.CreatedData{})
	if err != nil {
		h.t.Fatal(err)
	}
	room, err := h.graph.Root().Isolate(string(log.ID()))
	if err != nil {
		h.t.Fatal(err)
	}
	h.plug(room, extension.Plugin(), nil)
	return room, log
}

func (h *house) plug(on *graph.Fiber, p graph.Plugin, cfg any) {
	h.t.Helper()
	f, err := on.Plug(p.Name, p, cfg)
	if err == nil {
		err = f.Ready(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// call makes a call of the model's in the session's room.
func (h *house) call(name string, args any) *session.ToolResultData {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.tools.Execute(h.t.Context(), h.room.Realm(), &tool.Call{ModelID: "m", Caller: tool.CallerModel, Tool: name, Raw: string(raw), Log: h.log, Turn: 1, Step: 1})
}

type args = map[string]any

// says calls and gives what the model reads.
func (h *house) says(name string, a args) string {
	h.t.Helper()
	r := h.call(name, a)
	text := llm.Plain(r.Content)
	if r.Failed {
		return r.Code + ": " + text
	}
	return text
}

// install defines and runs a version of a package.
func (h *house) install(name, code string) string {
	h.t.Helper()
	if r := h.call("package_define", args{"name": name, "purpose": "a test", "code": code}); r.Failed {
		return llm.Plain(r.Content)
	}
	return h.says("package_run", args{"name": name})
}

// logged waits for an event of a kind and gives its payload.
func logged[D any](h *house, kind session.Kind[D]) D {
	h.t.Helper()
	for frame, err := range h.log.Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if frame.Event != nil && kind.Of(*frame.Event) {
			d, err := kind.Decode(*frame.Event)
			if err != nil {
				h.t.Fatal(err)
			}
			return d
		}
	}
	h.t.Fatal("the log ended")
	panic("not reached")
}

// echo is a tool of the house.
type echo struct{}

func (echo) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "echo", Description: "Says it again.", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (echo) Run(_ context.Context, c *tool.Call) (*tool.Result, error) {
	return tool.Text(string(c.Args)), nil
}
