package toolbox

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed todo.md
var todoText string

// Todo is the kind of a written list of steps.
var Todo = session.Kind[TodoData]{Name: "todo/written", Doc: "the whole list of steps of a task, as the model sees it now", Ignorable: true}

// TodoData is a list of steps.
type TodoData struct {
	Items []TodoItem `json:"items"`
}

// TodoItem is one step. State is "open", "doing" or "done".
type TodoItem struct {
	Text  string `json:"text"`
	State string `json:"state"`
}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind {
	return []session.AnyKind{Todo, JobStarted, JobEnded, QuestionAsked, QuestionAnswered, PlanProposed, PlanDecided}
}

// todos is the projection of the list as it was written last.
var todos = session.Projection[TodoData]{
	Name: "todo", Version: 1,
	Fold: func(d TodoData, e session.Event) TodoData {
		if Todo.Of(e) {
			if next, err := Todo.Decode(e); err == nil {
				return next
			}
		}
		return d
	},
}

// TodoPlugin registers the tool for the list of steps.
func TodoPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "todo",
		Doc:    "lets the model keep a list of steps that the person sees",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			return registry.Register(f, todo{})
		},
	}
}

// todo is the tool of that name.
type todo struct{}

func (todo) Schema() llm.ToolSchema {
	return schema("todo", todoText, `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"state":{"enum":["open","doing","done"]}},"required":["text","state"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}`)
}

func (todo) args(call *tool.Call) TodoData {
	var d TodoData
	_ = call.Decode(&d) // the arguments passed the schema
	return d
}

func (todo) ReadOnly(*tool.Call) bool { return true }

func (t todo) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "plan", What: plural(len(t.args(call).Items), "step")}
}

func (t todo) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	d := t.args(call)
	if _, err := call.Log.Append(ctx, Todo.New(call.Turn, call.Step, d)); err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, item := range d.Items {
		count[item.State]++
	}
	var parts []string
	for _, state := range []string{"done", "doing", "open"} {
		if count[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[state], state))
		}
	}
	if parts == nil {
		parts = []string{"empty"}
	}
	return &tool.Result{Content: llm.Text("The list is written: " + strings.Join(parts, ", ") + "."), View: struct {
		Kind  string     `json:"kind"`
		Items []TodoItem `json:"items"`
	}{"todo", d.Items}}, nil
}
