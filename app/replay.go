package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// Replayed is what came of running a session again.
type Replayed struct {
	Session session.ID `json:"session"`
	Turns   int        `json:"turns"`
	// Requests counts those that came out the same, byte for byte.
	Requests int `json:"requests"`
	// Divergence is the first place where this build does something else; nil where
	// there is none.
	Divergence *Divergence `json:"divergence,omitempty"`
}

// Divergence is a place where a session that is run again goes another way.
type Divergence struct {
	Turn    int    `json:"turn"`
	Request int    `json:"request"` // the request that differs or is missing
	What    string `json:"what"`
	// Offset is where the bytes begin to differ; Recorded and Replayed show both
	// from a little before it.
	Offset   int    `json:"offset,omitempty"`
	Recorded string `json:"recorded,omitempty"`
	Replayed string `json:"replayed,omitempty"`
}

// Replay runs a session again: the real inbox, loop, pipeline and encoders, with the
// model's replies, the tools' results and everything that was said taken from the
// log. Nothing is sent, no tool runs, and the new log is thrown away. Every request
// must come out as it was sent; the first one that does not is the divergence.
func Replay(ctx context.Context, log *session.Log) (_ *Replayed, err error) {
	tape, err := record(log)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "fairlead-replay-")
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "app.replay", err, "No folder could be made for the replay. Nothing was run.")
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	house, err := tape.house(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, house.Close(context.WithoutCancel(ctx))) }()
	host, ok := graph.Lookup(house.Root().Realm(), agent.HostKey)
	if !ok {
		return nil, fault.New(fault.Internal, "app.replay", "The loop did not start.")
	}
	driver, err := host.Create(ctx, agent.Spec{Mode: agent.Bypass, Model: replayRoute})
	if err != nil {
		return nil, err
	}
	r := &Replayed{Session: log.ID()}
	for _, turn := range tape.turns {
		r.Turns++
		if _, err := driver.Send(ctx, agent.Input{Content: llm.Text("."), Mode: agent.Bypass}); err != nil {
			return nil, err
		}
		if err := driver.Idle(ctx); err != nil {
			return nil, err
		}
		if r.Divergence, err = tape.compare(driver.Log(), turn, r); err != nil || r.Divergence != nil {
			return r, err
		}
	}
	return r, nil
}

// compare holds the requests of a turn against the recorded ones.
func (t *tape) compare(again *session.Log, turn *tapeTurn, r *Replayed) (*Divergence, error) {
	for _, s := range turn.steps {
		for _, h := range s.headers {
			n := r.Requests + 1
			now, header, err := agent.Rebuild(again, n, encoder)
			if fault.Is(err, fault.NotFound) {
				return &Divergence{Turn: turn.number, Request: h.Request, What: "the turn ended before this request: " + t.ended(again)}, nil
			}
			if err != nil {
				return nil, err
			}
			if header.Body == h.Body {
				r.Requests++
				continue
			}
			then, _, err := agent.Rebuild(t.log, h.Request, encoder)
			if err != nil && fault.CodeOf(err) != agent.CodeNotReproduced {
				return nil, err
			}
			return differ(turn.number, h.Request, then, now), nil
		}
	}
	if extra, _, err := agent.Rebuild(again, r.Requests+1, encoder); err == nil {
		return &Divergence{Turn: turn.number, Request: r.Requests + 1, What: "the turn goes on where it ended", Replayed: excerpt(extra, max(0, len(extra)-200))}, nil
	}
	return nil, nil
}

func differ(turn, request int, then, now []byte) *Divergence {
	at := 0
	for at < len(then) && at < len(now) && then[at] == now[at] {
		at++
	}
	return &Divergence{Turn: turn, Request: request, What: "the request differs", Offset: at, Recorded: excerpt(then, at), Replayed: excerpt(now, at)}
}

// excerpt shows bytes around an offset as text.
func excerpt(b []byte, at int) string {
	return string(bytes.ToValidUTF8(b[max(0, at-40):min(len(b), at+160)], []byte("�")))
}

// ended says how the last turn of a log ended.
func (t *tape) ended(log *session.Log) string {
	end := "it has no end"
	for e, err := range log.Events(1) {
		if err != nil {
			return err.Error()
		}
		if session.TurnEnd.Of(e) {
			if d, err := session.TurnEnd.Decode(e); err == nil {
				end = fmt.Sprintf("%s %s", d.Reason.Kind, d.Text)
			}
		}
	}
	return end
}

// replayRoute is the name of the route that plays the recorded replies.
const replayRoute = "replay"

