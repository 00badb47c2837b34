package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/ptc"
	"fairlead/script"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// cacheDir keeps the compiled engine for all tests of the package.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ptc-test-")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// house is a graph with the tool run_code, a gate that asks for what is called "ask",
// and a session.
type house struct {
	t      testing.TB
	graph  *graph.Graph
	tools  *tool.Registry
	engine *script.Engine
	log    *session.Log
	asked  chan string // ids of calls that are asked for
	answer chan bool
}

func newHouse(t testing.TB, tools ...tool.Tool) *house {
	t.Helper()
	h := &house{t: t, graph: graph.New(graph.Options{}), asked: make(chan string, 100), answer: make(chan bool, 100)}
	h.plug(tool.Plugin(), nil)
	h.plug(agent.Prompt(), &agent.PromptOptions{})
	h.plug(script.Plugin(script.Options{Cache: cacheDir}), nil)
	h.plug(ptc.Plugin(), &ptc.Options{Only: true, Calls: 200})
	realm := h.graph.Root().Realm()
	h.tools, _ = graph.Lookup(realm, tool.RegistryKey)
	h.engine, _ = graph.Lookup(realm, script.Key)
	h.plug(graph.Plugin{Name: "gate", Provides: []graph.AnyKey{tool.AskKey}, Apply: func(f *graph.Fiber, _ any) error {
		tool.PreExecute.On(f, func(_ context.Context, c *tool.Call, _ func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
			if c.Tool == "ask" {
				return tool.Verdict{Decision: tool.Ask}, nil
			}
			return tool.Verdict{Decision: tool.Allow, By: "mode"}, nil
		})
		return graph.Provide(f, tool.AskKey, tool.Asker(h))
	}}, nil)
	h.plug(graph.Plugin{Name: "probes", Apply: func(f *graph.Fiber, _ any) error {
		for _, one := range tools {
			if err := h.tools.Register(f, one); err != nil {
				return err
			}
		}
		return nil
	}}, nil)
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: t.TempDir()}), Kinds: session.NewKindTable(session.Kinds(), tool.Kinds()), Projections: tool.Projections()})
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

func (h *house) plug(p graph.Plugin, cfg any) {
	h.t.Helper()
	f, err := h.graph.Root().Plug(p.Name, p, cfg)
	if err == nil {
		err = f.Ready(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// Approve is [tool.Asker]: it tells that it was asked and waits for the test's answer.
func (h *house) Approve(ctx context.Context, c *tool.Call, _ tool.Verdict) (tool.Answer, error) {
	h.asked <- c.ID
	select {
	case yes := <-h.answer:
		return tool.Answer{Approved: yes, DeniedBy: "person"}, nil
	case <-ctx.Done():
		return tool.Answer{}, ctx.Err()
	}
}

// Record is [tool.Asker].
func (h *house) Record(ctx context.Context, c *tool.Call, v tool.Verdict) error {
	_, err := c.Log.Append(ctx, tool.Decided.New(c.Turn, c.Step, tool.DecidedData{Call: c.ID, Decision: "allowed", By: v.By}))
	return err
}

// program runs one as the model's call.
func (h *house) program(ctx context.Context, code string) *session.ToolResultData {
	h.t.Helper()
	raw, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.tools.Execute(ctx, h.graph.Root().Realm(), h.call(ptc.Name, string(raw)))
}

func (h *house) call(name, raw string) *tool.Call {
	return &tool.Call{ModelID: "m", Caller: tool.CallerModel, Tool: name, Raw: raw, Log: h.log, Turn: 1, Step: 1}
}

// story tells the log in short words.
func (h *house) story() []string {
	h.t.Helper()
	var lines []string
	for e, err := range h.log.Events(2) {
		if err != nil {
			h.t.Fatal(err)
		}
		var d struct{ Call, Parent, Tool, Code string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			h.t.Fatal(err)
		}
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(e.Type, " ", d.Call, " ", d.Parent, " ", d.Tool, " ", d.Code)), " "))
	}
	return lines
}

// probe is a tool whose behaviour a test sets.
type probe struct {
	name     string
	params   string
	parallel bool
	body     func(ctx context.Context, c *tool.Call) (*tool.Result, error)
}

func (p *probe) Schema() llm.ToolSchema {
	params := p.params
	if params == "" {
		params = `{"type":"object"}`
	}
	return llm.ToolSchema{Name: p.name, Description: "Probes.", Parameters: json.RawMessage(params)}
}

func (p *probe) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	if p.body == nil {
		return tool.Text(p.name + " " + string(c.Args)), nil
	}
	return p.body(ctx, c)
}

func (p *probe) ReadOnly(*tool.Call) bool { return p.parallel }
func (p *probe) Parallel(*tool.Call) bool { return p.parallel }
