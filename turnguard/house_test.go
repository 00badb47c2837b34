package turnguard_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/turnguard"
)

// house is the rooms around the loop with a scripted model in process: everything
// but the model is the real one.
type house struct {
	t     testing.TB
	graph *graph.Graph
	host  *agent.Host
}

// blueprint says how a house differs from the usual one.
type blueprint struct {
	script  string
	model   llm.Model
	budgets turnguard.Budgets
	price   *llm.Price // of every model; nil where prices are unknown
	tools   []tool.Tool
	plugins []graph.Plugin
}

func build(t testing.TB, b blueprint) *house {
	t.Helper()
	script, err := scripted.Parse(b.script)
	if err != nil {
		t.Fatal(err)
	}
	if b.model.ID == "" {
		b.model.ID = script.Model
	}
	dir := t.TempDir() // removed after the graph is closed
	h := &house{t: t, graph: graph.New(graph.Options{})}
	t.Cleanup(func() {
		if err := h.graph.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	plug := func(p graph.Plugin, cfg any) {
		if cfg == nil && p.Config != nil {
			cfg = p.Config()
		}
		if _, err := h.graph.Root().Plug(p.Name, p, cfg); err != nil {
			t.Fatal(err)
		}
	}
	projections := append(agent.Projections(), turnguard.Projections()...)
	plug(store.Plugin(dir), nil)
	plug(session.Plugin(session.Options{Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), turnguard.Kinds()), Projections: projections, Version: "test"}), nil)
	plug(llm.Plugin(), nil)
	plug(tool.Plugin(), nil)
	for _, p := range agent.Plugins() {
		plug(p, nil)
	}
	for _, p := range turnguard.Plugins() {
		if p.Name == turnguard.BudgetRow {
			plug(p, &b.budgets)
			continue
		}
		plug(p, nil)
	}
	plug(graph.Plugin{Name: "of the test", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey), graph.Needs(tool.RegistryKey)}, Provides: []graph.AnyKey{agent.GateKey, llm.PricesKey}, Apply: func(f *graph.Fiber, _ any) error {
		routes, err := graph.Get(f, llm.RoutesKey)
		if err != nil {
			return err
		}
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
				return tool.Verdict{Decision: tool.Deny, DeniedBy: "rule", Reason: "not here"}, nil
			}
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		if b.price != nil {
			if err := graph.Provide[llm.Prices](f, llm.PricesKey, prices(*b.price)); err != nil {
				return err
			}
		}
		if err := graph.Provide[agent.Gate](f, agent.GateKey, openGate{}); err != nil {
			return err
		}
		return routes.Register(f, llm.Route{Name: "test/" + b.model.ID, Model: b.model, Adapter: scripted.New(script), Wire: "scripted"})
	}}, nil)
	for _, p := range b.plugins {
		plug(p, nil)
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.host, _ = graph.Lookup(h.graph.Root().Realm(), agent.HostKey)
	return h
}

type prices llm.Price

func (p prices) Price(llm.Route) (llm.Price, bool) { return llm.Price(p), true }

type openGate struct{}

func (openGate) Admit(_ context.Context, _ *session.Log, _ int, mode string) (string, error) {
	return mode, nil
}

func (h *house) create(spec agent.Spec) *agent.Agent {
	h.t.Helper()
	if spec.Folder == "" {
		spec.Folder = h.t.TempDir()
	}
	a, err := h.host.Create(h.t.Context(), spec)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// say sends, waits until everything is done, and gives how the turn ended.
func (h *house) say(a *agent.Agent, in agent.Input) session.TurnEndData {
	h.t.Helper()
	if in.Content == nil {
		in.Content = llm.Text("go")
	}
	if _, err := a.Send(h.t.Context(), in); err != nil {
		h.t.Fatal(err)
	}
	return h.last(a)
}

// last waits until everything is done and gives how the last turn ended.
func (h *house) last(a *agent.Agent) session.TurnEndData {
	h.t.Helper()
	if err := a.Idle(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	ends := decoded(h, a, session.TurnEnd)
	return ends[len(ends)-1]
}

func decoded[T any](h *house, a *agent.Agent, kind session.Kind[T]) []T {
	h.t.Helper()
	var all []T
	for e, err := range a.Log().Events(1) {
		if err != nil {
			h.t.Fatal(err)
		}
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

// echo gives back what it was given; named, it stands for another tool.
type echo string

func (n echo) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: string(n), Description: "a tool of a test", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (echo) Run(_ context.Context, c *tool.Call) (*tool.Result, error) {
	var args struct{ Text, Fail string }
	if err := c.Decode(&args); err != nil {
		return nil, err
	}
	r := tool.Text(args.Text + args.Fail)
	r.Failed = args.Fail != ""
	return r, nil
}
