package openai

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"time"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// Options say where an endpoint is and how it is spoken to.
type Options struct {
	// BaseURL is the address up to and including the version, such as
	// "http://127.0.0.1:8080/v1".
	BaseURL string
	// Key gives the API key when a request is sent; nil or "" sends none.
	Key func() string
	// Header is sent with every request.
	Header http.Header
	// Client sends the requests; it must not have a timeout of its own.
	Client  *http.Client
	Dialect Dialect
	// FirstTokenLimit is the time to the first token; 0 means no limit, as for
	// local servers. IdleLimit is the time between two pieces of data after it;
	// 0 means [wire.IdleLimit].
	FirstTokenLimit time.Duration
	IdleLimit       time.Duration
}

// Chat is an [llm.Adapter] for the Chat Completions format.
type Chat struct {
	opt  Options
	base string
}

// New makes an adapter for Chat Completions.
func New(opt Options) *Chat {
	if opt.IdleLimit == 0 {
		opt.IdleLimit = wire.IdleLimit
	}
	return &Chat{opt: opt, base: strings.TrimRight(opt.BaseURL, "/")}
}

// Stream sends a body and yields the reply.
func (a *Chat) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		key := a.key()
		r := &reading{yield: yield}
		reply, err := wire.Post{
			Client: a.opt.Client, URL: a.base + "/chat/completions", Header: a.header(key), Body: body, Secret: key,
			Limits: wire.Limits{First: a.opt.FirstTokenLimit, Idle: a.opt.IdleLimit},
			Loading: func() bool {
				r.give(llm.Chunk{State: "loading"})
				return !r.gone
			},
		}.Send(ctx)
		if err != nil {
			if !r.gone {
				yield(llm.Chunk{}, err)
			}
			return
		}
		defer reply.Close()
		r.reply = reply
		r.split.Thinking = a.opt.Dialect.OpenedThinking
		if a.opt.Dialect.TextCalls {
			r.split.Calls = offered(body)
		}
		if err := r.run(); err != nil && !r.gone {
			yield(llm.Chunk{}, err)
		}
	}
}

func (a *Chat) key() string {
	if a.opt.Key == nil {
		return ""
	}
	return a.opt.Key()
}

func (a *Chat) header(key string) http.Header {
	h := a.opt.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

// Models lists the endpoint's models by its /models list.
func (a *Chat) Models(ctx context.Context) ([]llm.Model, error) {
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Name   string `json:"name"`
			Window int    `json:"context_length"` // OpenRouter
			MaxLen int    `json:"max_model_len"`  // vLLM
		} `json:"data"`
	}
	text, err := wire.Get(ctx, a.opt.Client, a.base+"/models", a.header(a.key()))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the model list is not JSON", Err: err}
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, m := range list.Data {
		model := llm.Model{ID: m.ID, Name: m.Name, Window: max(m.Window, m.MaxLen)}
		if model.Window > 0 {
			model.Source = "server"
		}
		models = append(models, model)
	}
	return models, nil
}
