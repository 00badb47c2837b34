package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/store"
	"fairlead/testkit"
	"fairlead/tool"
	"fairlead/web"
)

// house is a graph with the tools for the web, a gate that allows everything, and a
// pretend web.
type house struct {
	t     testing.TB
	graph *graph.Graph
	tools *tool.Registry
	log   *session.Log
	web   *testkit.Pretend
	doc   *settings.Document
	keys  map[string]string
	rows  map[string]*graph.Fiber
}

// sites are handlers by host.
type sites map[string]http.HandlerFunc

func (s sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := s[r.Host]; h != nil {
		h(w, r)
		return
	}
	http.Error(w, "no such site: "+r.Host, http.StatusNotFound)
}

func newHouse(t testing.TB, s sites) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{}), web: testkit.NewPretend(t, s), keys: map[string]string{}, rows: map[string]*graph.Fiber{}}
	rows := web.Plugins(web.Options{Secret: func(name string) string { return h.keys[name] },
		Network: web.Network{Resolve: h.web.Resolve, Dial: h.web.Dial, Roots: h.web.Roots()}})
	for _, p := range append(rows, tool.Plugin(), settings.Plugin(settings.CredentialOptions{Home: t.TempDir()}), graph.Plugin{Name: "gate", Apply: gate}) {
		if p.Name == "web-search-searxng" {
			continue
		}
		var err error
		if h.rows[p.Name], err = h.graph.Root().Plug(p.Name, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	realm := h.graph.Root().Realm()
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.doc, _ = graph.Lookup(realm, settings.DocumentKey)
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}), Kinds: session.NewKindTable(session.Kinds(), tool.Kinds()), Projections: tool.Projections()})
	var err error
	if h.log, err = lib.Create(t.Context(), session.CreatedData{Folder: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.log.Close(context.Background()), h.graph.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return h
}

func gate(f *graph.Fiber, _ any) error {
	tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
		return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
	})
	return nil
}

// set writes settings.
func (h *house) set(changes map[string]any) {
	h.t.Helper()
	if _, err := h.doc.Patch(h.t.Context(), h.doc.Revision(), changes); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) call(name string, args any) *tool.Call {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	return &tool.Call{ModelID: "m", Caller: "model", Tool: name, Raw: string(raw), Args: raw, Log: h.log, Turn: 1, Step: 1}
}

func (h *house) run(name string, args any) *session.ToolResultData {
	h.t.Helper()
	return h.tools.Execute(h.t.Context(), h.graph.Root().Realm(), h.call(name, args))
}

func (h *house) fetch(address string) *session.ToolResultData {
	h.t.Helper()
	return h.run("web_fetch", map[string]any{"url": address})
}

func (h *house) search(queries ...string) *session.ToolResultData {
	h.t.Helper()
	return h.run("web_search", map[string]any{"queries": queries})
}

func text(r *session.ToolResultData) string { return llm.Plain(r.Content) }

func says(t testing.TB, r *session.ToolResultData, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text(r), p) {
			t.Errorf("%q does not say %q", text(r), p)
		}
	}
}

func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(body))
	}
}
