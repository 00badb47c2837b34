package openai

import (
	"io"
	"strings"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// reading is the state of one reply.
type reading struct {
	reply *wire.Reply
	yield func(llm.Chunk, error) bool
	gone  bool // the consumer broke off

	chunk  chunk
	split  wire.Split
	calls  wire.Calls
	field  string // that carries the thinking
	usage  *llm.Usage
	finish string
	said   bool // a part of the reply came
}

// run reads the whole reply. It returns nil also where the consumer broke off.
func (r *reading) run() *llm.Error {
	for !r.gone {
		ev, err := r.reply.Next()
		if err == nil && ev.Name != "error" && string(ev.Data) != "[DONE]" {
			if e := r.take(ev.Data); e != nil {
				return e
			}
			continue
		}
		switch e, failed := err.(*llm.Error); {
		case err == nil && ev.Name == "error":
			return r.reply.Refused(ev.Data)
		case r.finish != "" || err == nil:
			// What fails behind the finish word takes nothing from the reply.
			return r.end()
		case failed:
			return e
		}
		return r.broken(io.ErrUnexpectedEOF)
	}
	return nil
}

func (r *reading) broken(err error) *llm.Error {
	return &llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1, Started: r.said, Message: "the reply ended in the middle", Err: err}
}

// give passes a chunk on.
func (r *reading) give(c llm.Chunk) {
	if !r.gone {
		r.gone = !r.yield(c, nil)
	}
}

// say passes on a part of the reply itself.
func (r *reading) say(c llm.Chunk) {
	if !r.said {
		r.said = true
		r.reply.Started()
	}
	r.give(c)
}

// take reads one event.
func (r *reading) take(data []byte) *llm.Error {
	if p, ok := readPlain(data); ok {
		r.think(p.reasoningContent, p.reasoning, "")
		r.text(p.content)
		return nil
	}
	c := &r.chunk
	err := c.decode(data)
	if err != nil && data[0] == '{' {
		return r.broken(err)
	}
	if err != nil || c.failed(data) {
		return r.reply.Refused(data)
	}
	if p := c.Progress; p != nil && p.Total > 0 && !r.said {
		r.give(llm.Chunk{State: "prompt", Progress: float64(p.Processed) / float64(p.Total)})
	}
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			r.choice(ch)
		}
	}
	if c.Message != nil && len(c.Choices) == 0 {
		r.delta(c.Message)
	}
	if c.Done {
		r.finished(string(c.DoneReason))
		r.count((&usage{Prompt: c.PromptCount, Completion: c.EvalCount}).tokens())
	}
	if c.Usage != nil {
		r.count(c.Usage.tokens())
	}
	if t := c.Timings; t != nil {
		if r.usage == nil {
			r.count((&usage{Prompt: t.Prompt + t.Cached, Completion: t.Predicted}).tokens())
		}
		if r.usage != nil && r.usage.Cached < 0 {
			r.usage.Cached = t.Cached
		}
	}
	return r.ended()
}

func (r *reading) count(u *llm.Usage) {
	if u != nil {
		r.usage = u
	}
}

func (r *reading) choice(c *choice) {
	if c.Message != nil {
		r.delta(c.Message)
		if c.Finish == "" {
			c.Finish = "stop" // a reply that was not streamed is whole
		}
	} else {
		r.delta(&c.Delta)
	}
	r.text(string(c.Text))
	if c.Usage != nil {
		r.count(c.Usage.tokens())
	}
	if c.Finish != "" {
		r.finished(string(c.Finish))
	}
}

func (r *reading) finished(word string) {
	if word == "" {
		word = "stop"
	}
	if r.finish == "" {
		r.reply.Finished()
	}
	// The word for a reply that ran out of room is not taken back by a later one.
	if !ranOut(r.finish) {
		r.finish = strings.ToLower(word)
	}
}

// ended reports a finish word that is no finish.
func (r *reading) ended() *llm.Error {
	switch r.finish {
	case "error":
		return &llm.Error{Code: llm.CodeServer, RetryAfter: -1, Started: r.said, Message: "the server ended the reply with an error"}
	case "abort", "aborted", "cancelled", "canceled":
		return r.broken(io.ErrUnexpectedEOF)
	}
	return nil
}

func (r *reading) delta(d *delta) {
	r.think(d.ReasoningContent.text, d.Reasoning.text, d.Thinking.text+d.Content.thinking)
	r.text(d.Content.text)
	r.text(string(d.Refusal))
	for i := range d.ToolCalls {
		t := &d.ToolCalls[i]
		name, arguments := t.Function.Name, t.Function.Arguments
		if name == "" && arguments == "" {
			name, arguments = t.Name, t.Arguments
		}
		r.call(wire.Delta{Index: t.Index.pointer(), ID: string(t.ID), Name: string(name), Arguments: string(arguments)})
	}
	if f := d.FunctionCall; f != nil {
		r.call(wire.Delta{Name: string(f.Name), Arguments: string(f.Arguments)})
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
		r.say(llm.Chunk{Reasoning: &llm.Reasoning{Text: text, Field: field}})
	}
}

func (r *reading) text(s string) {
	if s != "" {
		r.pieces(r.split.Add(s))
	}
}

func (r *reading) pieces(list []wire.Piece) {
	for _, p := range list {
		switch p.Kind {
		case wire.Answer:
			r.say(llm.Chunk{Text: p.Text})
		case wire.Thought:
			r.say(llm.Chunk{Reasoning: &llm.Reasoning{Text: p.Text, Field: llm.FieldThinkTag}})
		case wire.Rethink:
			r.say(llm.Chunk{Rethink: true})
		case wire.TextCall:
			r.call(p.Call)
		}
	}
}

func (r *reading) call(d wire.Delta) { r.fragments(r.calls.Add(d)) }

func (r *reading) fragments(list []llm.CallFragment) {
	for _, f := range list {
		r.say(llm.Chunk{Call: &f})
	}
}

// end gives the last chunks of a reply that is over.
func (r *reading) end() *llm.Error {
	r.pieces(r.split.End())
	r.fragments(r.calls.End())
	if !r.said {
		return &llm.Error{Code: llm.CodeEmpty, RetryAfter: -1, Message: "the reply was empty"}
	}
	r.give(llm.Chunk{Finish: r.reason(), Usage: r.usage})
	return nil
}

// reason says why the reply ended. Calls that are there decide, not the word.
func (r *reading) reason() llm.FinishReason {
	switch {
	case ranOut(r.finish):
		return llm.FinishLength
	case r.finish == "content_filter" || r.finish == "safety":
		return llm.FinishFilter
	case r.calls.Len() > 0:
		return llm.FinishCalls
	}
	return llm.FinishStop
}

func ranOut(word string) bool {
	return word == "length" || word == "max_tokens" || word == "max_output_tokens" || word == "model_length"
}
