package extension

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed package_define.md
var defineText string

//go:embed package_run.md
var runText string

//go:embed package_stop.md
var stopText string

//go:embed package_undefine.md
var undefineText string

//go:embed package_inspect.md
var inspectText string

//go:embed graph_inspect.md
var graphText string

// args are the arguments of all tools of this room.
type args struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
	Code    string `json:"code"`
	Version int    `json:"version"`
	Path    string `json:"path"`
}

func arguments(call *tool.Call) args {
	var a args
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func described(name, text, properties string, required ...string) llm.ToolSchema {
	needs, err := json.Marshal(append([]string{}, required...))
	if err != nil {
		needs = []byte("[]") // names always have a spelling
	}
	return llm.ToolSchema{Name: name, Description: strings.TrimSpace(text),
		Parameters: json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":` + string(needs) + `,"additionalProperties":false}`)}
}

const nameProperty = `"name":{"type":"string"}`

// define is the tool package_define.
type define struct{ shelf *shelf }

func (define) Schema() llm.ToolSchema {
	return described("package_define", defineText, nameProperty+`,"purpose":{"type":"string","description":"one sentence for the person"},"code":{"type":"string"}`, "name", "purpose", "code")
}

// ReadOnly holds because nothing of a definition runs.
func (define) ReadOnly(*tool.Call) bool { return true }

// Nests keeps it apart from calls that look.
func (define) Nests() {}

func (define) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "write", What: "package " + arguments(call).Name}
}

func (t define) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := arguments(call)
	v, err := t.shelf.define(ctx, call, a.Name, a.Purpose, a.Code)
	if err != nil {
		return nil, err
	}
	return tool.Text(fmt.Sprintf("Defined version %d of %s. It does not run yet: package_run starts it.", v.number, a.Name)), nil
}

// start is the tool package_run.
type start struct{ shelf *shelf }

func (start) Schema() llm.ToolSchema {
	return described("package_run", runText, nameProperty+`,"version":{"type":"integer","minimum":1,"description":"the newest where it is left out"}`, "name")
}

func (start) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "run", What: "package " + arguments(call).Name}
}

// Check finds out what would fail before anybody is asked.
func (t start) Check(_ context.Context, call *tool.Call) error {
	a := arguments(call)
	_, _, err := t.shelf.find(a.Name, a.Version)
	return err
}

// Card shows the whole code that would run; the yes is bound to it.
func (t start) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	a := arguments(call)
	_, v, err := t.shelf.find(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	return &tool.Card{Title: "use-tool", Hero: fmt.Sprintf("package_run %s, version %d", a.Name, v.number), Why: v.purpose,
		Parts: []tool.CardPart{{Name: "arguments", Kind: "text", Path: a.Name + ".ts", Text: v.code}}}, nil
}

func (t start) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := arguments(call)
	r, err := t.shelf.run(ctx, call, a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Version %d of %s runs. It offers: %s.", r.version.number, a.Name, strings.Join(r.offered().list(), ", "))
	if len(r.offered().tools) > 0 {
		text += " Its tools are called through tool_use."
	}
	return tool.Text(text), nil
}

// end is the tools package_stop and package_undefine.
type end struct {
	shelf *shelf
	whole bool // with its versions
}

func (t end) Schema() llm.ToolSchema {
	if t.whole {
		return described("package_undefine", undefineText, nameProperty, "name")
	}
	return described("package_stop", stopText, nameProperty, "name")
}

// ReadOnly holds because what a package did stays, and what it could do only gets less.
func (end) ReadOnly(*tool.Call) bool { return true }

// Nests keeps it apart from calls that look.
func (end) Nests() {}

func (t end) Present(call *tool.Call) session.Present {
	verb := "stop"
	if t.whole {
		verb = "undefine"
	}
	return session.Present{Verb: "use", What: verb + " package " + arguments(call).Name}
}

func (t end) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	name := arguments(call).Name
	if t.whole {
		if err := t.shelf.undefine(ctx, call.Log, call.Turn, call.Step, name, "model"); err != nil {
			return nil, err
		}
		return tool.Text(name + " is gone with all its versions."), nil
	}
	number, err := t.shelf.stop(ctx, call.Log, call.Turn, call.Step, name, "model")
	if err != nil {
		return nil, err
	}
	return tool.Text(fmt.Sprintf("Version %d of %s was stopped; its versions are kept.", number, name)), nil
}

// inspect is the tool package_inspect.
type inspect struct{ shelf *shelf }

func (inspect) Schema() llm.ToolSchema {
	return described("package_inspect", inspectText, nameProperty+`,"version":{"type":"integer","minimum":1}`)
}

func (inspect) ReadOnly(*tool.Call) bool { return true }
func (inspect) Parallel(*tool.Call) bool { return true }

func (inspect) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "read", What: strings.TrimSpace("packages " + arguments(call).Name)}
}

func (t inspect) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	a := arguments(call)
	if a.Name == "" {
		return shown(t.shelf.list())
	}
	_, v, err := t.shelf.find(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	for _, p := range t.shelf.list() {
		if p.Name == a.Name {
			about, err := json.Marshal(p)
			return tool.Text(fmt.Sprintf("%s\n\nVersion %d:\n%s", about, v.number, v.code)), err
		}
	}
	return nil, fault.New(fault.NotFound, "extension.inspect", "%s has just gone.", a.Name)
}

// look is the tool graph_inspect: the process as the person sees it.
type look struct{}

func (look) Schema() llm.ToolSchema {
	return described("graph_inspect", graphText, `"path":{"type":"string","description":"only the fibers at or below this path"}`)
}

func (look) ReadOnly(*tool.Call) bool { return true }
func (look) Parallel(*tool.Call) bool { return true }

func (look) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "read", What: strings.TrimSpace("graph " + arguments(call).Path)}
}

func (look) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	view, ok := command.FindView(ctx, call.Realm(), "graph")
	if !ok {
		return nil, fault.New(fault.Unavailable, "extension.graph", "This process does not show its graph: the row `inspection` is not there.")
	}
	value, err := view.Read(ctx, command.Query{})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var fibers []map[string]any
	if err := json.Unmarshal(text, &fibers); err != nil {
		return nil, err
	}
	under, kept := arguments(call).Path, []any{}
	for _, f := range fibers {
		at, _ := f["path"].(string)
		if under != "" && at != under && !strings.HasPrefix(at, under+"/") {
			continue
		}
		for _, brief := range []string{"parent", "since", "tookNs", "starts", "realm"} {
			delete(f, brief) // the path says the parent; the rest is for people
		}
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return nil, fault.New(fault.NotFound, "extension.graph", "There is no fiber at or below %q.", under)
	}
	return shown(kept)
}

// shown writes a list with an item a line.
func shown[T any](items []T) (*tool.Result, error) {
	if len(items) == 0 {
		return tool.Text("There are none."), nil
	}
	lines := make([]string, len(items))
	for i, item := range items {
		line, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		lines[i] = string(line)
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}
