package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/external"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/store"
	"fairlead/tool"
)

// house is a graph with external agents that are shell scripts, and a gate that allows
// everything.
type house struct {
	t        testing.TB
	graph    *graph.Graph
	fiber    *graph.Fiber
	tools    *tool.Registry
	agents   *external.Agents
	doc      *settings.Document
	log      *session.Log
	lib      *session.Library
	home     string // of the product
	personal string
	bin      string
	folder   string
}

func newHouse(t testing.TB, c external.Config) *house { return newHouseIn(t, c, t.TempDir()) }

// newHouseIn starts a house on a folder that may hold what an earlier one left.
func newHouseIn(t testing.TB, c external.Config, root string) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))}),
		home: filepath.Join(root, "home"), personal: filepath.Join(root, "person"), bin: filepath.Join(root, "bin"), folder: filepath.Join(root, "work")}
	for _, dir := range []string{h.home, h.personal, h.bin, h.folder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PATH": h.bin + ":/usr/bin:/bin", "HOME": h.personal, "ANTHROPIC_API_KEY": "sk-ours", "ANTHROPIC_BASE_URL": "http://gateway.example", "OPENAI_API_KEY": "sk-ours"}
	var list []string
	for name, v := range env {
		list = append(list, name+"="+v)
	}
	for _, p := range []graph.Plugin{tool.Plugin(), tool.RarePlugin(), settings.Plugin(settings.CredentialOptions{Home: h.home}),
		sandbox.Plugin(sandbox.Options{Env: list, Home: h.home}), {Name: "gate", Apply: gate}} {
		if _, err := h.graph.Root().Plug(p.Name, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	h.lib = session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: filepath.Join(root, "sessions")}),
		Kinds:       session.NewKindTable(session.Kinds(), tool.Kinds(), external.Kinds()),
		Projections: append(tool.Projections(), external.Projections()...)})
	library := graph.Plugin{Name: "library", Provides: []graph.AnyKey{session.LibraryKey}, Apply: func(f *graph.Fiber, _ any) error { return graph.Provide(f, session.LibraryKey, h.lib) }}
	if _, err := h.graph.Root().Plug("library", library, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	h.fiber, err = h.graph.Root().Plug("external", external.Plugin(external.Options{Dir: filepath.Join(h.home, "external"), Own: []string{h.home}, Personal: h.personal,
		Environ: func(name string) string { return env[name] }}), &c)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	realm := h.graph.Root().Realm()
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.agents, _ = graph.Lookup(realm, external.Key)
	h.doc, _ = graph.Lookup(realm, settings.DocumentKey)
	if h.log, err = h.lib.Create(t.Context(), session.CreatedData{Folder: h.folder}); err != nil {
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

// program makes a fake CLI of a shell script.
func (h *house) program(name, script string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.bin, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

// lines makes a fake CLI that prints lines and ends well.
func (h *house) lines(name string, lines ...string) {
	h.program(name, "cat >/dev/null\ncat <<'EOF'\n"+strings.Join(lines, "\n")+"\nEOF\n")
}

func (h *house) ask(q external.Question) external.Answer {
	h.t.Helper()
	if q.Folder == "" {
		q.Folder = h.folder
	}
	if q.Prompt == "" {
		q.Prompt = "What is a fairlead?"
	}
	answer, err := h.agents.Ask(h.t.Context(), q)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer
}

// set writes settings.
func (h *house) set(changes map[string]any) {
	h.t.Helper()
	if _, err := h.doc.Patch(h.t.Context(), h.doc.Revision(), changes); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) call(args any) *session.ToolResultData {
	h.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.tools.Execute(h.t.Context(), h.graph.Root().Realm(), &tool.Call{ModelID: "m", Caller: "model", Tool: "harness_call", Raw: string(raw), Args: raw, Log: h.log, Turn: 1, Step: 1, Folder: h.folder})
}

func text(r *session.ToolResultData) string { return llm.Plain(r.Content) }

// What the products print for an answer, at its shortest.
const (
	claudeInit   = `{"type":"system","subtype":"init","session_id":"s-1","model":"m"}`
	claudeAnswer = `{"type":"result","subtype":"success","is_error":false,"result":"A ring for a rope.","session_id":"s-1","num_turns":1,"total_cost_usd":0.01,"usage":{"input_tokens":3,"output_tokens":4}}`
	codexThread  = `{"type":"thread.started","thread_id":"t-1"}`
	codexAnswer  = `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"A ring for a rope."}}`
	codexDone    = `{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":4}}`
)
