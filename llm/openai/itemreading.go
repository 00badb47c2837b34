package openai

import (
	"encoding/json"
	"strings"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// fieldItem marks thinking that is a sealed item of the Responses format.
const fieldItem = "reasoning_item"

// fieldSummary marks the readable summary of such thinking. It is for people and
// does not go back.
const fieldSummary = "reasoning_summary"

// itemEvent is one event of a Responses stream, or a whole reply.
type itemEvent struct {
	Type     word         `json:"type"`
	Index    int          `json:"output_index"`
	Part     int          `json:"summary_index"`
	Delta    word         `json:"delta"`
	Text     word         `json:"text"`
	Args     word         `json:"arguments"`
	Item     *item        `json:"item"`
	Response *wholeReply  `json:"response"`
	Object   word         `json:"object"`
	Output   []item       `json:"output"`
	Status   word         `json:"status"`
	Usage    *itemUsage   `json:"usage"`
	Cut      *itemsCut    `json:"incomplete_details"`
	Error    *errorOfItem `json:"error"`
}

type wholeReply struct {
	Status word         `json:"status"`
	Output []item       `json:"output"`
	Usage  *itemUsage   `json:"usage"`
	Cut    *itemsCut    `json:"incomplete_details"`
	Error  *errorOfItem `json:"error"`
}

type itemsCut struct {
	Reason word `json:"reason"`
}

type errorOfItem struct {
	Message word `json:"message"`
}

type item struct {
	Type      word           `json:"type"`
	CallID    word           `json:"call_id"`
	ID        word           `json:"id"`
	Name      word           `json:"name"`
	Arguments wire.Arguments `json:"arguments"`
	Content   []itemPart     `json:"content"`
	Summary   []itemPart     `json:"summary"`
	Sealed    string         `json:"encrypted_content"`
}

type itemPart struct {
	Type    word `json:"type"`
	Text    word `json:"text"`
	Refusal word `json:"refusal"`
}

type itemUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	In     *struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Out *struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *itemUsage) tokens() *llm.Usage {
	if u == nil || u.Input <= 0 && u.Output <= 0 {
		return nil
	}
	t := &llm.Usage{Input: u.Input, Output: u.Output, Cached: -1, Reasoning: -1}
	if u.In != nil {
		t.Cached = u.In.Cached
	}
	if u.Out != nil {
		t.Reasoning = u.Out.Reasoning
	}
	return t
}

// itemReading reads the events of one Responses reply.
type itemReading struct {
	feed  wire.Feed
	heard map[int]bool // items whose content came in pieces
	part  int          // of the summary being read
}

// take reads one event. Events that say nothing new are passed over.
func (r *itemReading) take(data []byte) *llm.Error {
	var e itemEvent
	if err := json.Unmarshal(data, &e); err != nil && !json.Valid(data) {
		if data[0] == '{' {
			return r.feed.Broken(errNotJSON)
		}
		return r.feed.Reply.Refused(data)
	}
	switch kind := string(e.Type); kind {
	case "response.output_text.delta", "response.refusal.delta":
		r.hear(e.Index)
		r.feed.Text(string(e.Delta))
	case "response.reasoning_summary_text.delta":
		text := string(e.Delta)
		if r.heard[e.Index] && e.Part != r.part {
			text = "\n\n" + text
		}
		r.part = e.Part
		r.think(e.Index, text, fieldSummary)
	case "response.reasoning_text.delta":
		r.think(e.Index, string(e.Delta), llm.FieldReasoning)
	case "response.function_call_arguments.delta":
		r.hear(e.Index)
		r.feed.Call(wire.Delta{Index: &e.Index, Arguments: string(e.Delta)})
	case "response.function_call_arguments.done":
		if !r.heard[e.Index] && e.Args != "" {
			r.hear(e.Index)
			r.feed.Call(wire.Delta{Index: &e.Index, Arguments: string(e.Args)})
		}
	case "response.output_item.added":
		if e.Item != nil && e.Item.Type == "function_call" {
			r.feed.Call(wire.Delta{Index: &e.Index, ID: e.Item.callID(), Name: string(e.Item.Name)})
		}
	case "response.output_item.done":
		if e.Item != nil {
			r.item(e.Index, e.Item)
		}
	case "response.completed", "response.incomplete", "response.done":
		if e.Response != nil {
			return r.over(e.Response)
		}
		return r.feed.Finish(strings.TrimPrefix(kind, "response."))
	case "error", "response.failed", "response.error":
		return r.feed.Reply.Refused(failureOf(data, e.Response))
	default:
		if e.Object == "response" || len(e.Output) > 0 {
			for i := range e.Output {
				r.item(i, &e.Output[i])
			}
			return r.over(&wholeReply{Status: e.Status, Usage: e.Usage, Cut: e.Cut, Error: e.Error})
		}
		if kind == "" {
			return r.feed.Reply.Refused(data)
		}
	}
	return nil
}

// failureOf gives the part of a failed event that says why.
func failureOf(data []byte, reply *wholeReply) []byte {
	if reply == nil || reply.Error == nil {
		return data
	}
	var v struct {
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
	}
	if json.Unmarshal(data, &v) != nil {
		return data
	}
	return []byte(`{"error":` + string(v.Response.Error) + `}`)
}

func (r *itemReading) hear(index int) { r.heard[index] = true }

func (r *itemReading) think(index int, text, field string) {
	if text != "" {
		r.hear(index)
		r.feed.Think(llm.Reasoning{Text: text, Field: field})
	}
}

// item takes a finished item: its sealed thinking, and whatever of it did not come
// in pieces.
func (r *itemReading) item(index int, it *item) {
	heard := r.heard[index]
	r.hear(index)
	switch it.Type {
	case "message":
		for _, p := range it.Content {
			if !heard {
				r.feed.Text(string(p.Text) + string(p.Refusal))
			}
		}
	case "function_call":
		d := wire.Delta{Index: &index, ID: it.callID(), Name: string(it.Name)}
		if !heard {
			d.Arguments = string(it.Arguments)
		}
		r.feed.Call(d)
	case "reasoning":
		for i, p := range it.Summary {
			if !heard && p.Text != "" {
				text := string(p.Text)
				if i > 0 {
					text = "\n\n" + text
				}
				r.feed.Think(llm.Reasoning{Text: text, Field: fieldSummary})
			}
		}
		for _, p := range it.Content {
			if !heard && p.Text != "" {
				r.feed.Think(llm.Reasoning{Text: string(p.Text), Field: llm.FieldReasoning})
			}
		}
		if it.Sealed != "" {
			r.feed.Think(llm.Reasoning{Field: fieldItem, Opaque: it.sealed()})
		}
	}
}

func (it *item) callID() string {
	if it.CallID != "" {
		return string(it.CallID)
	}
	return string(it.ID)
}

// sealed gives thinking as it goes back: without the ids under which the provider
// would have stored it.
func (it *item) sealed() json.RawMessage {
	b := []byte(`{"type":"reasoning","summary":[`)
	for i, p := range it.Summary {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"summary_text","text":`...)
		b = append(wire.AppendString(b, string(p.Text)), '}')
	}
	b = append(b, `],"encrypted_content":`...)
	return append(wire.AppendString(b, it.Sealed), '}')
}

func (r *itemReading) over(reply *wholeReply) *llm.Error {
	r.feed.Count(reply.Usage.tokens())
	if reply.Cut != nil && reply.Cut.Reason != "" {
		return r.feed.Finish(string(reply.Cut.Reason))
	}
	if reply.Status == "incomplete" {
		return r.feed.Finish("length")
	}
	return r.feed.Finish(string(reply.Status))
}
