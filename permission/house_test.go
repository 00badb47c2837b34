package permission_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/store"
	"fairlead/tool"
)

// house is a pipeline with the gate in it and one session.
type house struct {
	t      *testing.T
	graph  *graph.Graph
	tools  *tool.Registry
	gate   *permission.Service
	lib    *session.Library
	log    *session.Log
	folder string
	turn   int
	people *graph.Fiber

	room       *graph.Fiber // of its session, where that was opened as the host does
	trusted    chan string  // folders for which trust has changed
	permission *graph.Fiber
	ran        sync.Map // what commands ran under, by call id
}

// homes are where a house keeps things; two houses on the same ones are a restart.
type homes struct{ data, work string }

func newHomes(t *testing.T) homes {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return homes{data: t.TempDir(), work: work}
}

func newHouse(t *testing.T, at homes, change func(*permission.Options)) *house {
	t.Helper()
	h := &house{t: t, folder: at.work}
	o := permission.Options{Mark: permission.NewMark(), Sessions: func() (*session.Library, bool) { return h.lib, true }, Own: []string{at.data}, Probe: func() sandbox.Report {
		return sandbox.Report{Files: "landlock", Network: "namespace"}
	}}
	if change != nil {
		change(&o)
	}
	h.graph = graph.New(graph.Options{})
	h.plug("tools", tool.Plugin())
	h.permission = h.plug("permission", permission.Plugin(o))
	h.tools, _ = graph.Lookup(h.graph.Root().Realm(), tool.RegistryKey)
	h.gate, _ = graph.Lookup(h.graph.Root().Realm(), permission.Key)
	h.lib = session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: at.data}),
		Kinds:       session.NewKindTable(session.Kinds(), tool.Kinds(), permission.Kinds()),
		Projections: slices.Concat(tool.Projections(), permission.Projections(o.Mark))})
	h.log = h.create(at.work)
	h.plug("tools of the test", graph.Plugin{Name: "test tools", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)}, Apply: func(f *graph.Fiber, _ any) error {
		tools, err := graph.Get(f, tool.RegistryKey)
		if err != nil {
			return err
		}
		return errors.Join(tools.Register(f, looking{}), tools.Register(f, writing{}), tools.Register(f, running{&h.ran}), tools.Register(f, strange{}))
	}})
	t.Cleanup(func() {
		if err := h.graph.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) create(folder string) *session.Log {
	h.t.Helper()
	log, err := h.lib.Create(h.t.Context(), session.CreatedData{Folder: folder})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := log.Close(context.Background()); err != nil {
			h.t.Error(err)
		}
	})
	return log
}

