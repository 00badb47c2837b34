package interchange

import (
	"fmt"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

// conversation is a foreign session in the form that all readers share.
type conversation struct {
	origin string // the product: "claude-code", "codex", "dsh"
	id     string // its id there
	folder string
	title  string
	items  []item
	// left counts what the file holds and a session has no place for, by kind.
	left map[string]int
}

// item is something that was said or done. Exactly one of person, model and result
// is set.
type item struct {
	at     time.Time
	person []llm.Part
	model  *session.AssistantMessageData
	result *session.ToolResultData // ModelID names the call
}

func (c *conversation) skip(kind string) {
	if c.left == nil {
		c.left = map[string]int{}
	}
	c.left[kind]++
}

// drafts writes the conversation as events: a turn for each message of the person, a
// step for each reply, and exactly one result for each call. A call without one gets
// the result that recovery would give it; a result without a call is left out.
func (c *conversation) drafts() []session.Draft {
	w := draftWriter{title: c.title}
	for _, it := range c.items {
		w.at = it.at
		switch {
		case it.person != nil:
			w.endTurn()
			w.person(it.person)
		case it.model != nil:
			w.model(it.model)
		case it.result != nil:
			if !w.result(*it.result) {
				c.skip("result without a call")
			}
		}
	}
	w.endTurn()
	if w.title != "" {
		w.add(session.Titled.New(0, 0, session.TitledData{Title: w.title, By: session.ByPrompt}))
	}
	return w.drafts
}

type draftWriter struct {
	drafts     []session.Draft
	title      string
	at         time.Time
	turn, step int
	open       []session.ToolCallData // calls of the step without a result
	calls      int
	began      time.Time
}

func (w *draftWriter) add(d session.Draft) {
	if !w.at.IsZero() {
		d.At = w.at.UnixMilli()
	}
	w.drafts = append(w.drafts, d)
}

func (w *draftWriter) startTurn() {
	if w.began.IsZero() {
		w.turn++
		w.step = 0
		w.began = w.at
		if w.began.IsZero() {
			w.began = time.Unix(0, 0)
		}
		w.add(session.TurnStart.New(w.turn, 0, session.TurnStartData{Origin: "person"}))
	}
}

func (w *draftWriter) endStep() {
	if w.step == 0 {
		return
	}
	for _, call := range w.open {
		w.add(session.ToolResult.New(w.turn, w.step, session.ToolResultData{Call: call.Call, ModelID: call.ModelID, Failed: true, Code: session.CodeOutcomeUnknown,
			Content: llm.Text("The result of this call is not in the file that was imported. What it did is unknown.")}))
	}
	w.open = nil
	w.add(session.StepEnd.New(w.turn, w.step, struct{}{}))
}

func (w *draftWriter) endTurn() {
	if w.began.IsZero() {
		return
	}
	w.endStep()
	ms := int64(0)
	if w.at.After(w.began) && w.began.Unix() > 0 {
		ms = w.at.Sub(w.began).Milliseconds()
	}
	w.add(session.TurnEnd.New(w.turn, 0, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}, Steps: w.step, Millis: ms}))
	w.began = time.Time{}
}

func (w *draftWriter) person(content []llm.Part) {
	w.startTurn()
	if w.title == "" {
		w.title = session.CleanTitle(llm.Plain(content))
	}
	w.add(session.UserMessage.New(w.turn, 0, session.UserMessageData{ID: fmt.Sprintf("u%d", w.turn), Content: content, Origin: "person"}))
}

func (w *draftWriter) model(m *session.AssistantMessageData) {
	w.startTurn()
	w.endStep()
	w.step++
	w.add(session.StepStart.New(w.turn, w.step, struct{}{}))
	m.ID = fmt.Sprintf("a%d.%d", w.turn, w.step)
	w.add(session.AssistantMessage.New(w.turn, w.step, *m))
	for _, call := range m.Calls {
		w.calls++
		d := session.ToolCallData{Call: fmt.Sprintf("c%d", w.calls), ModelID: call.ID, Caller: "model", Tool: call.Name, Arguments: call.Arguments,
			Present: session.Present{Verb: "use", What: call.Name}}
		w.open = append(w.open, d)
		w.add(session.ToolCall.New(w.turn, w.step, d))
	}
}

func (w *draftWriter) result(r session.ToolResultData) bool {
	for i, call := range w.open {
		if call.ModelID == r.ModelID {
			w.open = append(w.open[:i:i], w.open[i+1:]...)
			r.Call = call.Call
			w.add(session.ToolResult.New(w.turn, w.step, r))
			return true
		}
	}
	return false
}
