package subagent

import (
	"context"
	_ "embed" // tool texts are files
	"encoding/json"
	"fmt"
	"strings"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed helper_start.md
var startText string

//go:embed helper_send.md
var sendText string

//go:embed helper_stop.md
var stopText string

//go:embed helper_list.md
var listText string

//go:embed list_models.md
var modelsText string

// starter is the tool helper_start. Starting a helper changes nothing by itself: each
// of its calls is judged on its own.
type starter struct{ *crew }

func (starter) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "helper_start", Description: strings.TrimSpace(startText), Parameters: json.RawMessage(
		`{"type":"object","properties":{"task":{"type":"string","minLength":1},"name":{"type":"string","pattern":"^[\\w.-]{1,40}$"},"fork":{"type":"boolean"},"wait":{"type":"boolean"},` +
			`"model":{"type":"string"},"preset":{"type":"string"},"schema":{"type":"object"},"max_steps":{"type":"integer","minimum":1},"max_tokens":{"type":"integer","minimum":1}},` +
			`"required":["task"],"additionalProperties":false}`)}
}

func orderOf(call *tool.Call) (o order) {
	_ = call.Decode(&o) // the arguments passed the schema
	return o
}

func (starter) ReadOnly(*tool.Call) bool { return true }
func (starter) Nests()                   {}

// Parallel lets those that wait run beside each other; the others begin in the order of
// their calls.
func (starter) Parallel(call *tool.Call) bool { return orderOf(call).Wait }

func (starter) Present(call *tool.Call) session.Present {
	o := orderOf(call)
	return session.Present{Verb: "ask", What: beginning(strings.TrimSpace(o.Name + " " + o.Task)), Full: o.Task}
}

func (s starter) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	o := orderOf(call)
	j, m, err := s.start(ctx, call, o)
	if err != nil {
		return nil, err
	}
	r := tool.Text(fmt.Sprintf("The helper %s works on %s now. Its report will come to you as a message by itself. Go on with something else, or end your turn if there is nothing.", m.Name, m.Model))
	r.View = map[string]any{"kind": "helper", "helper": m.Session, "name": m.Name}
	if !o.Wait {
		return r, nil
	}
	select {
	case <-j.done:
	case <-ctx.Done():
	case <-s.ctx.Done(): // whoever comes after this crew reports it
	}
	if d, told := j.taken(); told {
		text, view := answer(m, d)
		r = tool.Text(text)
		r.View = view
		return r, nil
	}
	return r, context.Cause(ctx)
}

// sender is the rare tool helper_send.
type sender struct{ *crew }

func (sender) Rare() string {
	return "tells a helper more, or gives one that has reported another task"
}

func (sender) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "helper_send", Description: strings.TrimSpace(sendText), Parameters: json.RawMessage(
		`{"type":"object","properties":{"helper":{"type":"string"},"message":{"type":"string","minLength":1}},"required":["helper","message"],"additionalProperties":false}`)}
}

func (sender) ReadOnly(*tool.Call) bool { return true }
func (sender) Nests()                   {}

func (sender) Present(call *tool.Call) session.Present {
	a := toArgs(call)
	return session.Present{Verb: "ask", What: beginning(a.Helper + ": " + a.Message), Full: a.Message}
}

func (s sender) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	a := toArgs(call)
	m, anew, err := s.tell(ctx, call, a.Helper, a.Message)
	switch {
	case err != nil:
		return nil, err
	case anew:
		return tool.Text(fmt.Sprintf("The helper %s works again. Its report will come to you as a message by itself.", m.Name)), nil
	}
	return tool.Text(fmt.Sprintf("The helper %s will read it with its next step.", m.Name)), nil
}

// helperArgs are the arguments of the tools for one helper.
type helperArgs struct {
	Helper  string `json:"helper"`
	Message string `json:"message"`
}

func toArgs(call *tool.Call) (a helperArgs) {
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

// stopper is the rare tool helper_stop.
type stopper struct{ *crew }

func (stopper) Rare() string { return "stops a helper and gives what it has so far" }

func (stopper) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "helper_stop", Description: strings.TrimSpace(stopText), Parameters: json.RawMessage(
		`{"type":"object","properties":{"helper":{"type":"string"}},"required":["helper"],"additionalProperties":false}`)}
}

func (stopper) ReadOnly(*tool.Call) bool { return true }

func (stopper) Present(call *tool.Call) session.Present {
	return session.Present{Verb: "use", What: "helper_stop " + toArgs(call).Helper}
}

func (s stopper) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	f, err := family(call.Log)
	if err != nil {
		return nil, err
	}
	name := toArgs(call).Helper
	m, ok := f.member(name)
	if !ok {
		return nil, errNoHelper(name, f)
	}
	j := s.by(m.Session)
	if j == nil {
		return tool.Text(fmt.Sprintf("The helper %s is not at work: %s.", m.Name, m.Status)), nil
	}
	j.claim(call.ID)
	if err := s.stop(ctx, j, above, false); err != nil {
		return nil, err
	}
	if d, told := j.taken(); told {
		return tool.Text(words(m, d)), nil
	}
	return tool.Text(fmt.Sprintf("The helper %s had just ended by itself; its report comes as a message.", m.Name)), nil
}

// lister is the rare tool helper_list.
type lister struct{ *crew }

func (lister) Rare() string { return "lists your helpers with their states" }

func (lister) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "helper_list", Description: strings.TrimSpace(listText), Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
}

func (lister) ReadOnly(*tool.Call) bool { return true }

func (lister) Present(*tool.Call) session.Present {
	return session.Present{Verb: "read", What: "helper_list"}
}

func (lister) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	f, err := family(call.Log)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(f.Helpers))
	for i, m := range f.Helpers {
		lines[i] = fmt.Sprintf("%s: %s, %d steps, %d tokens, on %s. %s", m.Name, m.Status, m.Steps, m.Tokens, m.Model, m.Task)
	}
	if len(lines) == 0 {
		return tool.Text("You have no helpers."), nil
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// models is the rare tool list_models.
type models struct{ *crew }

func (models) Rare() string { return "lists the models that a helper can be started on" }

func (models) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "list_models", Description: strings.TrimSpace(modelsText), Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
}

func (models) ReadOnly(*tool.Call) bool { return true }

func (models) Present(*tool.Call) session.Present {
	return session.Present{Verb: "read", What: "list_models"}
}

func (t models) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	at, err := session.StateOf(call.Log, agent.Loop)
	if err != nil {
		return nil, err
	}
	standard, _ := t.routes.Default()
	var lines []string
	for _, r := range t.routes.List() {
		line := describe(r, r.Name == standard.Name)
		if r.Name == at.Route || at.Route == "" && r.Name == standard.Name {
			line += " ← you"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return tool.Text("No connection lists a model. Leave the model out to have helpers use your own."), nil
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}
