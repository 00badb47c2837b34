package app

import (
	"net/http"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/llm/anthropic"
	"fairlead/llm/openai"
	"fairlead/llm/scripted"
	"fairlead/llm/wire"
)

// The wire formats a connection can name.
const (
	wireChat      = "chat"      // OpenAI Chat Completions, which most servers speak
	wireResponses = "responses" // OpenAI Responses
	wireMessages  = "messages"  // Anthropic Messages
)

// wireName names the connection's wire with its dialect, as a logged request keeps
// it, so that the request can be written again by [encoder].
func (c *Connection) wireName() string {
	name := c.Wire
	if name == "" {
		name = wireChat
	}
	dialect := c.Dialect
	if dialect == "" && name == wireChat {
		dialect = openai.DialectFor(c.BaseURL)
	}
	if dialect != "" {
		name += "/" + dialect
	}
	return name
}

// endpoint is where an adapter sends; the zero value only encodes.
type endpoint struct {
	baseURL string
	key     func() string
	client  *http.Client
	first   time.Duration // the limit to the first token; 0 is none
	// How replies are read: see [openai.Dialect].
	textCalls, openedThinking bool
}

// newAdapter makes the adapter of a wire. What it encodes depends on the name alone.
func newAdapter(name string, e endpoint) (llm.Adapter, error) {
	format, dialect, _ := strings.Cut(name, "/")
	chat := openai.Options{BaseURL: e.baseURL, Key: e.key, Client: e.client, FirstTokenLimit: e.first, Dialect: openai.Dialects(dialect)}
	chat.Dialect.TextCalls, chat.Dialect.OpenedThinking = e.textCalls, e.openedThinking
	switch format {
	case wireChat:
		return openai.New(chat), nil
	case wireResponses:
		return openai.NewResponses(chat), nil
	case wireMessages:
		return anthropic.New(anthropic.Options{
			BaseURL: e.baseURL, Key: e.key, Client: e.client, FirstTokenLimit: e.first, CachePrompt: dialect == "anthropic",
		}), nil
	}
	return nil, fault.New(fault.Invalid, "app.wire", "This build does not know the wire format %q. Nothing was changed; use %s, %s or %s.", name, wireChat, wireResponses, wireMessages)
}

// adapter makes the connection's adapter.
func (c *Connection) adapter(client *http.Client, environ func(string) string) (llm.Adapter, error) {
	e := endpoint{baseURL: c.BaseURL, key: c.key(environ), client: client, textCalls: c.TextCalls, openedThinking: c.OpenedThinking}
	if !c.local() {
		e.first = wire.FirstLimit
	}
	return newAdapter(c.wireName(), e)
}

// encoder gives the adapter that writes the bodies of a wire.
func encoder(name string) (llm.Adapter, error) {
	if name == demoWire {
		return scripted.New(scripted.Demo()), nil
	}
	return newAdapter(name, endpoint{})
}
