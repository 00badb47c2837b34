package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"time"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// version is the version of the format, sent with every request.
const version = "2023-06-01"

// Options say where an endpoint is and how it is spoken to.
type Options struct {
	// BaseURL is the address up to and including the version, such as
	// "https://api.anthropic.com/v1".
	BaseURL string
	// Key gives the API key when a request is sent; nil or "" sends none.
	Key func() string
	// Bearer sends the key as a bearer token, as some gateways want it.
	Bearer bool
	// Header is sent with every request.
	Header http.Header
	// Client sends the requests; it must not have a timeout of its own.
	Client *http.Client
	// CachePrompt asks the provider to keep the request for the next one, which costs
	// more the first time and a tenth from then on. Servers that cache by themselves
	// need no asking.
	CachePrompt bool
	// FirstTokenLimit is the time to the first token; 0 means no limit, as for
	// local servers. IdleLimit is the time between two pieces of data after it;
	// 0 means [wire.IdleLimit].
	FirstTokenLimit time.Duration
	IdleLimit       time.Duration
}

// Messages is an [llm.Adapter] for the Messages format.
type Messages struct {
	opt     Options
	written wire.Written
}

// New makes an adapter.
func New(opt Options) *Messages {
	opt.BaseURL = strings.TrimRight(opt.BaseURL, "/")
	if opt.IdleLimit == 0 {
		opt.IdleLimit = wire.IdleLimit
	}
	return &Messages{opt: opt}
}

// Stream sends a body and yields the reply.
func (a *Messages) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	return a.StreamHeld(ctx, body, nil)
}

// StreamHeld is described at [llm.Holder].
func (a *Messages) StreamHeld(ctx context.Context, body []byte, ready func() error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r := &reading{}
		key := a.key()
		wire.Post{
			Client: a.opt.Client, URL: a.opt.BaseURL + "/messages", Header: a.header(key), Body: body, Ready: ready, Secret: key,
			Limits: wire.Limits{First: a.opt.FirstTokenLimit, Idle: a.opt.IdleLimit},
		}.Stream(ctx, yield, &r.feed, r.take)
	}
}

// Count asks the endpoint how many tokens an encoded request has. Endpoints that
// cannot count answer with an error.
func (a *Messages) Count(ctx context.Context, body []byte) (int, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return 0, err
	}
	for name := range fields {
		switch name {
		case "model", "system", "tools", "messages", "thinking":
		default:
			delete(fields, name)
		}
	}
	asked, err := json.Marshal(fields)
	if err != nil {
		return 0, err
	}
	text, err := wire.Ask(ctx, a.opt.Client, a.opt.BaseURL+"/messages/count_tokens", a.header(a.key()), bytes.NewReader(asked))
	if err != nil {
		return 0, err
	}
	var v struct {
		Tokens int `json:"input_tokens"`
	}
	if err := json.Unmarshal(text, &v); err != nil || v.Tokens <= 0 {
		return 0, &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the count of tokens is not a number", Err: err}
	}
	return v.Tokens, nil
}

// Models lists the endpoint's models.
func (a *Messages) Models(ctx context.Context) ([]llm.Model, error) {
	text, err := wire.Ask(ctx, a.opt.Client, a.opt.BaseURL+"/models?limit=1000", a.header(a.key()), nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Name   string `json:"display_name"`
			Window int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the model list is not JSON", Err: err}
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, m := range list.Data {
		model := llm.Model{ID: m.ID, Name: m.Name, Window: m.Window}
		if m.Window > 0 {
			model.Source = "server"
		}
		models = append(models, model)
	}
	return models, nil
}

func (a *Messages) key() string {
	if a.opt.Key == nil {
		return ""
	}
	return a.opt.Key()
}

func (a *Messages) header(key string) http.Header {
	h := a.opt.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	h.Set("Anthropic-Version", version)
	switch {
	case key == "":
	case a.opt.Bearer:
		h.Set("Authorization", "Bearer "+key)
	default:
		h.Set("X-Api-Key", key)
	}
	return h
}
