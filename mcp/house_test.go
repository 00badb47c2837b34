package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/mcp"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
)

// house is a graph with the person's servers and a gate that allows everything.
type house struct {
	t       testing.TB
	graph   *graph.Graph
	tools   *tool.Registry
	servers *mcp.Servers
	doc     *settings.Document
	log     *session.Log
	home    string
	keys    map[string]string
}

// server is the setting of a server of testserver_test.go.
func server(kind string, more ...string) map[string]any {
	command := []any{os.Args[0], serverWord, kind}
	for _, a := range more {
		command = append(command, a)
	}
	return map[string]any{"command": command}
}

func newHouse(t testing.TB, servers map[string]map[string]any) *house {
	t.Helper()
	h := open(t, t.TempDir())
	for name, s := range servers {
		h.set(name, s)
	}
	return h
}

// open starts a house on a home folder.
func open(t testing.TB, home string) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))}), home: home, keys: map[string]string{}}
	for _, p := range []graph.Plugin{tool.Plugin(), tool.RarePlugin(), settings.Plugin(settings.CredentialOptions{Home: home}),
		sandbox.Plugin(sandbox.Options{Env: os.Environ(), Home: home}), {Name: "gate", Apply: gate},
		mcp.Plugin(mcp.Options{Trust: filepath.Join(home, "trust.json"), Dir: t.TempDir(), Own: []string{home}, Client: &http.Client{Transport: &http.Transport{}}, Version: "test",
			Secret: func(name string) string { return h.keys[name] }})} {
		if _, err := h.graph.Root().Plug(p.Name, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	realm := h.graph.Root().Realm()
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.servers, _ = graph.Lookup(realm, mcp.Key)
	h.doc, _ = graph.Lookup(realm, settings.DocumentKey)
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}), Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), toolbox.Kinds()), Projections: tool.Projections()})
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

// set writes the settings of a server and waits until they count.
func (h *house) set(name string, s map[string]any) {
	h.t.Helper()
	if _, err := h.doc.Patch(h.t.Context(), h.doc.Revision(), map[string]any{"mcp.servers." + name: s}); err != nil {
		h.t.Fatal(err)
	}
	want, err := json.Marshal(s["command"])
	if err != nil {
		h.t.Fatal(err)
	}
	h.wait(name, func(s mcp.State) bool {
		got, err := json.Marshal(s.Config.Command)
		return err == nil && (string(got) == string(want) || s.Config.URL != "")
	})
}

// wait returns once a server's state is as wanted.
func (h *house) wait(name string, is func(mcp.State) bool) mcp.State {
	h.t.Helper()
	for list := range h.servers.Watch(h.t.Context()) {
		for _, s := range list {
			if s.Name == name && is(s) {
				return s
			}
		}
	}
	h.t.Fatalf("%s never came to be as wanted", name)
	return mcp.State{}
}

func (h *house) state(name string) mcp.State {
	h.t.Helper()
	s, err := h.servers.State(name)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// approve says yes to a server as it is.
func (h *house) approve(name string) mcp.State {
	h.t.Helper()
	s, err := h.servers.Approve(h.t.Context(), name, h.state(name).Digest)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *house) call(name string, args any) *tool.Call {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	return &tool.Call{ModelID: "m", Caller: "model", Tool: name, Raw: string(raw), Log: h.log, Turn: 1, Step: 1}
}

func (h *house) run(name string, args any) *session.ToolResultData {
	h.t.Helper()
	return h.tools.Execute(h.t.Context(), h.graph.Root().Realm(), h.call(name, args))
}

// names are the tools of servers that a model can call.
func (h *house) names() (list []string) {
	for _, t := range h.tools.View(h.graph.Root().Realm()) {
		if name := t.Schema().Name; strings.HasPrefix(name, "mcp__") {
			list = append(list, name)
		}
	}
	return list
}

func plain(r *session.ToolResultData) string { return llm.Plain(r.Content) }

func says(t testing.TB, r *session.ToolResultData, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(plain(r), p) {
			t.Errorf("%q does not say %q", plain(r), p)
		}
	}
}
