package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// house is the rooms around the agent with a scripted model in process: everything
// but the model is the real one.
type house struct {
	t       testing.TB
	dir     string
	graph   *graph.Graph
	host    *agent.Host
	library *session.Library
}

// blueprint says how a house differs from the usual one.
type blueprint struct {
	script  string
	dir     string // of an earlier house, to go on there
	options agent.Options
	monitor agent.MonitorOptions
	noGate  bool
	model   llm.Model
	tools   []tool.Tool
	plugins []graph.Plugin
	logger  *slog.Logger
	titles  bool              // sessions are named by their model
	presets map[string]string // file name to text
}

func build(t testing.TB, b blueprint) *house {
	t.Helper()
	if b.dir == "" {
		b.dir = t.TempDir()
	}
	script, err := scripted.Parse(b.script)
	if err != nil {
		t.Fatal(err)
	}
	if b.model.ID == "" {
		b.model.ID = script.Model
	}
	h := &house{t: t, dir: b.dir, graph: graph.New(graph.Options{Log: b.logger})}
	plug := func(p graph.Plugin, cfg any) {
		if _, err := h.graph.Root().Plug(p.Name, p, cfg); err != nil {
			t.Fatal(err)
		}
	}
	plug(store.Plugin(b.dir), nil)
	plug(session.Plugin(session.Options{Kinds: session.NewKindTable(session.Kinds(), tool.Kinds()), Projections: agent.Projections(), Version: "test"}), nil)
	plug(llm.Plugin(), nil)
	plug(tool.Plugin(), nil)
	if b.presets != nil {
		home := t.TempDir()
		for name, text := range b.presets {
			if err := errors.Join(os.MkdirAll(filepath.Join(home, "presets"), 0o700), os.WriteFile(filepath.Join(home, "presets", name), []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		plug(config.PresetsPlugin(&config.Presets{Home: home}), nil)
	}
	rows := agent.Plugins()
	if b.titles {
		rows = append(rows, agent.Titles())
	}
	for _, p := range rows {
		var cfg any
		if p.Name == "agent" {
			cfg = &b.options
		}
		if p.Name == agent.MonitorRow {
			cfg = &b.monitor
		}
		plug(p, cfg)
	}
	plug(graph.Plugin{Name: "model", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
		routes, err := graph.Get(f, llm.RoutesKey)
		if err != nil {
			return err
		}
		return routes.Register(f, llm.Route{Name: "test/" + b.model.ID, Model: b.model, Adapter: scripted.New(script), Wire: "scripted"})
	}}, nil)
	plug(graph.Plugin{Name: "tools of the test", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)}, Apply: func(f *graph.Fiber, _ any) error {
		registry, err := graph.Get(f, tool.RegistryKey)
		if err != nil {
			return err
		}
		for _, t := range b.tools {
			if err := registry.Register(f, t); err != nil {
				return err
			}
		}
		tool.PreExecute.On(f, func(_ context.Context, c *tool.Call, _ func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			if strings.Contains(c.Raw, "forbidden") {
				return tool.Verdict{Decision: tool.Deny, DeniedBy: "nobody", Reason: "nobody is here"}, nil
			}
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		return nil
	}}, nil)
	if !b.noGate {
		plug(graph.Plugin{Name: "gate", Provides: []graph.AnyKey{agent.GateKey}, Apply: func(f *graph.Fiber, _ any) error {
			return graph.Provide[agent.Gate](f, agent.GateKey, openGate{})
		}}, nil)
	}
	for _, p := range b.plugins {
		plug(p, nil)
	}
	if err := h.graph.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range h.graph.Inventory() {
		if s.State != graph.Active {
			t.Fatalf("%s is %s: %s", s.Path, s.State, s.Reason)
		}
	}
	realm := h.graph.Root().Realm()
	h.host, _ = graph.Lookup(realm, agent.HostKey)
	h.library, _ = graph.Lookup(realm, session.LibraryKey)
	t.Cleanup(h.close)
	return h
}

func (h *house) close() {
	if err := h.graph.Close(context.Background()); err != nil {
		h.t.Error(err)
	}
}

// openGate admits every turn in the mode it asks for.
type openGate struct{}

func (openGate) Admit(_ context.Context, _ *session.Log, _ int, mode string) (string, error) {
	if mode == "" {
		mode = agent.Manual
	}
	return mode, nil
}

func (h *house) create() *agent.Agent {
	h.t.Helper()
	a, err := h.host.Create(h.t.Context(), agent.Spec{Folder: h.t.TempDir()})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) send(a *agent.Agent, text string) string {
	h.t.Helper()
	id, err := a.Send(h.t.Context(), agent.Input{Content: llm.Text(text)})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

// say sends and waits until everything is done.
func (h *house) say(a *agent.Agent, text string) {
	h.t.Helper()
	h.send(a, text)
	h.idle(a)
}

func (h *house) idle(a *agent.Agent) {
	h.t.Helper()
	if err := a.Idle(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// until waits for an event of a kind and gives it.
func (h *house) until(a *agent.Agent, kind string) session.Event {
	h.t.Helper()
	for f, err := range a.Log().Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Event != nil && f.Event.Type == kind {
			return *f.Event
		}
	}
	h.t.Fatalf("no %s came", kind)
	return session.Event{}
}

func (h *house) events(a *agent.Agent) []session.Event {
	h.t.Helper()
	var all []session.Event
	for e, err := range a.Log().Events(1) {
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// ends gives the ends of all turns.
func (h *house) ends(a *agent.Agent) []session.TurnEndData {
	return decoded(h, a, session.TurnEnd)
}

func decoded[T any](h *house, a *agent.Agent, kind session.Kind[T]) []T {
	h.t.Helper()
	var all []T
	for _, e := range h.events(a) {
		if !kind.Of(e) {
			continue
		}
		d, err := kind.Decode(e)
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// outline gives the kinds of a log in order, with what tells them apart.
func (h *house) outline(a *agent.Agent) []string {
	h.t.Helper()
	var out []string
	for _, e := range h.events(a) {
		line := e.Type
		switch e.Type {
		case session.UserMessage.Name:
			d, err := session.UserMessage.Decode(e)
			if err != nil {
				h.t.Fatal(err)
			}
			line += " " + llm.Plain(d.Content)
		case session.InboxChanged.Name:
			d, err := session.InboxChanged.Decode(e)
			if err != nil {
				h.t.Fatal(err)
			}
			line += " " + d.Op
		case session.AssistantDelta.Name:
			continue // when packs are written depends on the clock
		}
		out = append(out, line)
	}
	return out
}

// function is a tool made of a function of the arguments.
type function struct {
	name string
	run  func(ctx context.Context, args map[string]any) (*tool.Result, error)
}

func (f function) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: f.name, Description: "a tool of a test", Parameters: json.RawMessage(`{"type": "object"}`)}
}

func (f function) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	var args map[string]any
	if err := c.Decode(&args); err != nil {
		return nil, err
	}
	return f.run(ctx, args)
}

// echo gives back what it was given.
func echo() tool.Tool {
	return function{"echo", func(_ context.Context, args map[string]any) (*tool.Result, error) {
		text, _ := args["text"].(string)
		return tool.Text(text), nil
	}}
}

// gate blocks a call until it is opened or stopped.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

func (g *gate) tool() tool.Tool {
	return function{"block", func(ctx context.Context, _ map[string]any) (*tool.Result, error) {
		close(g.entered)
		select {
		case <-g.open:
			return tool.Text("opened"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

type fiber = graph.Fiber

// plugin makes a plugin of a function.
func plugin(apply func(f *fiber)) []graph.Plugin {
	return []graph.Plugin{{Name: "of the test", Apply: func(f *graph.Fiber, _ any) error { apply(f); return nil }}}
}
