package undo_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
	"fairlead/undo"
)

// house is a session in a folder of its own, with the real file tools and a gate that
// allows everything.
type house struct {
	t     testing.TB
	graph *graph.Graph
	tools *tool.Registry
	lib   *session.Library
	log   *session.Log
	dir   string
	turn  int
}

func newHouse(t testing.TB) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, graph: graph.New(graph.Options{}), dir: dir, turn: 1}
	allow := graph.Plugin{Name: "gate", Apply: func(f *graph.Fiber, _ any) error {
		tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		return nil
	}}
	for id, p := range map[string]graph.Plugin{"tools": tool.Plugin(), "files": toolbox.FilesPlugin(), "gate": allow} {
		if _, err := h.graph.Root().Plug(id, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.tools, _ = graph.Lookup(h.graph.Root().Realm(), tool.RegistryKey)
	h.lib = session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}),
		Kinds:       session.NewKindTable(session.Kinds(), tool.Kinds(), toolbox.Kinds(), undo.Kinds()),
		Projections: append(toolbox.Projections(), undo.Projections()...)})
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

type args map[string]any

// run runs a tool in the present turn; it must work.
func (h *house) run(name string, a args) {
	h.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		h.t.Fatal(err)
	}
	call := &tool.Call{ModelID: "m", Caller: "model", Tool: name, Raw: string(raw), Log: h.log, Turn: h.turn, Step: 1, Folder: h.dir}
	if r := h.tools.Execute(h.t.Context(), h.graph.Root().Realm(), call); r.Failed {
		h.t.Fatalf("%s %v: %s", name, a, llm.Plain(r.Content))
	}
}

// edit reads a file and changes it.
func (h *house) edit(path, old, replacement string) {
	h.t.Helper()
	h.run("read", args{"path": path})
	h.run("edit", args{"path": path, "old": old, "new": replacement})
}

func (h *house) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

// put writes a file as the person does.
func (h *house) put(name, body string) {
	h.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.path(name)), 0o755), os.WriteFile(h.path(name), []byte(body), 0o644)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) has(name, want string) {
	h.t.Helper()
	if got, err := os.ReadFile(h.path(name)); err != nil || string(got) != want {
		h.t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

func (h *house) gone(name string) {
	h.t.Helper()
	if _, err := os.Lstat(h.path(name)); !errors.Is(err, os.ErrNotExist) {
		h.t.Errorf("%s is there: %v", name, err)
	}
}

// take takes back, which must work, and gives what became of each file.
func (h *house) take(w undo.Wish) map[string]string {
	h.t.Helper()
	done, err := undo.Take(h.t.Context(), h.log, w)
	if err != nil {
		h.t.Fatalf("%+v: %v", w, err)
	}
	became := map[string]string{}
	for _, f := range done.Files {
		became[f.Path] = f.Now
	}
	return became
}

// refused takes back, which must fail, and gives the refusals.
func (h *house) refused(w undo.Wish, kind fault.Kind, says ...string) []undo.Refusal {
	h.t.Helper()
	_, err := undo.Take(h.t.Context(), h.log, w)
	if !fault.Is(err, kind) {
		h.t.Fatalf("%+v: %v, want %v", w, err, kind)
	}
	for _, s := range says {
		if !strings.Contains(fault.Person(err), s) {
			h.t.Errorf("%q does not say %q", fault.Person(err), s)
		}
	}
	e, _ := errors.AsType[*fault.Error](err)
	list, _ := e.Values["files"].([]undo.Refusal)
	return list
}
