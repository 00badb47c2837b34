package window

import (
	"context"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
)

// readTool is the tool whose results are files.
const readTool = "read"

// tally keeps the plain estimate of a session's surface, so that a step costs what
// it adds and not what the history holds. The loop's goroutine alone uses it.
type tally struct {
	reshaped int64 // the shadow up to which it counted
	entries  int
	parts    Parts
	calls    []llm.Call // of the last message that has any
}

// count brings the estimate up to date and gives it with system prompt and tools.
func (t *tally) count(ctx context.Context, a *agent.Agent) (Parts, []session.Entry, error) {
	system, tools, err := a.Frame(ctx)
	if err != nil {
		return Parts{}, nil, err
	}
	reshaped, surface := a.Log().Reshaped(), a.Log().Surface()
	t.take(reshaped, surface)
	p := t.parts
	p.System, p.Tools = framing+priceBytes(len(system)), priceTools(tools)
	return p, surface, nil
}

func (t *tally) take(reshaped int64, surface []session.Entry) {
	if t.reshaped != reshaped || t.entries > len(surface) {
		*t = tally{reshaped: reshaped}
	}
	for i := t.entries; i < len(surface); i++ {
		t.add(&surface[i].Message)
	}
	t.entries = len(surface)
}

func (t *tally) add(m *llm.Message) {
	n := price(m)
	for i := range m.Content {
		if m.Content[i].MIME != "" {
			n -= picturePrice
			t.parts.Files += picturePrice
		}
	}
	switch {
	case m.Role != llm.ToolRole:
		t.parts.Messages += n
	case t.caller(m.CallID) == readTool:
		t.parts.Files += n
	default:
		t.parts.Results += n
	}
	if len(m.Calls) > 0 {
		t.calls = m.Calls
	}
}

// caller names the tool whose result this is.
func (t *tally) caller(id string) string {
	for i := range t.calls {
		if t.calls[i].ID == id {
			return t.calls[i].Name
		}
	}
	return ""
}
