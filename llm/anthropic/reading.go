package anthropic

import (
	"encoding/json"
	"errors"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// fieldRedacted marks thinking that the provider sealed: it goes back unread.
const fieldRedacted = "redacted_thinking"

// event is one event of a stream, or a whole reply.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *whole `json:"message"`
	Block   *block `json:"content_block"`
	Delta   struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		JSON       string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
	whole
}

type whole struct {
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Counts     *usage  `json:"usage"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      json.RawMessage `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     wire.Arguments  `json:"input"`
}

type usage struct {
	Input   int `json:"input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Output  int `json:"output_tokens"`
}

// reading reads the events of one reply.
type reading struct {
	feed   wire.Feed
	usage  usage
	inputs map[int]string // of calls whose input stood in the block itself
}

var errNotJSON = errors.New("the server sent an event that is not JSON")

// take reads one event. Kinds that are not known are passed over, as the format asks.
func (r *reading) take(data []byte) *llm.Error {
	var e event
	if json.Unmarshal(data, &e) != nil && !json.Valid(data) {
		if data[0] == '{' {
			return r.feed.Broken(errNotJSON)
		}
		return r.feed.Reply.Refused(data)
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			r.count(e.Message.Counts)
		}
	case "content_block_start":
		if e.Block != nil {
			r.start(e.Index, e.Block)
		}
	case "content_block_delta":
		r.delta(&e)
	case "content_block_stop":
		if input, ok := r.inputs[e.Index]; ok {
			r.feed.Call(wire.Delta{Index: &e.Index, Arguments: input})
			delete(r.inputs, e.Index)
		}
	case "message_delta":
		r.count(e.Usage)
		if e.Delta.StopReason != "" {
			return r.feed.Finish(e.Delta.StopReason)
		}
	case "message_stop":
		if !r.feed.Finished() {
			return r.feed.Finish("stop")
		}
	case "message":
		for i := range e.Content {
			r.start(i, &e.Content[i])
			if input, ok := r.inputs[i]; ok {
				r.feed.Call(wire.Delta{Index: &i, Arguments: input})
			}
		}
		r.count(e.Usage)
		return r.feed.Finish(e.StopReason)
	case "error", "":
		return r.feed.Reply.Refused(data)
	}
	return nil
}

func (r *reading) start(index int, b *block) {
	switch b.Type {
	case "text":
		r.feed.Text(b.Text)
	case "thinking":
		r.think(llm.Reasoning{Text: b.Thinking, Signature: b.Signature})
	case "redacted_thinking":
		if len(b.Data) > 0 {
			r.feed.Think(llm.Reasoning{Field: fieldRedacted, Opaque: b.Data})
		}
	case "tool_use":
		r.feed.Call(wire.Delta{Index: &index, ID: b.ID, Name: b.Name})
		if b.Input != "" && b.Input != "{}" {
			if r.inputs == nil {
				r.inputs = map[int]string{}
			}
			r.inputs[index] = string(b.Input)
		}
	}
}

func (r *reading) delta(e *event) {
	d := &e.Delta
	switch d.Type {
	case "text_delta":
		r.feed.Text(d.Text)
	case "thinking_delta":
		r.think(llm.Reasoning{Text: d.Thinking})
	case "signature_delta":
		r.think(llm.Reasoning{Signature: d.Signature})
	case "input_json_delta":
		if d.JSON != "" {
			delete(r.inputs, e.Index) // the pieces count, not what stood in the block
			r.feed.Call(wire.Delta{Index: &e.Index, Arguments: d.JSON})
		}
	}
}

func (r *reading) think(t llm.Reasoning) {
	if t.Text != "" || t.Signature != "" {
		t.Field = llm.FieldThinking
		r.feed.Think(t)
	}
}

// count merges counts: the request's come first, the reply's last, and a zero in a
// later event takes nothing back.
func (r *reading) count(u *usage) {
	if u == nil {
		return
	}
	t := &r.usage
	t.Input, t.Read, t.Written, t.Output = max(t.Input, u.Input), max(t.Read, u.Read), max(t.Written, u.Written), max(t.Output, u.Output)
	if in := t.Input + t.Read + t.Written; in > 0 || t.Output > 0 {
		r.feed.Count(&llm.Usage{Input: in, Cached: t.Read, Output: t.Output, Reasoning: -1, Written: t.Written})
	}
}
