package toolbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
)

// house is a graph with the file tools, a gate that allows everything, and a
// session in a folder of its own.
type house struct {
	t     testing.TB
	graph *graph.Graph
	tools *tool.Registry
	lib   *session.Library
	log   *session.Log
	dir   string
	// confirm is set on every call, as a gate does after a yes.
	confirm func(context.Context) error
	// policy confines what calls start, to nothing unless a test says so; env is what
	// it gets besides.
	policy sandbox.Policy
	env    []string
}

func newHouse(t testing.TB) *house {
	t.Helper()
	return newHouseWith(t)
}

// newHouseWith is a house that knows these language servers.
func newHouseWith(t testing.TB, servers ...toolbox.LanguageServer) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, graph: graph.New(graph.Options{}), dir: dir, policy: sandbox.Policy{Write: []string{"/"}, Network: true}}
	if _, err := h.graph.Root().Plug("languages", toolbox.LanguagePlugin(), &toolbox.LanguageOptions{Servers: servers}); err != nil {
		t.Fatal(err)
	}
	for id, p := range map[string]graph.Plugin{"tools": tool.Plugin(), "files": toolbox.FilesPlugin(), "todo": toolbox.TodoPlugin(), "shell": toolbox.ShellPlugin(),
		"sandbox": sandbox.Plugin(sandbox.Options{Env: os.Environ(), Home: t.TempDir()}), "gate": {Name: "gate", Apply: h.gate}} {
		if _, err := h.graph.Root().Plug(id, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.tools, _ = graph.Lookup(h.graph.Root().Realm(), tool.RegistryKey)
	h.lib = session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}),
		Kinds:       session.NewKindTable(session.Kinds(), tool.Kinds(), toolbox.Kinds()),
		Projections: append(tool.Projections(), toolbox.Projections()...)})
	if h.log, err = h.lib.Create(t.Context(), session.CreatedData{Folder: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.log.Close(context.Background()), h.graph.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) gate(f *graph.Fiber, _ any) error {
	tool.PreExecute.On(f, func(_ context.Context, c *tool.Call, _ func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
		c.Confirm = h.confirm
		return tool.Verdict{Decision: tool.Allow, By: "mode", Policy: h.policy, Env: h.env}, nil
	})
	return nil
}

// args are the arguments of a call.
type args map[string]any

func (h *house) call(name string, a args) *tool.Call {
	h.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		h.t.Fatal(err)
	}
	return &tool.Call{ModelID: "m", Caller: "model", Tool: name, Raw: string(raw), Log: h.log, Turn: 1, Step: 1, Folder: h.dir}
}

func (h *house) run(name string, a args) *session.ToolResultData {
	h.t.Helper()
	return h.tools.Execute(h.t.Context(), h.graph.Root().Realm(), h.call(name, a))
}

// ok runs a call that must work and gives what the model reads.
func (h *house) ok(name string, a args) string {
	h.t.Helper()
	r := h.run(name, a)
	if r.Failed {
		h.t.Fatalf("%s %v failed: %s", name, a, llm.Plain(r.Content))
	}
	return llm.Plain(r.Content)
}

// refused runs a call that must fail with a code and gives what the model reads.
func (h *house) refused(code, name string, a args) string {
	h.t.Helper()
	r := h.run(name, a)
	if !r.Failed || r.Code != code {
		h.t.Fatalf("%s %v: failed %t, code %q, want %q: %s", name, a, r.Failed, r.Code, code, llm.Plain(r.Content))
	}
	return llm.Plain(r.Content)
}

func (h *house) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

// put writes a file from outside.
func (h *house) put(name, body string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(body), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// has checks a file's bytes.
func (h *house) has(name, want string) {
	h.t.Helper()
	got, err := os.ReadFile(h.path(name))
	if err != nil || string(got) != want {
		h.t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

// listen gives what calls pass on from now on while they run.
func (h *house) listen() <-chan string {
	heard, ready := make(chan string, 256), make(chan struct{})
	var once sync.Once
	go func() {
		for frame := range h.log.Watch(h.t.Context(), 0) {
			once.Do(func() { close(ready) }) // whoever got an event gets what follows
			if frame.Live == nil || frame.Live.Type != "progress" {
				continue
			}
			if d, ok := frame.Live.Data.(session.ToolProgressData); ok {
				heard <- d.Text
			}
		}
	}()
	<-ready
	return heard
}

func says(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
}
