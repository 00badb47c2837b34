package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// Addresses are where servers listen unless they are told otherwise: llama.cpp,
// vLLM, Ollama, LM Studio, SGLang, and what others use.
func Addresses() []string {
	return []string{
		"http://127.0.0.1:8080", "http://127.0.0.1:8000", "http://127.0.0.1:11434", "http://127.0.0.1:1234",
		"http://127.0.0.1:30000", "http://127.0.0.1:5000", "http://127.0.0.1:5001", "http://127.0.0.1:8081",
	}
}

// probeLimit bounds all questions to one server: one that takes longer is found the
// next time.
const probeLimit = 5 * time.Second

// Find probes addresses at once and gives the servers in their order.
func Find(ctx context.Context, client *http.Client, addresses []string) []*Server {
	found := make([]*Server, len(addresses))
	var wait sync.WaitGroup
	for i, address := range addresses {
		wait.Go(func() {
			// A failed probe is the normal case: nothing listens there.
			found[i], _ = Probe(ctx, client, address)
		})
	}
	wait.Wait()
	servers := found[:0]
	for _, s := range found {
		if s != nil {
			servers = append(servers, s)
		}
	}
	return servers
}

// Probe asks what serves at an address, which may end in "/v1". An error means that
// nothing there speaks the common format.
func Probe(ctx context.Context, client *http.Client, address string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	s := &Server{Root: strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1"), client: client}
	listed, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, identify := range []func(context.Context, []listedModel) bool{s.llamaCpp, s.ollama, s.lmStudio, s.vllm} {
		if identify(ctx, listed) {
			return s, nil
		}
	}
	s.Models = commonModels(listed)
	return s, nil
}

// listedModel is an entry of the common model list with what servers add to it.
type listedModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	OwnedBy string `json:"owned_by"`
	Length  int    `json:"max_model_len"`  // vLLM, SGLang
	Window  int    `json:"context_length"` // several
	Meta    struct {
		Window int `json:"n_ctx"` // llama.cpp, where it says so
	} `json:"meta"`
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"`
}

// list asks for the common model list. A server that is still loading has none.
func (s *Server) list(ctx context.Context) ([]listedModel, error) {
	var list struct {
		Data []listedModel `json:"data"`
	}
	err := s.get(ctx, "/v1/models", &list)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Code == llm.CodeLoading {
		s.Loading = true
		return nil, nil
	}
	if err == nil && list.Data == nil {
		err = &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "there is no list of models"}
	}
	return list.Data, err
}

func commonModels(listed []listedModel) []llm.Model {
	models := make([]llm.Model, 0, len(listed))
	for _, l := range listed {
		m := llm.Model{ID: l.ID}
		told(&m, max(l.Length, l.Window, l.Meta.Window))
		models = append(models, m)
	}
	return models
}

// get reads a JSON document into v.
func (s *Server) get(ctx context.Context, path string, v any) error {
	return s.ask(ctx, path, nil, v)
}

// post sends a JSON document and reads one.
func (s *Server) post(ctx context.Context, path string, body, v any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.ask(ctx, path, bytes.NewReader(b), v)
}

func (s *Server) ask(ctx context.Context, path string, body io.Reader, v any) error {
	text, err := wire.Ask(ctx, s.client, s.Root+path, http.Header{"Content-Type": {"application/json"}}, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		if _, shape := errors.AsType[*json.UnmarshalTypeError](err); !shape {
			return &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the answer is not JSON", Err: err}
		}
	}
	return nil
}
