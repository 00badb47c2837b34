package openai

import (
	"encoding/json"
	"slices"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// reading reads the events of one Chat Completions reply.
type reading struct {
	feed  wire.Feed
	chunk chunk
	field string // that carries the thinking

	details []map[string]any // put together from their pieces
}

// take reads one event.
func (r *reading) take(data []byte) *llm.Error {
	if p, ok := readPlain(data); ok {
		r.think(p.reasoningContent, p.reasoning, "")
		r.feed.Text(p.content)
		return nil
	}
	c := &r.chunk
	err := c.decode(data)
	if err != nil && data[0] == '{' {
		return r.feed.Broken(err)
	}
	if err != nil || c.failed(data) {
		return r.feed.Reply.Refused(data)
	}
	if p := c.Progress; p != nil && p.Total > 0 {
		r.feed.State("prompt", float64(p.Processed)/float64(p.Total))
	}
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			if e := r.choice(ch); e != nil {
				return e
			}
		}
	}
	if c.Message != nil && len(c.Choices) == 0 {
		r.delta(c.Message)
	}
	r.count(c)
	if c.Done {
		return r.feed.Finish(string(c.DoneReason))
	}
	return nil
}

// count takes the token counts from wherever the server puts them.
func (r *reading) count(c *chunk) {
	if c.Usage != nil {
		r.feed.Count(c.Usage.tokens())
	}
	if c.Done {
		r.feed.Count((&usage{Prompt: c.PromptCount, Completion: c.EvalCount}).tokens())
	}
	if t := c.Timings; t != nil {
		if r.feed.Counted() == nil {
			r.feed.Count((&usage{Prompt: t.Prompt + t.Cached, Completion: t.Predicted}).tokens())
		}
		if u := r.feed.Counted(); u != nil && u.Cached < 0 {
			u.Cached = t.Cached
		}
	}
}

func (r *reading) choice(c *choice) *llm.Error {
	whole := c.Message != nil // a reply that was not streamed
	if whole {
		r.delta(c.Message)
	} else {
		r.delta(&c.Delta)
	}
	r.feed.Text(string(c.Text))
	if c.Usage != nil {
		r.feed.Count(c.Usage.tokens())
	}
	if c.Finish != "" || whole {
		r.sealed()
		return r.feed.Finish(string(c.Finish))
	}
	return nil
}

func (r *reading) delta(d *delta) {
	r.detail(d.Details)
	r.think(d.ReasoningContent.text, d.Reasoning.text, d.Thinking.text+d.Content.thinking)
	r.feed.Text(d.Content.text)
	r.feed.Text(string(d.Refusal))
	for i := range d.ToolCalls {
		t := &d.ToolCalls[i]
		name, arguments := t.Function.Name, t.Function.Arguments
		if name == "" && arguments == "" {
			name, arguments = t.Name, t.Arguments
		}
		r.feed.Call(wire.Delta{Index: t.Index.pointer(), ID: string(t.ID), Name: string(name), Arguments: string(arguments), Extra: extra(t.Extra)})
	}
	if f := d.FunctionCall; f != nil {
		r.feed.Call(wire.Delta{Name: string(f.Name), Arguments: string(f.Arguments)})
	}
}

// think takes thinking from the one field that carries it: servers that use two
// say the same in both.
func (r *reading) think(reasoningContent, reasoning, thinking string) {
	field, text := llm.FieldReasoningContent, reasoningContent
	if text == "" {
		field, text = llm.FieldReasoning, reasoning
	}
	if text == "" {
		field, text = llm.FieldThinking, thinking
	}
	if text != "" && (r.field == "" || r.field == field) {
		r.field = field
		r.feed.Think(llm.Reasoning{Text: text, Field: field})
	}
}

// detail adds pieces of thinking to those they go on with: the same kind at the same
// index. Text, summary, data and signature come in pieces; everything else is whole.
func (r *reading) detail(pieces details) {
	for _, p := range pieces {
		same := func(d map[string]any) bool { return d["index"] == p["index"] && d["type"] == p["type"] }
		i := slices.IndexFunc(r.details, same)
		if i < 0 || p["index"] == nil {
			r.details = append(r.details, p)
			continue
		}
		for name, value := range p {
			piece, isText := value.(string)
			before, hasText := r.details[i][name].(string)
			if isText && hasText && (name == "text" || name == "summary" || name == "data" || name == "signature") {
				r.details[i][name] = before + piece
			} else if value != nil {
				r.details[i][name] = value
			}
		}
	}
}

// sealed passes the pieces on once they are whole, in the form that goes back.
func (r *reading) sealed() {
	if len(r.details) == 0 {
		return
	}
	if b, err := json.Marshal(r.details); err == nil {
		r.feed.Think(llm.Reasoning{Field: fieldDetails, Opaque: b})
	}
	r.details = nil
}

// fieldDetails marks thinking in OpenRouter's pieces; its text comes beside them.
const fieldDetails = "reasoning_details"

// extra gives an object as text; anything else is nothing.
func extra(b json.RawMessage) string {
	if len(b) == 0 || b[0] != '{' {
		return ""
	}
	return string(b)
}
