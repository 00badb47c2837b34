package openai

import (
	"context"
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
	opt     Options
	written wire.Written
}

// New makes an adapter for Chat Completions.
func New(opt Options) *Chat { return &Chat{opt: opt.filled()} }

// Stream sends a body and yields the reply.
func (a *Chat) Stream(ctx context.Context, body []byte) iter.Seq2[llm.Chunk, error] {
	return a.StreamHeld(ctx, body, nil)
}

// StreamHeld is described at [llm.Holder].
func (a *Chat) StreamHeld(ctx context.Context, body []byte, ready func() error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r := &reading{}
		r.feed.Split.Thinking = a.opt.Dialect.OpenedThinking
		if a.opt.Dialect.TextCalls {
			r.feed.Split.Calls = offered(body)
		}
		a.opt.post("/chat/completions", body, ready).Stream(ctx, yield, &r.feed, r.take)
	}
}

// post makes a request to a path of the endpoint.
func (o *Options) post(path string, body []byte, ready func() error) wire.Post {
	key := o.key()
	return wire.Post{
		Client: o.Client, URL: o.BaseURL + path, Header: o.header(key), Body: body, Ready: ready, Secret: key,
		Limits: wire.Limits{First: o.FirstTokenLimit, Idle: o.IdleLimit},
	}
}

func (o *Options) key() string {
	if o.Key == nil {
		return ""
	}
	return o.Key()
}

func (o *Options) header(key string) http.Header {
	h := o.Header.Clone()
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

func (o Options) filled() Options {
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.IdleLimit == 0 {
		o.IdleLimit = wire.IdleLimit
	}
	return o
}
