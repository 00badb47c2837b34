package llm

import "encoding/json"

// Role says who speaks a [Message].
type Role string

// The roles of a conversation. The system prompt is not a message: it is a field of [Request].
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of the history that a model reads. Which fields may be
// set depends on Role: Calls and Reasoning belong to the assistant, CallID and
// Failed to a tool's result.
type Message struct {
	Role      Role        `json:"role"`
	Content   []Part      `json:"content,omitempty"`
	Reasoning []Reasoning `json:"reasoning,omitempty"`
	Calls     []Call      `json:"calls,omitempty"`
	CallID    string      `json:"callId,omitempty"`
	Failed    bool        `json:"failed,omitempty"`
}

// Part is a piece of content: text, or a picture when MIME is set.
type Part struct {
	Text string `json:"text,omitempty"`
	// MIME is the media type of a picture, such as "image/png".
	MIME string `json:"mime,omitempty"`
	// Blob is the SHA-256 (hex) under which the session keeps the picture's bytes.
	Blob string `json:"blob,omitempty"`
	// Name is the file name a person gave the picture; it may be empty.
	Name string `json:"name,omitempty"`
	// Bytes are the picture itself, filled in when a request is built; never logged.
	Bytes []byte `json:"-"`
}

// Text makes the content of a message that is only text.
func Text(s string) []Part { return []Part{{Text: s}} }

// Plain joins the text parts of content and leaves pictures out.
func Plain(content []Part) string {
	if len(content) == 1 {
		return content[0].Text
	}
	var s string
	for _, p := range content {
		s += p.Text
	}
	return s
}

// Reasoning is a piece of a model's thinking, kept so that a provider which
// wants its own thinking back gets exactly what it sent.
type Reasoning struct {
	Text string `json:"text,omitempty"`
	// Field names the wire field that carried it ("reasoning_content", "reasoning",
	// "think" for inline tags, "thinking" for Anthropic), so that it can go back the same way.
	Field string `json:"field,omitempty"`
	// Signature and Opaque are a provider's own proof or encrypted form.
	Signature string          `json:"signature,omitempty"`
	Opaque    json.RawMessage `json:"opaque,omitempty"`
}

// Call is a tool call as the model wrote it. Arguments is the raw text: it may
// be malformed, and is judged by the tool pipeline, never by an adapter.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	// Cut is true where the reply ended before the call was complete. Such a call
	// never runs: its result says that it was cut off.
	Cut bool `json:"cut,omitempty"`
	// Extra is JSON that a provider sent with the call and wants back with it.
	Extra string `json:"extra,omitempty"`
}

// Fields of [Reasoning] that more than one wire uses.
const (
	FieldReasoningContent = "reasoning_content"
	FieldReasoning        = "reasoning"
	FieldThinkTag         = "think"
	FieldThinking         = "thinking"
)

// ToolSchema describes one tool to a model. Parameters is a JSON Schema object.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}
