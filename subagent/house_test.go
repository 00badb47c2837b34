package subagent_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/store"
	"fairlead/subagent"
	"fairlead/tool"
)

// house is the rooms around helpers with a scripted model in process: everything but
// the model is the real one.
type house struct {
	t       *testing.T
	graph   *graph.Graph
	host    *agent.Host
	library *session.Library
	tools   *tool.Registry
	routes  *llm.Routes
	helpers *graph.Fiber
	model   *model
}

// blueprint says how a house differs from the usual one.
type blueprint struct {
	dir    string // of an earlier house, to go on there
	script string
	config subagent.Config
	slots  int
	gated  bool // requests of helpers wait until the test lets them through
}

func build(t *testing.T, b blueprint) *house {
	t.Helper()
	if b.dir == "" {
		b.dir = t.TempDir()
	}
	script, err := scripted.Parse(b.script)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, graph: graph.New(graph.Options{}), model: &model{Adapter: scripted.New(script), gated: b.gated, let: make(chan struct{})}}
	plug := func(p graph.Plugin, cfg any) *graph.Fiber {
		f, err := h.graph.Root().Plug(p.Name, p, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	plug(store.Plugin(b.dir), nil)
	plug(session.Plugin(session.Options{Kinds: session.NewKindTable(session.Kinds(), tool.Kinds(), subagent.Kinds()),
		Projections: append(agent.Projections(), subagent.Projections()...), Version: "test"}), nil)
	plug(llm.Plugin(), nil)
	plug(tool.Plugin(), nil)
	for _, p := range agent.Plugins() {
		var cfg any
		if p.Config != nil {
			cfg = p.Config()
		}
		plug(p, cfg)
	}
	plug(graph.Plugin{Name: "model", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
		routes, err := graph.Get(f, llm.RoutesKey)
		if err != nil {
			return err
		}
		return routes.Register(f, llm.Route{Name: "test/scripted", Model: llm.Model{ID: "scripted", Slots: b.slots}, Adapter: h.model, Wire: "scripted"})
	}}, nil)
	plug(graph.Plugin{Name: "gate", Provides: []graph.AnyKey{agent.GateKey}, Apply: func(f *graph.Fiber, _ any) error {
		tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		return graph.Provide[agent.Gate](f, agent.GateKey, openGate{})
	}}, nil)
	h.helpers = plug(subagent.Plugin(), &b.config)
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
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.routes, _ = graph.Lookup(realm, llm.RoutesKey)
	t.Cleanup(h.close)
	return h
}

// close ends the process as the product does: agents first, then everything else.
func (h *house) close() {
	if err := errors.Join(h.host.Shutdown(context.Background()), h.graph.Close(context.Background())); err != nil {
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

// model is the scripted one, which counts how many requests of helpers it works on.
type model struct {
	llm.Adapter
	gated bool
	let   chan struct{} // each that is sent lets one request of a helper through

	mu         sync.Mutex
	busy, most int
}

func (m *model) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	chunks := m.Adapter.Stream(ctx, body)
	if !strings.Contains(string(body), "You are a helper") {
		return chunks
	}
	return func(yield func(llm.Chunk, error) bool) {
		m.count(1)
		defer m.count(-1)
		if m.gated {
			select {
			case <-m.let:
			case <-ctx.Done():
				yield(llm.Chunk{}, &llm.Error{Code: llm.CodeInterrupted, RetryAfter: -1, Err: ctx.Err()})
				return
			}
		}
		chunks(yield)
	}
}

func (m *model) count(by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy += by
	m.most = max(m.most, m.busy)
}

func (h *house) create() *agent.Agent {
	h.t.Helper()
	a, err := h.host.Create(h.t.Context(), agent.Spec{Folder: h.t.TempDir()})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) send(a *agent.Agent, text string) {
	h.t.Helper()
	if _, err := a.Send(h.t.Context(), agent.Input{Content: llm.Text(text)}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) quiet(a *agent.Agent) {
	h.t.Helper()
	if err := a.Quiet(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) family(log *session.Log) []subagent.Member {
	h.t.Helper()
	f, err := session.StateOf(log, subagent.Helpers)
	if err != nil {
		h.t.Fatal(err)
	}
	return f.Helpers
}

// until waits for the n-th event of a kind in a session.
func (h *house) until(a *agent.Agent, kind string, n int) {
	h.t.Helper()
	for f, err := range a.Log().Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Event != nil && f.Event.Type == kind {
			if n--; n == 0 {
				return
			}
		}
	}
	h.t.Fatalf("not enough of %s came", kind)
}

func decoded[T any](h *house, log *session.Log, kind session.Kind[T]) []T {
	h.t.Helper()
	var all []T
	for e, err := range log.Events(1) {
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
