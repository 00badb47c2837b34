package toolbox_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
	"fairlead/toolbox"
)

// process is everything a session needs, with a scripted model, on the sessions of a
// folder.
type process struct {
	t     testing.TB
	graph *graph.Graph
	host  *agent.Host
}

type everyMode struct{}

func (everyMode) Admit(_ context.Context, _ *session.Log, _ int, _ string) (string, error) {
	return "bypass", nil
}

func startProcess(t testing.TB, sessions, script string) *process {
	t.Helper()
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, graph: graph.New(graph.Options{})}
	kinds := session.NewKindTable(session.Kinds(), tool.Kinds(), toolbox.Kinds())
	plugins := append([]graph.Plugin{
		store.Plugin(sessions), session.Plugin(session.Options{Kinds: kinds, Projections: append(agent.Projections(), toolbox.Projections()...), Version: "test"}),
		llm.Plugin(), tool.Plugin(), sandbox.Plugin(sandbox.Options{Env: os.Environ(), Home: t.TempDir()}), toolbox.ShellPlugin(),
		{Name: "model", Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)}, Apply: func(f *graph.Fiber, _ any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			return routes.Register(f, llm.Route{Name: "test/scripted", Model: llm.Model{ID: parsed.Model}, Adapter: scripted.New(parsed), Wire: "scripted"})
		}},
		{Name: "gate", Provides: []graph.AnyKey{agent.GateKey}, Apply: func(f *graph.Fiber, _ any) error {
			tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
				return tool.Verdict{Decision: tool.Allow, By: "mode", Policy: sandbox.Policy{Write: []string{"/"}, Network: true}}, nil
			})
			return graph.Provide[agent.Gate](f, agent.GateKey, everyMode{})
		}},
	}, agent.Plugins()...)
	for _, plugin := range plugins {
		var cfg any
		if plugin.Config != nil {
			cfg = plugin.Config()
		}
		if _, err := p.graph.Root().Plug(plugin.Name, plugin, cfg); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.host, _ = graph.Lookup(p.graph.Root().Realm(), agent.HostKey)
	return p
}

func (p *process) end() {
	p.t.Helper()
	if err := p.graph.Close(context.Background()); err != nil {
		p.t.Error(err)
	}
}

// say sends a message and waits until the agent is idle.
func (p *process) say(a *agent.Agent, text string) {
	p.t.Helper()
	if _, err := a.Send(p.t.Context(), agent.Input{Content: llm.Text(text)}); err != nil {
		p.t.Fatal(err)
	}
	if err := a.Idle(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for an event that holds a text.
func until(t testing.TB, log *session.Log, kind, text string) {
	t.Helper()
	for frame, err := range log.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if frame.Event != nil && frame.Event.Type == kind && strings.Contains(string(frame.Event.Data), text) {
			return
		}
	}
}

func TestTheEndOfAJobWakesAnIdleAgent(t *testing.T) {
	p := startProcess(t, t.TempDir(), `
on /^build/
reply
  call shell {"command":"while [ ! -e go ]; do sleep 0.02; done; echo built","background":true}
reply
  say It builds.
on /job-1 .* has ended, exit code 0/
reply
  say I saw it.
`)
	defer p.end()
	folder := t.TempDir()
	a, err := p.host.Create(t.Context(), agent.Spec{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	p.say(a, "build")
	if err := os.WriteFile(folder+"/go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, a.Log(), "assistant/message", "I saw it.")
}

func TestJobsThatEndedWithTheirHostAreToldWithTheNextMessage(t *testing.T) {
	sessions, folder := t.TempDir(), t.TempDir()
	p := startProcess(t, sessions, `
reply
  call shell {"command":"sleep 1000","background":true}
reply
  say It runs.
`)
	a, err := p.host.Create(t.Context(), agent.Spec{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	p.say(a, "serve")
	p.end()
	p = startProcess(t, sessions, `
reply
  say I know.
`)
	defer p.end()
	if a, err = p.host.Open(t.Context(), a.ID()); err != nil {
		t.Fatal(err)
	}
	p.say(a, "go on")
	until(t, a.Log(), "job/ended", `"state":"lost"`)
	until(t, a.Log(), "context/injected", "were running then and are no more: job-1 (sleep 1000)")
	until(t, a.Log(), "assistant/message", "I know.")
}