// house is the smallest composition in which the loop runs: no gate is needed where
// nothing can run.
func (t *tape) house(ctx context.Context, dir string) (*graph.Graph, error) {
	g := graph.New(graph.Options{})
	var rows []graph.Plugin
	rows = append(rows, store.Plugin(dir), session.Plugin(session.Options{Kinds: kinds(), Projections: projections(permission.NewMark()), Version: "replay"}), llm.Plugin(), tool.Plugin(), t.plugin())
	for _, p := range agent.Plugins() {
		if p.Name == "agent" {
			rows = append(rows, p)
		}
	}
	for _, p := range rows {
		var cfg any
		if p.Config != nil {
			cfg = p.Config()
		}
		if _, err := g.Root().Plug(p.Name, p, cfg); err != nil {
			return nil, errors.Join(err, g.Close(ctx))
		}
	}
	err := g.Root().Ready(ctx)
	if err == nil {
		t.root = g.Root()
		err = t.show(ctx, t.first())
	}
	if err != nil {
		return nil, errors.Join(err, g.Close(context.WithoutCancel(ctx)))
	}
	return g, nil
}

// show puts up the prompt and the tools that a request was sent with.
func (t *tape) show(ctx context.Context, h session.RequestHeaderData) error {
	if t.face != nil && h.System == t.shown.System && h.Tools == t.shown.Tools {
		return nil
	}
	system, err1 := t.log.Blob(h.System)
	text, err2 := t.log.Blob(h.Tools)
	var schemas []llm.ToolSchema
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &schemas); err != nil {
		return fault.Wrap(fault.Internal, "app.replay", err, "The tools of request %d cannot be read.", h.Request)
	}
	if t.face != nil {
		if err := t.face.Dispose(ctx); err != nil {
			return err
		}
	}
	face, err := t.root.Plug("face", graph.Plugin{Name: "face", Apply: func(f *graph.Fiber, _ any) error {
		errs := []error{t.sections.Add(f, agent.Section{Name: "recorded", Text: string(system)})}
		var names []string
		shown := map[string]bool{"": true}
		for _, s := range schemas {
			shown[s.Name] = true
			errs = append(errs, t.registry.Register(f, &tapeTool{t, s}))
			names = append(names, s.Name)
		}
		t.registry.Reserve(f, tool.Reservation{Except: names, Say: t.unknown})
		for name := range t.called {
			if !shown[name] {
				errs = append(errs, t.registry.Register(f, &rareTapeTool{tapeTool{t, llm.ToolSchema{Name: name}}}))
			}
		}
		return errors.Join(errs...)
	}}, nil)
	if err != nil {
		return err
	}
	t.face, t.shown = face, h
	return face.Ready(ctx)
}

// plugin puts the tape in the place of everything outside the loop.
func (t *tape) plugin() graph.Plugin {
	return graph.Plugin{
		Name:     "tape",
		Doc:      "plays a recorded session",
		Inject:   []graph.Dependency{graph.Needs(llm.RoutesKey), graph.Needs(tool.RegistryKey)},
		Provides: []graph.AnyKey{agent.SectionsKey},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err1 := graph.Get(f, llm.RoutesKey)
			tools, err2 := graph.Get(f, tool.RegistryKey)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			t.registry, t.sections = tools, &agent.Sections{}
			tool.PreExecute.On(f, func(context.Context, *tool.Call, func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
				return tool.Verdict{Decision: tool.Allow, By: "replay", Reason: "nothing runs"}, nil
			})
			agent.PreStep.On(f, t.preStep)
			agent.Request.On(f, t.request)
			agent.RequestError.On(f, t.again)
			agent.TurnStopping.On(f, t.stopping)
			if err := routes.Register(f, t.route(t.first())); err != nil {
				return err
			}
			return graph.Provide(f, agent.SectionsKey, t.sections)
		},
	}
}

// unknown is what was said to a call of a tool that was not in the request.
func (t *tape) unknown(call *tool.Call) string {
	s := t.step(call.Turn, call.Step)
	if s == nil {
		return ""
	}
	for _, r := range s.results {
		if r.ModelID == call.ModelID && r.Code == tool.CodeUnknownTool {
			return llm.Plain(r.Content)
		}
	}
	return ""
}

// tapeTool answers a call with what was recorded.
type tapeTool struct {
	tape   *tape
	schema llm.ToolSchema
}

// rareTapeTool is one that was called through tool_use.
type rareTapeTool struct{ tapeTool }

// Rare keeps it out of requests.
func (*rareTapeTool) Rare() string { return "" }

func (t *tapeTool) Schema() llm.ToolSchema { return t.schema }

func (t *tapeTool) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	s := t.tape.step(call.Turn, call.Step)
	if s == nil {
		return nil, fault.New(fault.NotFound, "app.replay", "Step %d.%d was not recorded.", call.Turn, call.Step)
	}
	for i, r := range s.results {
		if r.ModelID == call.ModelID {
			s.results = append(s.results[:i:i], s.results[i+1:]...)
			return &tool.Result{Content: r.Content, Failed: r.Failed, Code: r.Code, View: json.RawMessage(r.View)}, nil
		}
	}
	return nil, fault.New(fault.NotFound, "app.replay", "No result of the call %s was recorded.", call.ModelID)
}
