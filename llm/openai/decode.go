package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// chunk is one event of a stream, or a whole reply that was not streamed. Fields
// whose shape differs between servers are raw.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	// Message is set where an error came as {"object":"error","message":…}.
	Message json.RawMessage `json:"message"`
	Timings *struct {
		PromptN    int `json:"prompt_n"`
		CacheN     int `json:"cache_n"`
		PredictedN int `json:"predicted_n"`
	} `json:"timings"`
	Progress *struct {
		Total     int `json:"total"`
		Processed int `json:"processed"`
	} `json:"prompt_progress"`
}

type choice struct {
	Index   int    `json:"index"`
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"`
	Finish  string `json:"finish_reason"`
	Text    string `json:"text"`
}

type delta struct {
	Content          content  `json:"content"`
	ReasoningContent *string  `json:"reasoning_content"`
	Reasoning        *string  `json:"reasoning"`
	ToolCalls        toolList `json:"tool_calls"`
	Refusal          string   `json:"refusal"`
	FunctionCall     *struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function_call"`
}

type toolCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// toolList takes a list or a single call.
type toolList []toolCall

func (l *toolList) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		b = append(append([]byte("["), b...), ']')
	}
	var list []toolCall
	err := json.Unmarshal(b, &list)
	*l = list
	return err
}

// arguments take a string or, from servers that have parsed them, the object.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		if !bytes.Equal(b, []byte("null")) {
			*a = arguments(b)
		}
		return nil
	}
	return json.Unmarshal(b, (*string)(a))
}

// content takes a string or a list of parts.
type content struct {
	text     string
	thinking string
}

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] == '"' || b[0] == 'n' {
		return json.Unmarshal(b, &c.text)
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     string  `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		c.text += p.Text
		c.thinking += p.Thinking.text
	}
	return nil
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek
}

func (u *usage) tokens() *llm.Usage {
	if u.Prompt == 0 && u.Completion == 0 {
		return nil
	}
	return &llm.Usage{Input: u.Prompt, Cached: max(u.Details.Cached, u.CacheHit), Output: u.Completion, Reasoning: u.Out.Reasoning}
}

// reading is the state of one reply.
type reading struct {
	calls  wire.Calls
	usage  *llm.Usage
	finish string
	any    bool // a piece of text, thinking or a call came
	out    []llm.Chunk
}

// take reads one event into chunks, which are valid until the next one.
func (r *reading) take(data []byte) ([]llm.Chunk, error) {
	r.out = r.out[:0]
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		if _, shape := err.(*json.UnmarshalTypeError); !shape {
			return nil, &llm.Error{Code: llm.CodeStreamCut, RetryAfter: -1, Message: "the server sent an event that is not JSON", Err: err}
		}
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) || c.Object == "error" {
		return nil, wire.Classify(200, nil, data)
	}
	if c.Progress != nil && c.Progress.Total > 0 {
		r.out = append(r.out, llm.Chunk{State: "prompt", Progress: float64(c.Progress.Processed) / float64(c.Progress.Total)})
	}
	for i := range c.Choices {
		if c.Choices[i].Index == 0 {
			r.choice(&c.Choices[i])
		}
	}
	if c.Usage != nil {
		if u := c.Usage.tokens(); u != nil {
			r.usage = u
		}
	}
	return r.out, nil
}

func (r *reading) choice(c *choice) {
	d := &c.Delta
	if c.Message != nil {
		d = c.Message
	}
	switch {
	case d.ReasoningContent != nil && *d.ReasoningContent != "":
		r.think(*d.ReasoningContent, llm.FieldReasoningContent)
	case d.Reasoning != nil && *d.Reasoning != "":
		r.think(*d.Reasoning, llm.FieldReasoning)
	case d.Content.thinking != "":
		r.think(d.Content.thinking, llm.FieldThinking)
	}
	if text := d.Content.text + d.Refusal + c.Text; text != "" {
		r.out = append(r.out, llm.Chunk{Text: text})
		r.any = true
	}
	for i := range d.ToolCalls {
		t := &d.ToolCalls[i]
		r.call(wire.Delta{Index: t.Index, ID: t.ID, Name: t.Function.Name, Arguments: string(t.Function.Arguments)})
	}
	if f := d.FunctionCall; f != nil {
		r.call(wire.Delta{Name: f.Name, Arguments: string(f.Arguments)})
	}
	if c.Finish != "" {
		r.finish = c.Finish
	}
}

func (r *reading) think(text, field string) {
	r.out = append(r.out, llm.Chunk{Reasoning: &llm.Reasoning{Text: text, Field: field}})
	r.any = true
}

func (r *reading) call(d wire.Delta) {
	r.fragments(r.calls.Add(d))
	r.any = true
}

func (r *reading) fragments(list []llm.CallFragment) {
	for _, f := range list {
		r.out = append(r.out, llm.Chunk{Call: &f})
	}
}

// end gives the last chunks of a reply that is over.
func (r *reading) end() ([]llm.Chunk, error) {
	r.out = r.out[:0]
	if !r.any {
		return nil, &llm.Error{Code: llm.CodeEmpty, RetryAfter: -1, Message: "the reply was empty"}
	}
	r.fragments(r.calls.End())
	r.out = append(r.out, llm.Chunk{Finish: r.reason(), Usage: r.usage})
	return r.out, nil
}

func (r *reading) reason() llm.FinishReason {
	switch word := strings.ToLower(r.finish); {
	case word == "length" || word == "max_tokens":
		return llm.FinishLength
	case word == "content_filter":
		return llm.FinishFilter
	case r.calls.Len() > 0:
		return llm.FinishCalls
	}
	return llm.FinishStop
}
