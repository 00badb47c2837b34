package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/llm"
)

// CanCount reports whether the server can count the tokens of a request.
func (s *Server) CanCount() bool { return s.Kind == LlamaCpp || s.Kind == VLLM }

// Count gives the number of tokens that the server would read for an encoded Chat
// Completions request: the messages and tools as its template writes them, counted
// by its own tokenizer. A server that cannot count is fault.Unavailable.
func (s *Server) Count(ctx context.Context, body []byte) (int, error) {
	var n int
	var err error
	switch s.Kind {
	case LlamaCpp:
		n, err = s.countTemplate(ctx, body)
	case VLLM:
		n, err = s.countMessages(ctx, body)
	default:
		return 0, fault.New(fault.Unavailable, "local.count", "The server at %s cannot count tokens.", s.Root)
	}
	if err == nil && n <= 0 {
		err = fmt.Errorf("the server counted %d tokens", n)
	}
	if err != nil {
		return 0, fault.Wrap(fault.Unavailable, "local.count", err, "The server at %s did not count the tokens.", s.Root)
	}
	return n, nil
}

// countTemplate lets llama.cpp write the prompt and then take it apart.
func (s *Server) countTemplate(ctx context.Context, body []byte) (int, error) {
	var written struct {
		Prompt string `json:"prompt"`
	}
	if err := s.post(ctx, "/apply-template", json.RawMessage(body), &written); err != nil {
		return 0, err
	}
	var taken struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	err := s.post(ctx, "/tokenize", map[string]any{"content": written.Prompt, "add_special": true, "parse_special": true}, &taken)
	return len(taken.Tokens), err
}

// countMessages lets vLLM do both at once.
func (s *Server) countMessages(ctx context.Context, body []byte) (int, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return 0, err
	}
	for name := range fields {
		if name != "model" && name != "messages" && name != "tools" && name != "chat_template_kwargs" {
			delete(fields, name)
		}
	}
	var counted struct {
		Count int `json:"count"`
	}
	err := s.post(ctx, "/tokenize", fields, &counted)
	return counted.Count, err
}

// CounterAt counts at an address of the common format, up to and including its
// version. kind is what is known of the server; where nothing is, the first count
// finds it out. nil is a kind that cannot count.
func CounterAt(client *http.Client, baseURL string, kind Kind) llm.Counter {
	root := strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1")
	s := &Server{Root: root, Kind: kind, client: client}
	switch {
	case s.CanCount():
		return s
	case kind == Other:
		return &finding{root: root, client: client}
	}
	return nil
}

// finding counts at a server of a kind that is not known yet.
type finding struct {
	root   string
	client *http.Client

	mu    sync.Mutex
	found *Server // of a kind that cannot count where none can
}

// CanCount is true until the server was found not to count.
func (f *finding) CanCount() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found == nil || f.found.CanCount()
}

// Count tries the ways of counting until one is taken, and keeps to that one.
func (f *finding) Count(ctx context.Context, body []byte) (int, error) {
	f.mu.Lock()
	s := f.found
	f.mu.Unlock()
	if s != nil {
		return s.Count(ctx, body)
	}
	told := true
	var err error
	for _, kind := range []Kind{LlamaCpp, VLLM} {
		s := &Server{Root: f.root, Kind: kind, client: f.client}
		var n int
		if n, err = s.Count(ctx, body); err == nil {
			f.settle(s)
			return n, nil
		}
		if e, ok := errors.AsType[*llm.Error](err); ctx.Err() != nil || ok && e.Retryable() {
			told = false // one that is stopped or loading tells nothing
		}
	}
	if told { // it has neither way
		f.settle(&Server{Root: f.root})
	}
	return 0, err
}

func (f *finding) settle(s *Server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found = s
}