func (h *house) plug(id string, p graph.Plugin) *graph.Fiber {
	h.t.Helper()
	f, err := h.graph.Root().Plug(id, p, nil)
	if err == nil {
		err = h.graph.Settle(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// attended lets somebody be there to answer.
func (h *house) attended() *house {
	h.people = h.plug("people", graph.Plugin{Name: "people", Apply: func(f *graph.Fiber, _ any) error {
		h.gate.Attend(f)
		return nil
	}})
	return h
}

// begin starts a turn in a mode, as the agent does.
func (h *house) begin(mode, origin string) {
	h.t.Helper()
	h.turn++
	admitted, err := h.gate.Admit(h.t.Context(), h.log, h.turn, mode)
	if err != nil {
		h.t.Fatal(err)
	}
	h.append(session.TurnStart.New(h.turn, 0, session.TurnStartData{Mode: admitted, Origin: origin}))
}

func (h *house) append(drafts ...session.Draft) {
	h.t.Helper()
	if _, err := h.log.Append(h.t.Context(), drafts...); err != nil {
		h.t.Fatal(err)
	}
}

// call makes a call of the running turn and waits for its result.
func (h *house) call(ctx context.Context, name, args string) *session.ToolResultData {
	return h.tools.Execute(ctx, h.graph.Root().Realm(), &tool.Call{Tool: name, Raw: args, Caller: "model", Log: h.log, Turn: h.turn, Step: 1, Folder: h.folder})
}

// asking makes a call that is asked about and gives the question and where the
// result will be.
func (h *house) asking(ctx context.Context, name, args string) (permission.Waiting, <-chan *session.ToolResultData) {
	h.t.Helper()
	from := h.log.Seq()
	result := make(chan *session.ToolResultData, 1)
	go func() { result <- h.call(ctx, name, args) }()
	h.await(from, tool.Asked.Name)
	waiting := h.gate.Waiting(h.log.ID())
	if len(waiting) != 1 {
		h.t.Fatalf("%d questions wait", len(waiting))
	}
	return waiting[0], result
}

// await returns the first event of a kind after a seq.
func (h *house) await(after int64, kind string) session.Event {
	h.t.Helper()
	for f, err := range h.log.Watch(h.t.Context(), after) {
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

func (h *house) decide(w permission.Waiting, d permission.Decision) error {
	d.Session = string(w.Session)
	if d.Hash == "" {
		d.Hash = w.Hash
	}
	return h.gate.Decide(h.t.Context(), w.Call, d)
}

// decisions are the decision rows so far.
func (h *house) decisions() []tool.DecidedData {
	h.t.Helper()
	var list []tool.DecidedData
	for e, err := range h.log.Events(1) {
		if err != nil {
			h.t.Fatal(err)
		}
		if tool.Decided.Of(e) {
			d, err := tool.Decided.Decode(e)
			if err != nil {
				h.t.Fatal(err)
			}
			list = append(list, d)
		}
	}
	return list
}

func (h *house) last() tool.DecidedData {
	h.t.Helper()
	list := h.decisions()
	if len(list) == 0 {
		h.t.Fatal("nothing was decided")
	}
	return list[len(list)-1]
}

// schema takes any object.
func schema(name string) llm.ToolSchema {
	return llm.ToolSchema{Name: name, Description: name, Parameters: []byte(`{"type":"object"}`)}
}

type arguments struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Command string `json:"command"`
}

func argsOf(c *tool.Call) arguments {
	var a arguments
	_ = c.Decode(&a) // checked by the pipeline
	return a
}

func at(c *tool.Call) string {
	p := argsOf(c).Path
	if !filepath.IsAbs(p) {
		p = filepath.Join(c.Folder, p)
	}
	return p
}

// looking reads a file.
type looking struct{}

func (looking) Schema() llm.ToolSchema            { return schema("look") }
func (looking) ReadOnly(*tool.Call) bool          { return true }
func (looking) Touches(c *tool.Call) []tool.Touch { return []tool.Touch{{Path: at(c)}} }
func (looking) Run(_ context.Context, c *tool.Call) (*tool.Result, error) {
	text, err := os.ReadFile(at(c))
	return tool.Text(string(text)), err
}

// writing writes a file, and says that it only looks where the model says so.
type writing struct{}

func (writing) Schema() llm.ToolSchema            { return schema("write") }
func (writing) Touches(c *tool.Call) []tool.Touch { return []tool.Touch{{Path: at(c), Change: true}} }
func (writing) Card(_ context.Context, c *tool.Call) (*tool.Card, error) {
	path, err := c.Resolve(at(c))
	if err != nil {
		return nil, err
	}
	identity, err := tool.Identity(path)
	return &tool.Card{Title: "new-file", Hero: path, Binds: map[string]string{path: identity}, Parts: []tool.CardPart{{Name: "new-file", Kind: "text", Text: argsOf(c).Text}}}, err
}
func (writing) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	path, err := c.Resolve(at(c))
	if err == nil && c.Confirm != nil {
		err = c.Confirm(ctx)
	}
	if err == nil {
		err = os.WriteFile(path, []byte(argsOf(c).Text), 0o600)
	}
	return tool.Text("written"), err
}

// running would have a shell run something; it tells its confinement instead.
type running struct{ ran *sync.Map }

func (running) Schema() llm.ToolSchema { return schema("shell") }
func (running) Command(c *tool.Call) (tool.Command, bool) {
	return tool.Command{Shell: "bash", Text: argsOf(c).Command, Dir: c.Folder}, true
}
func (r running) Run(_ context.Context, c *tool.Call) (*tool.Result, error) {
	r.ran.Store(c.ID, confinement{c.Policy, c.Env})
	return tool.Text("ran"), nil
}

// confinement is what a command ran under.
type confinement struct {
	policy sandbox.Policy
	env    []string
}

// strange says nothing about itself.
type strange struct{}

func (strange) Schema() llm.ToolSchema { return schema("strange") }
func (strange) Run(context.Context, *tool.Call) (*tool.Result, error) {
	return tool.Text("done"), nil
}
