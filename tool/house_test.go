package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// house is a graph with a registry and a session to call tools in.
type house struct {
	t     testing.TB
	graph *graph.Graph
	tools *tool.Registry
	log   *session.Log
	store *counting
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{}), store: newCounting(t)}
	h.plug("tools", tool.Plugin())
	h.tools, _ = graph.Lookup(h.graph.Root().Realm(), tool.RegistryKey)
	lib := session.NewLibrary(session.Options{Store: h.store, Kinds: session.NewKindTable(session.Kinds(), tool.Kinds()), Projections: tool.Projections()})
	log, err := lib.Create(t.Context(), session.CreatedData{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	h.log = log
	t.Cleanup(func() {
		if err := errors.Join(log.Close(context.Background()), h.graph.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return h
}

// plug runs a plugin and waits until it is active.
func (h *house) plug(id string, p graph.Plugin) *graph.Fiber {
	h.t.Helper()
	f, err := h.graph.Root().Plug(id, p, nil)
	if err == nil {
		err = f.Ready(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// apply runs code as a plugin of its own.
func (h *house) apply(id string, code func(f *graph.Fiber) error) *graph.Fiber {
	h.t.Helper()
	return h.plug(id, graph.Plugin{Name: id, Apply: func(f *graph.Fiber, _ any) error { return code(f) }})
}

func (h *house) register(tools ...tool.Tool) *graph.Fiber {
	h.t.Helper()
	return h.apply("tools-"+tools[0].Schema().Name, func(f *graph.Fiber) error {
		for _, one := range tools {
			if err := h.tools.Register(f, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// decide mounts a gate that gives every call the same verdict.
func (h *house) decide(v tool.Verdict) {
	h.apply("gate", func(f *graph.Fiber) error {
		tool.PreExecute.On(f, func(_ context.Context, _ *tool.Call, _ func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			return v, nil
		})
		return nil
	})
}

// answer mounts an asker that gives every question the same answer.
func (h *house) answer(a tool.Answer, err error) {
	h.plug("asker", graph.Plugin{Name: "asker", Provides: []graph.AnyKey{tool.AskKey}, Apply: func(f *graph.Fiber, _ any) error {
		return graph.Provide(f, tool.AskKey, tool.Asker(asker{a, err}))
	}})
}

type asker struct {
	answer tool.Answer
	err    error
}

func (a asker) Approve(ctx context.Context, c *tool.Call, v tool.Verdict) (tool.Answer, error) {
	d := tool.DecidedData{Call: c.ID, Decision: "approved", By: "person"}
	if !a.answer.Approved {
		d.Decision, d.By = "denied", a.answer.DeniedBy
	}
	if a.err != nil {
		return tool.Answer{}, a.err
	}
	_, err := c.Log.Append(ctx, tool.Asked.New(c.Turn, c.Step, tool.AskedData{Call: c.ID, Tool: c.Tool}), tool.Decided.New(c.Turn, c.Step, d))
	return a.answer, err
}

func (a asker) Record(ctx context.Context, c *tool.Call, v tool.Verdict) error {
	d := tool.DecidedData{Call: c.ID, Decision: "allowed", By: v.By, Reason: v.Reason}
	if v.Decision == tool.Deny {
		d.Decision, d.By = "denied", v.DeniedBy
	}
	_, err := c.Log.Append(ctx, tool.Decided.New(c.Turn, c.Step, d))
	return err
}

// call makes a call of the model.
func (h *house) call(name, raw string) *tool.Call {
	return &tool.Call{ModelID: "m-" + name, Caller: "model", Tool: name, Raw: raw, Log: h.log, Turn: 1, Step: 1, Folder: h.log.Header().Folder}
}

func (h *house) run(calls ...*tool.Call) []tool.Outcome {
	return h.tools.Batch(h.t.Context(), h.graph.Root().Realm(), calls)
}

// story tells the log in short words: kind and, where it says one, the call.
func (h *house) story() []string {
	h.t.Helper()
	var lines []string
	for e, err := range h.log.Events(2) {
		if err != nil {
			h.t.Fatal(err)
		}
		var d struct{ Call, Decision, By, Code, DeniedBy string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			h.t.Fatal(err)
		}
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(e.Type, " ", d.Call, " ", d.Decision, " ", d.By, " ", d.Code, " ", d.DeniedBy)), " "))
	}
	return lines
}

// probe is a tool whose behaviour a test sets.
type probe struct {
	name     string
	params   string
	body     func(ctx context.Context, c *tool.Call) (*tool.Result, error)
	looks    bool
	parallel bool
}

func (p *probe) Schema() llm.ToolSchema {
	params := p.params
	if params == "" {
		params = `{"type":"object"}`
	}
	return llm.ToolSchema{Name: p.name, Description: "a probe", Parameters: json.RawMessage(params)}
}

func (p *probe) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	if p.body == nil {
		return tool.Text("ran " + p.name), nil
	}
	return p.body(ctx, c)
}

func (p *probe) ReadOnly(*tool.Call) bool { return p.looks }
func (p *probe) Parallel(*tool.Call) bool { return p.parallel }

// text is what the model reads of an outcome.
func text(o tool.Outcome) string { return llm.Plain(o.Logged.Content) }

// counting is the store on files, with the log's lines failing when a test wants it.
type counting struct {
	*store.Files
	broken atomic.Pointer[error]
	// unsynced is why nothing reaches the disk.
	unsynced atomic.Pointer[error]
}

func newCounting(tb testing.TB) *counting {
	return &counting{Files: store.New(store.Options{Dir: tb.TempDir()})}
}

// count is how often somebody waited for the disk.
func (c *counting) count() int64 {
	_, rounds := c.Syncs()
	return rounds
}

func (c *counting) breaks(err error) { c.broken.Store(&err) }

func (c *counting) Create(ctx context.Context, id session.ID) (session.Writer, error) {
	w, err := c.Files.Create(ctx, id)
	return breaking{w, c}, err
}

type breaking struct {
	session.Writer
	store *counting
}

func (b breaking) Append(lines []byte) error {
	if err := b.store.broken.Load(); err != nil && *err != nil {
		return *err
	}
	return b.Writer.Append(lines)
}
