package openai

import (
	"net/url"
	"strings"
)

// Dialect says how an endpoint differs from OpenAI's own Chat Completions. The
// zero value is the form that most servers take.
type Dialect struct {
	// MaxTokens is the field that caps the reply; "" means "max_tokens".
	MaxTokens string
	// Effort says how thinking is asked for.
	Effort EffortForm
	// Thinking says which thinking of past replies goes back.
	Thinking ThinkingBack
	// EmptyContent writes "" where a message has calls and no text; otherwise null.
	EmptyContent bool
	// CallExtra sends back what the provider put beside its calls.
	CallExtra bool
	// Progress asks to be told how much of the prompt was read.
	Progress bool
	// OpenedThinking is set where the model's template opens the thinking and the
	// server leaves it in the text, so that a reply begins with thinking.
	OpenedThinking bool
	// TextCalls reads calls that the model writes as text, for servers that do not.
	TextCalls bool
}

// EffortForm is the way an endpoint is asked to think.
type EffortForm string

// The forms of asking.
const (
	EffortNone       EffortForm = ""           // there is no such setting
	EffortField      EffortForm = "field"      // reasoning_effort
	EffortOpenRouter EffortForm = "openrouter" // reasoning: {effort}
	EffortDeepSeek   EffortForm = "deepseek"   // thinking: {type}, reasoning_effort
	EffortTemplate   EffortForm = "template"   // chat_template_kwargs: {enable_thinking, reasoning_effort}
)

// ThinkingBack says which thinking of past replies an endpoint wants to see again.
type ThinkingBack string

// What goes back.
const (
	ThinkingNever ThinkingBack = ""      // none
	ThinkingCalls ThinkingBack = "calls" // that of messages with calls
	ThinkingAll   ThinkingBack = "all"
)

// Dialects gives the known dialects by name. An unknown name is the plain form.
func Dialects(name string) Dialect {
	var d Dialect
	switch name {
	case "openai":
		d.MaxTokens, d.Effort = "max_completion_tokens", EffortField
	case "deepseek":
		d.Effort, d.Thinking = EffortDeepSeek, ThinkingCalls
	case "openrouter":
		d.Effort, d.Thinking = EffortOpenRouter, ThinkingAll
	case "llama.cpp", "vllm", "lmstudio":
		d.Effort, d.EmptyContent, d.Thinking = EffortTemplate, true, ThinkingCalls
		d.Progress = name == "llama.cpp"
	case "gemini":
		d.Effort, d.CallExtra = EffortField, true
	case "ollama":
		d.Effort, d.EmptyContent = EffortField, true
	}
	return d
}

// DialectFor gives the name of the dialect that a provider speaks at an address; ""
// where the address is not that of a known provider.
func DialectFor(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	for suffix, name := range map[string]string{
		"api.openai.com": "openai", "api.deepseek.com": "deepseek", "openrouter.ai": "openrouter", "generativelanguage.googleapis.com": "gemini",
	} {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return name
		}
	}
	return ""
}

// effort gives the fields that ask for a level of thinking, in an endpoint's own
// words; "none" asks for no thinking. A level it has no word for becomes the
// nearest one.
func effort(form EffortForm, level string) map[string]any {
	if level == "" {
		return nil
	}
	thinks := level != "none"
	switch form {
	case EffortField:
		return map[string]any{"reasoning_effort": level}
	case EffortOpenRouter:
		return map[string]any{"reasoning": map[string]any{"effort": level}}
	case EffortDeepSeek:
		if !thinks {
			return map[string]any{"thinking": map[string]any{"type": "disabled"}}
		}
		return map[string]any{"thinking": map[string]any{"type": "enabled"}, "reasoning_effort": nearest(level, "medium", "high", "xhigh", "max")}
	case EffortTemplate:
		// Templates differ in the name of the switch and ignore the others.
		kwargs := map[string]any{"enable_thinking": thinks, "thinking": thinks}
		if thinks {
			kwargs["reasoning_effort"] = nearest(level, "xhigh", "high")
		}
		return map[string]any{"chat_template_kwargs": kwargs}
	}
	return nil
}

// nearest gives the word for a level: pairs are a level and the word that stands for it.
func nearest(level string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == level {
			return pairs[i+1]
		}
	}
	return level
}
