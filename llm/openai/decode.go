package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// chunk is one event of a stream, or a whole reply that was not streamed. Fields
// whose shape differs between servers have types of their own.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  word            `json:"object"`
	Type    word            `json:"type"`

	// llama.cpp
	Timings  *timings  `json:"timings"`
	Progress *progress `json:"prompt_progress"`

	// Ollama's own format
	Message     *delta `json:"message"`
	Done        bool   `json:"done"`
	DoneReason  word   `json:"done_reason"`
	PromptCount int    `json:"prompt_eval_count"`
	EvalCount   int    `json:"eval_count"`
}

type choice struct {
	Index   int    `json:"index"`
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"`
	Finish  word   `json:"finish_reason"`
	Text    word   `json:"text"`
	Usage   *usage `json:"usage"`
}

type delta struct {
	Content          content  `json:"content"`
	ReasoningContent content  `json:"reasoning_content"`
	Reasoning        content  `json:"reasoning"`
	Thinking         content  `json:"thinking"`
	Details          details  `json:"reasoning_details"`
	ToolCalls        toolList `json:"tool_calls"`
	Refusal          word     `json:"refusal"`
	FunctionCall     *called  `json:"function_call"`
}

type toolCall struct {
	Index    position `json:"index"`
	ID       word     `json:"id"`
	Function called   `json:"function"`
	// Extra is what Gemini signs its calls with.
	Extra json.RawMessage `json:"extra_content"`
	// Some servers leave the function object out.
	Name      word           `json:"name"`
	Arguments wire.Arguments `json:"arguments"`
}

type called struct {
	Name      word           `json:"name"`
	Arguments wire.Arguments `json:"arguments"`
}

// word takes a string, and what stands in for one: a number as its digits, null
// and everything else as nothing.
type word string

func (w *word) UnmarshalJSON(b []byte) error {
	switch {
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(w))
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		*w = word(b)
	}
	return nil
}

// position takes a number, also written as a string; anything else is none.
type position struct {
	set bool
	n   int
}

func (p *position) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	*p = position{set: err == nil, n: n}
	return nil
}

func (p *position) pointer() *int {
	if !p.set {
		return nil
	}
	return &p.n
}

// details are OpenRouter's pieces of thinking, with their seals and signatures.
type details []map[string]any

func (d *details) UnmarshalJSON(b []byte) error {
	*d = nil
	if b[0] != '[' {
		return nil
	}
	return json.Unmarshal(b, (*[]map[string]any)(d))
}

// toolList takes a list or a single call.
type toolList []toolCall

func (l *toolList) UnmarshalJSON(b []byte) error {
	*l = nil
	switch b[0] {
	case '{':
		*l = make(toolList, 1)
		return json.Unmarshal(b, &(*l)[0])
	case '[':
		return json.Unmarshal(b, (*[]toolCall)(l))
	}
	return nil
}

// content takes a string or a list of parts, whose thinking is kept apart.
type content struct {
	text     string
	thinking string
}

func (c *content) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, &c.text)
	case '[':
		var parts []struct {
			Text     word    `json:"text"`
			Thinking content `json:"thinking"`
		}
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			c.text += string(p.Text)
			c.thinking += p.Thinking.text
		}
	}
	return nil
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	In         *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out *struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit *int `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached   *int `json:"cached_tokens"`           // Moonshot
}

type timings struct {
	Prompt    int `json:"prompt_n"`
	Cached    int `json:"cache_n"`
	Predicted int `json:"predicted_n"`
}

type progress struct {
	Total     int `json:"total"`
	Processed int `json:"processed"`
	Cache     int `json:"cache"`
}

// tokens gives the counts, or nil where the server counted nothing.
func (u *usage) tokens() *llm.Usage {
	if u.Prompt <= 0 && u.Completion <= 0 {
		return nil
	}
	t := &llm.Usage{Input: u.Prompt, Output: u.Completion, Cached: -1, Reasoning: -1}
	switch {
	case u.In != nil:
		t.Cached = u.In.Cached
	case u.CacheHit != nil:
		t.Cached = *u.CacheHit
	case u.Cached != nil:
		t.Cached = *u.Cached
	}
	if u.Out != nil {
		t.Reasoning = u.Out.Reasoning
	}
	return t
}

// errNotJSON is the cause of an event that cannot be read.
var errNotJSON = errors.New("the server sent an event that is not JSON")

// decode reads one event. A field of the wrong type is as good as absent; only what
// is no JSON at all is an error.
func (c *chunk) decode(data []byte) error {
	clear(c.Choices[:cap(c.Choices)])
	*c = chunk{Choices: c.Choices[:0]}
	err := json.Unmarshal(data, c)
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
		return errNotJSON
	}
	return nil
}

// failed reports whether the event is an error in one of the forms there are.
func (c *chunk) failed(data []byte) bool {
	return len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) && !bytes.Equal(c.Error, []byte(`""`)) ||
		c.Object == "error" || c.Type == "error" || data[0] != '{' ||
		len(c.Choices) == 0 && (bytes.Contains(data, []byte(`"detail"`)) || c.Message == nil && bytes.Contains(data, []byte(`"message"`)))
}
