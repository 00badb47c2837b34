package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fairlead/command"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/toolbox"
)

// person is somebody who is there to be asked.
type person struct{}

func (person) Approve(context.Context, *tool.Call, tool.Verdict) (tool.Answer, error) {
	return tool.Answer{Approved: true}, nil
}

func (person) Record(context.Context, *tool.Call, tool.Verdict) error { return nil }

func (person) Consult(context.Context, *tool.Call) (<-chan struct{}, func(), string) {
	return nil, func() {}, ""
}

// ask runs the tool that asks, and answers what it asks.
func ask(t *testing.T, h *house, answers []any) *session.ToolResultData {
	t.Helper()
	got := make(chan *session.ToolResultData)
	from := h.log.Seq()
	go func() { got <- h.run("mcp__good__ask", nil) }()
	for f, err := range h.log.Watch(t.Context(), from) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Event == nil || f.Event.Type != "question/asked" {
			continue
		}
		var d toolbox.QuestionAskedData
		if err := json.Unmarshal(f.Event.Data, &d); err != nil {
			t.Fatal(err)
		}
		if len(d.Questions) != 3 || !strings.HasPrefix(d.Questions[1].Text, "The MCP server good asks: Where to?[2J\nPort") || d.Questions[0].Choices[1].Label != "green" {
			t.Errorf("asked: %+v", d.Questions)
		}
		cmd, ok := command.Find(t.Context(), h.graph.Root().Realm(), "question.answer")
		if !ok {
			t.Fatal("nobody can answer")
		}
		raw, err := json.Marshal(map[string]any{"call": d.Call, "answers": answers})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cmd.Run(t.Context(), command.Call{Session: string(h.log.ID()), Args: raw}); err != nil {
			t.Fatal(err)
		}
		break
	}
	return <-got
}

func TestServerAsksThePersonOfItsCall(t *testing.T) {
	s := server("good")
	s["limit"] = "600ms"
	h := newHouse(t, map[string]map[string]any{"good": s})
	h.approve("good")
	says(t, h.run("mcp__good__ask", nil), "cancel null") // there is no tool for questions
	for _, p := range []graph.Plugin{toolbox.ConsultPlugin(), {Name: "person", Provides: []graph.AnyKey{tool.AskKey}, Apply: func(f *graph.Fiber, _ any) error {
		return graph.Provide[tool.Asker](f, tool.AskKey, person{})
	}}} {
		if _, err := h.graph.Root().Plug(p.Name, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	yes, skip := map[string]any{"chosen": []any{"yes"}}, map[string]any{}
	says(t, ask(t, h, []any{map[string]any{"chosen": []any{"green"}}, map[string]any{"text": "8080"}, yes}), `accept {"colour":"g","port":8080,"safe":true}`)
	says(t, ask(t, h, []any{skip, map[string]any{"text": "22"}, skip}), `accept {"port":22}`)
	says(t, ask(t, h, []any{skip, skip, skip}), "decline null")
	says(t, ask(t, h, []any{skip, map[string]any{"text": "no number"}, skip}), "decline null")
}
