package llm

// Request is one call of a model. Two requests with equal fields encode to equal
// bytes: adapters write keys in a fixed order with the messages last, so that a
// server's prefix cache sees each request extend the one before.
type Request struct {
	// Model is the provider's own id of the model.
	Model    string
	System   string
	Tools    []ToolSchema
	Messages []Message
	Params   Params
}

// Params are the options of a request. A zero field is not sent.
type Params struct {
	// Effort asks for thinking: "low", "medium", "high" or "xhigh". A route that
	// has no such setting drops it.
	Effort string `json:"effort,omitempty"`
	// MaxTokens caps the reply; 0 leaves it to the server.
	MaxTokens int `json:"maxTokens,omitempty"`
	// Temperature and TopP are sent only where a person set them.
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"topP,omitempty"`
	// Quirks are what the endpoint was found to want.
	Quirks Quirks `json:"quirks,omitzero"`
	// Extra are fields merged into the body as they are, keyed by JSON name.
	Extra map[string]any `json:"extra,omitempty"`
}
